//! Values of settings, and what kind of value a setting takes.
//!
//! A length of time is a text: a number and `ms`, `s`, `m`, `h` or `d`, as in `"500ms"`, `"30s"`, `"5m"`,
//! `"24h"`, `"30d"`.

use std::fmt;

use entracte_domain::time::Millis;
use toml::de::DeValue;

use crate::message::{Message, message};
use crate::span::{span, written};

/// What a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text.
    Text,
    /// Texts: a list in a file, with commas between them elsewhere.
    List,
    /// True or false.
    Flag,
    /// A whole number, at most this.
    Count(u64),
    /// A length of time.
    Span,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// A value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// Text, or a word.
    Text(String),
    /// True or false.
    Flag(bool),
    /// A whole number.
    Count(u64),
    /// A length of time.
    Span(Millis),
}

impl Value {
    /// A count of what is in memory.
    pub(super) fn size(size: usize) -> Self {
        Self::Count(u64::try_from(size).unwrap_or(u64::MAX))
    }
}

impl Kind {
    /// What is expected, in words.
    pub(crate) fn expected(self) -> Message {
        match self {
            Kind::Text => message!("config-takes-text"),
            Kind::List => message!("config-takes-list"),
            Kind::Flag => message!("config-takes-flag"),
            Kind::Count(most) => message!("config-takes-count", most = most),
            Kind::Span => message!("config-takes-span"),
            Kind::Word(words) => message!("config-takes-word", words = words.join(", ")),
        }
    }

    /// The value that this text stands for, as variables and flags have it.
    pub(crate) fn read(self, text: &str) -> Option<Value> {
        let text = text.trim();
        match self {
            Kind::Text | Kind::List => (!text.is_empty()).then(|| Value::Text(text.to_owned())),
            Kind::Flag => text.parse().ok().map(Value::Flag),
            Kind::Count(most) => text.parse().ok().filter(|count| *count <= most).map(Value::Count),
            Kind::Span => span(text).map(Value::Span),
            Kind::Word(words) => words.contains(&text).then(|| Value::Text(text.to_owned())),
        }
    }

    /// The value in a file.
    pub(crate) fn read_toml(self, value: &DeValue<'_>) -> Option<Value> {
        match (self, value) {
            (Kind::List, DeValue::Array(items)) => {
                let texts: Option<Vec<&str>> = items.iter().map(|item| item.get_ref().as_str()).collect();
                Some(Value::Text(texts?.join(", ")))
            }
            (Kind::Text | Kind::List | Kind::Span | Kind::Word(_), DeValue::String(text)) => self.read(text),
            (Kind::Flag, DeValue::Boolean(flag)) => Some(Value::Flag(*flag)),
            (Kind::Count(most), DeValue::Integer(number)) => {
                let count = u64::from_str_radix(number.as_str(), number.radix()).ok()?;
                (count <= most).then_some(Value::Count(count))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    /// As it is written in a file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => write!(f, "{}", toml::Value::String(text.clone())),
            Value::Flag(flag) => write!(f, "{flag}"),
            Value::Count(count) => write!(f, "{count}"),
            Value::Span(span) => write!(f, "\"{}\"", written(*span)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_of_time_is_a_number_and_a_unit() {
        for (text, ms) in [("30s", 30_000), ("5m", 300_000), ("24h", 86_400_000), ("500ms", 500), ("0s", 0)] {
            assert_eq!(Kind::Span.read(text), Some(Value::Span(Millis(ms))), "{text}");
            assert_eq!(Value::Span(Millis(ms)).to_string(), format!("\"{text}\""));
        }
        assert_eq!(Kind::Span.read("30d"), Kind::Span.read("720h"));
        for wrong in ["30", "s", "", "-1s", "1.5h", "99999999999999999h"] {
            assert_eq!(Kind::Span.read(wrong), None, "{wrong}");
        }
    }
}
