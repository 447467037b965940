//! What is said, before it is known in which language: an error is made where nobody has read yet which language the
//! workspace speaks. Pure.

mod fault;

use std::fmt;

use entracte_application::ports::{SECRET_LEAST_CHARS, SecretError};
use entracte_application::settings::Language;
use entracte_application::texts::{LocalizedMessage, LocalizedTexts, RefusalText, TextValue};

use crate::hints::hinted;

pub(crate) use fault::{ConfigFault, Place, nearest};

/// What is said: a text of the catalogue with its values, or words that come from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Message {
    /// Words that are already there.
    Plain(String),
    /// A text of the catalogue.
    Keyed(&'static str, Vec<(&'static str, Value)>),
    /// What is wrong with a configuration.
    Fault(Box<ConfigFault>),
    /// What another crate says.
    Said(Box<LocalizedMessage>),
    /// What is told of a refusal; the command that helps is added.
    Told(Box<RefusalText>),
}

/// A value for a place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A text.
    Text(String),
    /// A number; plural forms are chosen by it.
    Count(u64),
    /// Something that is said in the same language.
    Said(Box<Message>),
}

/// A text of the catalogue: `message!("key", name = value, …)`.
macro_rules! message {
    ($key:expr $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::message::Message::Keyed(
            $key,
            vec![$((stringify!($name), $crate::message::Value::from($value))),*],
        )
    };
}
pub(crate) use message;

impl Message {
    /// It in a language.
    pub(crate) fn say(&self, texts: &LocalizedTexts) -> String {
        match self {
            Message::Plain(text) => text.clone(),
            Message::Keyed(key, values) => {
                let values: Vec<(&str, TextValue<'_>)> =
                    values.iter().map(|(name, value)| (*name, value.in_language(texts))).collect();
                texts.say(key, &values)
            }
            Message::Fault(fault) => fault.say(texts),
            Message::Said(saying) => saying.say(texts),
            Message::Told(told) => hinted(told, texts),
        }
    }
}

impl Value {
    fn in_language(&self, texts: &LocalizedTexts) -> TextValue<'_> {
        match self {
            Value::Text(text) => TextValue::from(text),
            Value::Count(count) => TextValue::from(*count),
            Value::Said(message) => TextValue::from(message.say(texts)),
        }
    }
}

impl fmt::Display for Message {
    /// In English, as logs have it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.say(LocalizedTexts::of(Language::En)))
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Message::Plain(text)
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        Message::Plain(text.to_owned())
    }
}

impl From<LocalizedMessage> for Message {
    fn from(saying: LocalizedMessage) -> Self {
        Message::Said(Box::new(saying))
    }
}

impl From<RefusalText> for Message {
    fn from(told: RefusalText) -> Self {
        Message::Told(Box::new(told))
    }
}

impl From<ConfigFault> for Message {
    fn from(fault: ConfigFault) -> Self {
        Message::Fault(Box::new(fault))
    }
}

impl From<&SecretError> for Message {
    /// What is missing, and how to provide it.
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

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Value::Text(text.clone())
    }
}

impl From<u64> for Value {
    fn from(count: u64) -> Self {
        Value::Count(count)
    }
}

impl From<usize> for Value {
    fn from(count: usize) -> Self {
        Value::Count(u64::try_from(count).unwrap_or(u64::MAX))
    }
}

impl From<Message> for Value {
    fn from(message: Message) -> Self {
        Value::Said(Box::new(message))
    }
}
