//! Texts whose language is not known yet: errors are created before the language of the workspace is read. Pure.

mod config_fault;

use std::fmt;

use entracte_application::ports::{SECRET_LEAST_CHARS, SecretError};
use entracte_application::settings::Language;
use entracte_application::texts::{LocalizedMessage, LocalizedTexts, RefusalText, TextValue};

use crate::next_command_hints::refusal_with_hint;

pub(crate) use config_fault::{ConfigFault, SourceLocation};

/// A text for people: a key of the catalogue with its values, or a text from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UserText {
    /// A text in any language.
    Plain(String),
    /// A key of the catalogue, with its values.
    Keyed(&'static str, Vec<(&'static str, UserTextValue)>),
    /// A fault of the configuration.
    Fault(Box<ConfigFault>),
    /// A message of another crate.
    Said(Box<LocalizedMessage>),
    /// A refusal; rendering adds the helpful command.
    Told(Box<RefusalText>),
}

/// A value in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UserTextValue {
    /// A text.
    Text(String),
    /// A number, which selects the plural form.
    Count(u64),
    /// A text in the same language.
    Said(Box<UserText>),
}

/// A text of the catalogue: `message!("key", name = value, …)`.
macro_rules! message {
    ($key:expr $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::user_text::UserText::Keyed(
            $key,
            vec![$((stringify!($name), $crate::user_text::UserTextValue::from($value))),*],
        )
    };
}
pub(crate) use message;

impl UserText {
    /// Renders the text in a language.
    pub(crate) fn localize(&self, texts: &LocalizedTexts) -> String {
        match self {
            UserText::Plain(text) => text.clone(),
            UserText::Keyed(key, values) => {
                let values: Vec<(&str, TextValue<'_>)> =
                    values.iter().map(|(name, value)| (*name, value.in_language(texts))).collect();
                texts.render(key, &values)
            }
            UserText::Fault(fault) => fault.say(texts),
            UserText::Said(saying) => saying.render(texts),
            UserText::Told(told) => refusal_with_hint(told, texts),
        }
    }
}

impl UserTextValue {
    fn in_language(&self, texts: &LocalizedTexts) -> TextValue<'_> {
        match self {
            UserTextValue::Text(text) => TextValue::from(text),
            UserTextValue::Count(count) => TextValue::from(*count),
            UserTextValue::Said(message) => TextValue::from(message.localize(texts)),
        }
    }
}

impl fmt::Display for UserText {
    /// In English, for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.localize(LocalizedTexts::for_language(Language::En)))
    }
}

impl From<String> for UserText {
    fn from(text: String) -> Self {
        UserText::Plain(text)
    }
}

impl From<&str> for UserText {
    fn from(text: &str) -> Self {
        UserText::Plain(text.to_owned())
    }
}

impl From<LocalizedMessage> for UserText {
    fn from(saying: LocalizedMessage) -> Self {
        UserText::Said(Box::new(saying))
    }
}

impl From<RefusalText> for UserText {
    fn from(told: RefusalText) -> Self {
        UserText::Told(Box::new(told))
    }
}

impl From<ConfigFault> for UserText {
    fn from(fault: ConfigFault) -> Self {
        UserText::Fault(Box::new(fault))
    }
}

impl From<&SecretError> for UserText {
    /// The missing secret, and how to provide it.
    fn from(error: &SecretError) -> Self {
        match error {
            SecretError::NotSet(name) => message!("tools-secret-not-set", name = name),
            SecretError::Unreadable { path, source } => {
                message!("tools-secret-unreadable", path = path, why = source.to_string())
            }
            SecretError::Relative { path, whole } => {
                message!("tools-secret-relative", path = path, whole = whole)
            }
            SecretError::Silent { path, seconds } => {
                message!("tools-secret-silent", path = path, seconds = *seconds)
            }
            SecretError::Empty(path) => message!("tools-secret-empty", path = path),
            SecretError::TooLarge { path, most } => {
                message!("tools-secret-large", path = path, most = *most)
            }
            SecretError::NotPrinted { program, problem } => {
                message!("tools-secret-not-printed", program = program, why = problem)
            }
            SecretError::TooShort { place } => {
                message!("tools-secret-short", place = place, least = SECRET_LEAST_CHARS)
            }
        }
    }
}

impl From<String> for UserTextValue {
    fn from(text: String) -> Self {
        UserTextValue::Text(text)
    }
}

impl From<&str> for UserTextValue {
    fn from(text: &str) -> Self {
        UserTextValue::Text(text.to_owned())
    }
}

impl From<&String> for UserTextValue {
    fn from(text: &String) -> Self {
        UserTextValue::Text(text.clone())
    }
}

impl From<u64> for UserTextValue {
    fn from(count: u64) -> Self {
        UserTextValue::Count(count)
    }
}

impl From<usize> for UserTextValue {
    fn from(count: usize) -> Self {
        UserTextValue::Count(u64::try_from(count).unwrap_or(u64::MAX))
    }
}

impl From<UserText> for UserTextValue {
    fn from(message: UserText) -> Self {
        UserTextValue::Said(Box::new(message))
    }
}
