//! What is said, before anybody knows in which language it is read.

use std::fmt;

use super::{Language, TextValue, Texts};

/// A text of the catalogue with its values: the macro `saying!` takes its key, and each value by name.
///
/// ```
/// use entracte_application::texts::{Language, Texts, saying};
///
/// let missing = saying!("fault-missing");
/// assert_eq!(missing.to_string(), "is missing");
/// assert_eq!(missing.say(Texts::of(Language::Fr)), "manque");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saying {
    key: &'static str,
    /// A slice, because errors are made of these.
    values: Box<[(&'static str, SayingValue)]>,
}

/// A value for a place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SayingValue {
    /// A text.
    Text(String),
    /// A number; plural forms are chosen by it.
    Count(u64),
    /// Something that is said in the same language.
    Said(Box<Saying>),
}

/// A [`Saying`].
#[macro_export]
macro_rules! text_saying {
    ($key:literal $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::texts::Saying::new(
            $key,
            vec![$((stringify!($name), $crate::texts::SayingValue::from($value))),*],
        )
    };
}
pub use crate::text_saying as saying;

impl Saying {
    /// The text of this key with these values.
    pub fn new(key: &'static str, values: Vec<(&'static str, SayingValue)>) -> Self {
        Self { key, values: values.into_boxed_slice() }
    }

    /// The key of its text.
    pub fn key(&self) -> &'static str {
        self.key
    }

    /// What is named in it, by name: its values but for those that are said.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.values.iter().filter_map(|(name, value)| match value {
            SayingValue::Text(text) => Some((*name, text.clone())),
            SayingValue::Count(count) => Some((*name, count.to_string())),
            SayingValue::Said(_) => None,
        })
    }

    /// What is said in it, and so on.
    pub fn inner(&self) -> impl Iterator<Item = &Saying> {
        self.values.iter().filter_map(|(_, value)| match value {
            SayingValue::Said(saying) => Some(saying.as_ref()),
            SayingValue::Text(_) | SayingValue::Count(_) => None,
        })
    }

    /// It in a language.
    pub fn say(&self, texts: &Texts) -> String {
        let value = |value: &SayingValue| match value {
            SayingValue::Text(text) => TextValue::from(text.clone()),
            SayingValue::Count(count) => TextValue::from(*count),
            SayingValue::Said(saying) => TextValue::from(saying.say(texts)),
        };
        let values: Vec<(&str, TextValue<'_>)> =
            self.values.iter().map(|(name, given)| (*name, value(given))).collect();
        texts.say(self.key, &values)
    }
}

/// In English, as logs have it.
impl fmt::Display for Saying {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.say(Texts::of(Language::En)))
    }
}

macro_rules! saying_value {
    ($($type:ty: |$given:ident| $value:expr),* $(,)?) => {$(
        impl From<$type> for SayingValue {
            fn from($given: $type) -> Self {
                $value
            }
        }
    )*};
}

saying_value!(
    String: |text| Self::Text(text),
    &String: |text| Self::Text(text.clone()),
    &str: |text| Self::Text(text.to_owned()),
    u64: |count| Self::Count(count),
    u32: |count| Self::Count(count.into()),
    usize: |count| Self::Count(u64::try_from(count).unwrap_or(u64::MAX)),
    Saying: |saying| Self::Said(Box::new(saying)),
);
