//! Makes a text fit for instructions, or says why it is not.

/// Why a text cannot be instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionTextError {
    /// There is nothing in it.
    Empty,
    /// It is too long.
    TooLong {
        /// Its length in bytes.
        bytes: usize,
        /// The most that it may have.
        most: usize,
    },
    /// It holds a character that no text needs: it is no text, or it hides something.
    Control {
        /// The line, from 1.
        line: usize,
        /// The character.
        found: char,
    },
}

/// The text as it is kept: lines end in one way, and nothing blank stands around it. The same file gives the same text,
/// wherever it was written.
///
/// # Errors
/// When it is empty, has more than `most` bytes, or holds control characters other than tabs and line ends.
///
/// ```
/// use entracte_application::instructions::{Misfit, fit};
///
/// assert_eq!(fit("\u{feff}You are Fernando.\r\n\r\n", 100).as_deref(), Ok("You are Fernando."));
/// assert_eq!(fit(" \n", 100), Err(Misfit::Empty));
/// ```
pub fn normalize_instruction_text(text: &str, most: usize) -> Result<String, InstructionTextError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let is_blank = |line: &&str| line.trim().is_empty();
    let skipped: usize = text.split_inclusive('\n').take_while(is_blank).map(str::len).sum();
    let text = text.get(skipped..).unwrap_or_default().trim_end();
    if text.is_empty() {
        return Err(InstructionTextError::Empty);
    }
    if text.len() > most {
        return Err(InstructionTextError::TooLong { bytes: text.len(), most });
    }
    let found = text.char_indices().find(|(_, letter)| letter.is_control() && !matches!(letter, '\n' | '\t'));
    match found {
        Some((at, found)) => {
            let before = text.get(..at).unwrap_or_default();
            Err(InstructionTextError::Control { line: before.matches('\n').count() + 1, found })
        }
        None => Ok(text.to_owned()),
    }
}
