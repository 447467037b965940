//! Faults of a configuration: the file, the faulty line with a caret, and the allowed values.

use std::ops::Range;

use entracte_application::near_names::nearest;
use entracte_application::settings::Language;
use entracte_application::terminal_text::one_line;
use entracte_application::texts::{LocalizedTexts, say};

use super::UserText;

/// A fault of a configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.say(LocalizedTexts::for_language(Language::En)))]
pub(crate) struct ConfigFault {
    /// The fault, with the rejected value.
    pub(crate) says: UserText,
    /// The position in a file; `None` for variables and flags.
    pub(crate) place: Option<Box<SourceLocation>>,
    /// The allowed values.
    pub(crate) allowed: Vec<String>,
    /// The allowed value that was probably meant.
    pub(crate) guess: Option<String>,
}

/// A position in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceLocation {
    /// The name of the file as given.
    pub(crate) file: String,
    /// The line number, from 1.
    pub(crate) line: usize,
    /// The text of the line.
    text: String,
    /// Whether the text may be displayed.
    is_shown: bool,
    /// The columns before the fault.
    before: usize,
    /// The width of the fault in columns.
    width: usize,
}

impl SourceLocation {
    /// The position of a byte range in a file's text.
    pub(crate) fn new(file: &str, text: &str, span: Range<usize>) -> Self {
        let mut start = span.start.min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let begin = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let inside = text.get(start..span.end.min(end)).unwrap_or_default();
        let (shown, most) = without_secret(text[begin..end].trim_end_matches('\r'));
        let before = text[begin..start].chars().count().min(most);
        let width = inside.trim_end().chars().count().clamp(1, (most - before).max(1));
        let line = text[..begin].matches('\n').count() + 1;
        Self { file: file.to_owned(), line, text: shown, is_shown: true, before, width }
    }
}

/// The displayable part of a line, and the last column that may be marked: the value of a name that looks like a
/// secret is removed.
fn without_secret(line: &str) -> (String, usize) {
    let Some((name, _)) = line.split_once('=') else { return (line.to_owned(), usize::MAX) };
    let sounds = name.to_lowercase();
    if !["api_key", "apikey", "api-key", "secret", "password"].iter().any(|word| sounds.contains(word)) {
        return (line.to_owned(), usize::MAX);
    }
    let shown = format!("{name}= …");
    let last = shown.chars().count() - 1;
    (shown, last)
}

impl ConfigFault {
    /// A fault of a variable or a flag.
    pub(crate) fn new(says: impl Into<UserText>) -> Self {
        Self { says: says.into(), place: None, allowed: Vec::new(), guess: None }
    }

    /// Adds its position.
    pub(crate) fn at(mut self, place: SourceLocation) -> Self {
        self.place = Some(Box::new(place));
        self
    }

    /// Hides the text of its line: the file may be a link to a file that was not meant to be displayed.
    pub(crate) fn without_text(mut self) -> Self {
        if let Some(place) = &mut self.place {
            place.is_shown = false;
        }
        self
    }

    /// Adds the allowed values; the guess is the one nearest to `given`.
    pub(crate) fn allowing(mut self, given: &str, allowed: Vec<String>) -> Self {
        self.guess = nearest(given, &allowed);
        self.allowed = allowed;
        self
    }

    /// Renders the fault in a language, with its line.
    pub(crate) fn say(&self, texts: &LocalizedTexts) -> String {
        let mut text = self.says.localize(texts);
        let guess =
            self.guess.as_ref().map(|guess| say!(texts, "config-guess", guess = guess)).unwrap_or_default();
        match &self.place {
            Some(place) => {
                let number = place.line.to_string();
                // A file name with a line end could imitate lines of Entracte.
                let file = one_line(&place.file);
                text = say!(texts, "config-at", file = file, line = &number, says = text);
                if place.is_shown {
                    let marks = format!("{}{}", " ".repeat(place.before), "^".repeat(place.width));
                    let margin = " ".repeat(number.len());
                    text.push_str(&format!("\n  {number} | {}\n  {margin} | {marks} {guess}", place.text));
                    text.truncate(text.trim_end().len());
                }
            }
            None if !guess.is_empty() => text = say!(texts, "config-and", says = text, more = guess),
            None => {}
        }
        if !self.allowed.is_empty() {
            text.push('\n');
            text.push_str(&say!(texts, "config-allowed", words = self.allowed.join(", ")));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_shown_with_a_caret_and_a_guess() {
        let text = "[limits]\nruonds = 5\n";
        let fault = ConfigFault::new("there is no setting “limits.ruonds”")
            .at(SourceLocation::new("entracte.toml", text, 9..15))
            .allowing("ruonds", vec!["rounds".into(), "watchdog".into()]);
        insta::assert_snapshot!(fault, @r"
        entracte.toml line 2: there is no setting “limits.ruonds”
          2 | ruonds = 5
            | ^^^^^^ did you mean “rounds”?
        allowed: rounds, watchdog
        ");
    }

    /// Input: a file in a folder whose name contains a line end; expected: its name is shown on one line.
    #[test]
    fn file_name_is_shown_on_one_line() {
        let place = SourceLocation::new("/tmp/a\n  entracte trust --yes\n/x.toml", "a = 1\n", 0..1);
        let says = ConfigFault::new("wrong").at(place).to_string();
        let file = "/tmp/a ↵ entracte trust --yes ↵ /x.toml";
        assert_eq!(says, format!("{file} line 1: wrong\n  1 | a = 1\n    | ^"));
    }

    #[test]
    fn a_key_that_was_written_into_the_file_is_not_repeated() {
        let text = "[providers.a]\napi_key = \"sk-1234\"\n";
        let place = SourceLocation::new("entracte.toml", text, 14..21);
        insta::assert_snapshot!(ConfigFault::new("unknown field").at(place), @r"
        entracte.toml line 2: unknown field
          2 | api_key = …
            | ^^^^^^^
        ");
        let place = SourceLocation::new("entracte.toml", "Password=\"sk-1234", 17..17);
        insta::assert_snapshot!(ConfigFault::new("no end").at(place), @r"
        entracte.toml line 1: no end
          1 | Password= …
            |           ^
        ");
    }
}
