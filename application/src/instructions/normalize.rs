//! Normalises and validates the text of instructions.

/// Why a text cannot be used as instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionTextError {
    /// The text is empty.
    Empty,
    /// The text is too long.
    TooLong {
        /// Its size in bytes.
        bytes: usize,
        /// The maximum in bytes.
        most: usize,
    },
    /// The text contains a control character: it is binary, or hides something.
    Control {
        /// The line, from 1.
        line: usize,
        /// The character.
        found: char,
    },
}

/// Normalises line ends and removes surrounding blank space, so that the same file gives the same text on every
/// system.
///
/// # Errors
/// When it is empty, has more than `most` bytes, or contains control characters other than tabs and line ends.
///
/// ```
/// use entracte_application::instructions::{InstructionTextError, normalize_instruction_text};
///
/// let text = normalize_instruction_text("\u{feff}You are Fernando.\r\n\r\n", 100);
/// assert_eq!(text.as_deref(), Ok("You are Fernando."));
/// assert_eq!(normalize_instruction_text(" \n", 100), Err(InstructionTextError::Empty));
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
