use std::fmt;
use std::str::FromStr;

/// How far somebody has read: `seq[.attempt.text[rthoughts]]`. It holds for ever, in any process.
///
/// ```
/// use entracte_application::stream::{Cursor, Spoken, Start};
///
/// let told = Cursor { seq: 1041, spoken: Some(Spoken { attempt: 1030, text: 5, thoughts: 12 }) };
/// assert_eq!(told.to_string(), "1041.1030.5r12");
/// assert_eq!("1041.1030.5r12".parse(), Ok(Start::At(told)));
/// assert_eq!("now".parse(), Ok(Start::Now));
/// assert!("".parse::<Start>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Number of the last entry of the workspace that was told.
    pub seq: u64,
    /// What was told of an attempt whose end was not.
    pub spoken: Option<AttemptOffset>,
}

/// What was told of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptOffset {
    /// Number of the entry in which the attempt began.
    pub attempt: u64,
    /// Bytes of its text that were told.
    pub text: u64,
    /// Bytes of its reasoning that were told.
    pub thoughts: u64,
}

/// Where a reader begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamReadStart {
    /// With what comes next.
    Now,
    /// After what was told.
    At(Cursor),
}

/// What is no cursor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "“{0}” is not a valid cursor; send the id of the last frame as it came, “now”, or “0” for all there is"
)]
pub struct CursorParseError(String);

/// The most characters of a wrong cursor that are repeated.
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

    /// Reads what [`Cursor`] writes and nothing else, so that no two texts are the same place.
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

/// A number that a database can hold.
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
