use std::fmt;
use std::str::FromStr;

use crate::texts::{LocalizedMessage, saying};

/// The position of a stream reader: `seq[.attempt.text[rthoughts]]`. It is valid for ever, in any process.
///
/// ```
/// use entracte_application::stream::{AttemptOffset, Cursor, StreamReadStart};
///
/// let cursor = Cursor { seq: 1041, spoken: Some(AttemptOffset { attempt: 1030, text: 5, thoughts: 12 }) };
/// assert_eq!(cursor.to_string(), "1041.1030.5r12");
/// assert_eq!("1041.1030.5r12".parse(), Ok(StreamReadStart::At(cursor)));
/// assert_eq!("now".parse(), Ok(StreamReadStart::Now));
/// assert!("".parse::<StreamReadStart>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Number of the last workspace entry that was sent.
    pub seq: u64,
    /// The sent part of an attempt whose end was not sent.
    pub spoken: Option<AttemptOffset>,
}

/// The part of an attempt's text that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptOffset {
    /// Number of the entry in which the attempt began.
    pub attempt: u64,
    /// Number of sent bytes of its text.
    pub text: u64,
    /// Number of sent bytes of its reasoning.
    pub thoughts: u64,
}

/// The start of a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamReadStart {
    /// With the next frame.
    Now,
    /// After this cursor.
    At(Cursor),
}

/// A text that is not a valid cursor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.message())]
pub struct CursorParseError(String);

impl CursorParseError {
    /// What is wrong with the text, and what to send in its place.
    pub fn message(&self) -> LocalizedMessage {
        saying!("refusal-stream-cursor", given = &self.0)
    }
}

/// Maximum characters of an invalid cursor that are quoted.
const SHOWN: usize = 60;

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.seq)?;
        let Some(AttemptOffset { attempt, text, thoughts }) = self.spoken else { return Ok(()) };
        write!(f, ".{attempt}.{text}")?;
        if thoughts > 0 { write!(f, "r{thoughts}") } else { Ok(()) }
    }
}

impl FromStr for StreamReadStart {
    type Err = CursorParseError;

    /// Accepts exactly the format that [`Cursor`] writes, so that each position has one text.
    fn from_str(given: &str) -> Result<Self, CursorParseError> {
        if given == "now" {
            return Ok(Self::Now);
        }
        let read = cursor(given).filter(|cursor| cursor.to_string() == given);
        read.map(Self::At).ok_or_else(|| CursorParseError(crate::terminal_text::one_line(&shortened(given))))
    }
}

fn cursor(given: &str) -> Option<Cursor> {
    let mut parts = given.split('.');
    let seq = number(parts.next()?)?;
    let spoken = match parts.next() {
        None => None,
        Some(attempt) => {
            let offset = parts.next()?;
            let (text, thoughts) = offset.split_once('r').unwrap_or((offset, "0"));
            let spoken =
                AttemptOffset { attempt: number(attempt)?, text: number(text)?, thoughts: number(thoughts)? };
            Some(spoken).filter(|spoken| (1..=seq).contains(&spoken.attempt))
        }
    };
    parts.next().is_none().then_some(Cursor { seq, spoken })
}

/// A number that fits a database column.
fn number(text: &str) -> Option<u64> {
    text.parse::<i64>().ok().and_then(|number| u64::try_from(number).ok())
}

fn shortened(given: &str) -> String {
    given.chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_cursor_is_read_back(
            seq in 1..=i64::MAX.unsigned_abs(),
            spoken in proptest::option::of((1..=1000_u64, 0..9_u64, 0..9_u64)),
        ) {
            let spoken = spoken.map(|(attempt, text, thoughts)| {
                AttemptOffset { attempt: attempt.min(seq), text, thoughts }
            });
            let cursor = Cursor { seq, spoken };
            prop_assert_eq!(cursor.to_string().parse(), Ok(StreamReadStart::At(cursor)));
        }

        #[test]
        fn no_text_makes_it_fail_otherwise(text in ".{0,40}") {
            if let Ok(StreamReadStart::At(cursor)) = text.parse() {
                prop_assert_eq!(cursor.to_string(), text);
            }
        }
    }

    #[test]
    fn what_is_malformed_is_never_the_beginning() {
        let wrong = [
            "",
            " ",
            "-1",
            "+1",
            "01",
            "1.",
            "1.1",
            "1.1.",
            "1.1.1.1",
            "1.2.0",
            "1.0.0",
            "1.1.0r",
            "1.1.0r0",
            "1.1.r1",
            "NOW",
            "all",
            "9223372036854775808",
            "1\n",
            "1,1,1",
        ];
        for text in wrong {
            assert!(text.parse::<StreamReadStart>().is_err(), "{text:?}");
        }
        assert_eq!("0".parse(), Ok(StreamReadStart::At(Cursor::default())));
    }
}
