//! Texts whose language is not known yet.

use std::fmt;

use super::{Language, LocalizedTexts, TextValue};

/// A text of the catalogue with its values: the macro `saying!` takes its key, and each value by name.
///
/// ```
/// use entracte_application::texts::{Language, LocalizedTexts, saying};
///
/// let missing = saying!("fault-missing");
/// assert_eq!(missing.to_string(), "is missing");
/// assert_eq!(missing.render(LocalizedTexts::for_language(Language::Fr)), "manque");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalizedMessage {
    key: &'static str,
    /// A boxed slice, because errors contain this type.
    values: Box<[(&'static str, LocalizedValue)]>,
}

/// A value for a placeholder of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocalizedValue {
    /// A text.
    Text(String),
    /// A number, which selects the plural form.
    Count(u64),
    /// A message that is rendered in the same language.
    Said(Box<LocalizedMessage>),
}

/// Creates a [`LocalizedMessage`].
#[macro_export]
macro_rules! text_saying {
    ($key:literal $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::texts::LocalizedMessage::new(
            $key,
            vec![$((stringify!($name), $crate::texts::LocalizedValue::from($value))),*],
        )
    };
}
pub use crate::text_saying as saying;

impl LocalizedMessage {
    /// The text of this key with these values.
    pub fn new(key: &'static str, values: Vec<(&'static str, LocalizedValue)>) -> Self {
        Self { key, values: values.into_boxed_slice() }
    }

    /// The key of its text.
    pub fn key(&self) -> &'static str {
        self.key
    }

    /// Its values by name, except nested messages.
    pub fn named_values(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.values.iter().filter_map(|(name, value)| match value {
            LocalizedValue::Text(text) => Some((*name, text.clone())),
            LocalizedValue::Count(count) => Some((*name, count.to_string())),
            LocalizedValue::Said(_) => None,
        })
    }

    /// Its nested messages, recursively.
    pub fn inner(&self) -> impl Iterator<Item = &LocalizedMessage> {
        self.values.iter().filter_map(|(_, value)| match value {
            LocalizedValue::Said(saying) => Some(saying.as_ref()),
            LocalizedValue::Text(_) | LocalizedValue::Count(_) => None,
        })
    }

    /// Renders it in the language of `texts`.
    pub fn render(&self, texts: &LocalizedTexts) -> String {
        let value = |value: &LocalizedValue| match value {
            LocalizedValue::Text(text) => TextValue::from(text.clone()),
            LocalizedValue::Count(count) => TextValue::from(*count),
            LocalizedValue::Said(saying) => TextValue::from(saying.render(texts)),
        };
        let values: Vec<(&str, TextValue<'_>)> =
            self.values.iter().map(|(name, given)| (*name, value(given))).collect();
        texts.render(self.key, &values)
    }
}

/// In English, for logs.
impl fmt::Display for LocalizedMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(LocalizedTexts::for_language(Language::En)))
    }
}

macro_rules! saying_value {
    ($($type:ty: |$given:ident| $value:expr),* $(,)?) => {$(
        impl From<$type> for LocalizedValue {
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
    LocalizedMessage: |saying| Self::Said(Box::new(saying)),
);
