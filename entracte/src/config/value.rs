//! Values of settings, and the kinds of values.
//!
//! A duration is a text: a number and `ms`, `s`, `m`, `h` or `d`, as in `"500ms"`, `"30s"`, `"5m"`, `"24h"`, `"30d"`.
//! None at all may be the number 0.

use std::fmt;

use entracte_application::duration_text::{span, written};
use entracte_application::settings::{RetentionLimit, RetentionSubject};
use entracte_domain::time::Millis;
use toml::de::DeValue;

use crate::user_text::{UserText, message};

/// The kind of value a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SettingValueKind {
    /// Text.
    Text,
    /// A list of texts; comma-separated outside files.
    List,
    /// True or false.
    Flag,
    /// A whole number up to this maximum.
    Count(u64),
    /// A duration.
    Span,
    /// One of these words.
    Word(&'static [&'static str]),
    /// How long this is retained.
    Retention(RetentionSubject),
}

/// A value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SettingValue {
    /// Text, or a word.
    Text(String),
    /// True or false.
    Flag(bool),
    /// A whole number.
    Count(u64),
    /// A duration.
    Span(Millis),
}

impl SettingValue {
    /// A count from a `usize`.
    pub(super) fn size(size: usize) -> Self {
        Self::Count(u64::try_from(size).unwrap_or(u64::MAX))
    }
}

impl SettingValueKind {
    /// The expected value, as a text.
    pub(crate) fn expected(self) -> UserText {
        match self {
            SettingValueKind::Text => message!("config-takes-text"),
            SettingValueKind::List => message!("config-takes-list"),
            SettingValueKind::Flag => message!("config-takes-flag"),
            SettingValueKind::Count(most) => message!("config-takes-count", most = most),
            SettingValueKind::Span => message!("config-takes-span"),
            SettingValueKind::Word(words) => message!("config-takes-word", words = words.join(", ")),
            SettingValueKind::Retention(subject) => match (subject.takes_age(), subject.takes_latest()) {
                (true, true) => message!("config-takes-retention"),
                (true, false) => message!("config-takes-retention-age"),
                (false, _) => message!("config-takes-retention-latest"),
            },
        }
    }

    /// Parses the value of a variable or flag.
    pub(crate) fn read(self, text: &str) -> Option<SettingValue> {
        let text = text.trim();
        match self {
            SettingValueKind::Text | SettingValueKind::List => {
                (!text.is_empty()).then(|| SettingValue::Text(text.to_owned()))
            }
            SettingValueKind::Flag => text.parse().ok().map(SettingValue::Flag),
            SettingValueKind::Count(most) => {
                text.parse().ok().filter(|count| *count <= most).map(SettingValue::Count)
            }
            SettingValueKind::Span => span(text).map(SettingValue::Span),
            SettingValueKind::Word(words) => {
                words.contains(&text).then(|| SettingValue::Text(text.to_owned()))
            }
            SettingValueKind::Retention(subject) => {
                RetentionLimit::read_new(subject, text).map(|limit| SettingValue::Text(limit.text()))
            }
        }
    }

    /// Reads the value in a file.
    pub(crate) fn read_toml(self, value: &DeValue<'_>) -> Option<SettingValue> {
        match (self, value) {
            (SettingValueKind::List, DeValue::Array(items)) => {
                let texts: Option<Vec<&str>> = items.iter().map(|item| item.get_ref().as_str()).collect();
                Some(SettingValue::Text(texts?.join(", ")))
            }
            (
                SettingValueKind::Text
                | SettingValueKind::List
                | SettingValueKind::Span
                | SettingValueKind::Word(_)
                | SettingValueKind::Retention(_),
                DeValue::String(text),
            ) => self.read(text),
            (SettingValueKind::Flag, DeValue::Boolean(flag)) => Some(SettingValue::Flag(*flag)),
            (SettingValueKind::Count(most), DeValue::Integer(number)) => {
                let count = u64::from_str_radix(number.as_str(), number.radix()).ok()?;
                (count <= most).then_some(SettingValue::Count(count))
            }
            // Other numbers would leave open what they count.
            (SettingValueKind::Span, DeValue::Integer(number)) if number.as_str() == "0" => self.read("0"),
            _ => None,
        }
    }
}

impl fmt::Display for SettingValue {
    /// In file syntax.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingValue::Text(text) => write!(f, "{}", toml::Value::String(text.clone())),
            SettingValue::Flag(flag) => write!(f, "{flag}"),
            SettingValue::Count(count) => write!(f, "{count}"),
            SettingValue::Span(span) => write!(f, "\"{}\"", written(*span)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_is_number_and_unit() {
        for (text, ms) in [
            ("30s", 30_000),
            ("5m", 300_000),
            ("23h", 82_800_000),
            ("30d", 2_592_000_000),
            ("500ms", 500),
            ("0s", 0),
        ] {
            assert_eq!(SettingValueKind::Span.read(text), Some(SettingValue::Span(Millis(ms))), "{text}");
            assert_eq!(SettingValue::Span(Millis(ms)).to_string(), format!("\"{text}\""));
        }
        let days = SettingValueKind::Span.read("720h");
        assert_eq!(SettingValueKind::Span.read("0"), Some(SettingValue::Span(Millis(0))));
        assert_eq!(days.map(|days| days.to_string()).as_deref(), Some("\"30d\""));
        for wrong in ["30", "s", "", "-1s", "1.5h", "99999999999999999h"] {
            assert_eq!(SettingValueKind::Span.read(wrong), None, "{wrong}");
        }
    }
}
