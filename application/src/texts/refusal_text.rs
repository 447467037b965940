//! The text of a refusal, with its topic for callers that add a hint.

use std::fmt;
use std::ops::Deref;

use super::{LocalizedMessage, LocalizedTexts, LocalizedValue};

/// The text of a refusal, which the edge renders for its reader.
///
/// Within a process it keeps its message, so [`render`](Self::render) words it in any language; dereferenced before it
/// is rendered, it is English. A text that comes from another process, or that was never a message, stays as it is: the
/// owner of a database words its refusals in the language that the request asks for.
///
/// ```
/// use entracte_application::texts::{Language, LocalizedTexts, RefusalText, saying};
///
/// let refusal = RefusalText::from(saying!("request-no-session", session = "ses_k1"));
/// assert_eq!(&*refusal, "there is no session ses_k1");
/// assert_eq!(refusal.render(LocalizedTexts::for_language(Language::Fr)), "il n’y a pas de session ses_k1");
/// assert_eq!(refusal.topic().map(|topic| topic.key.as_str()), Some("request-no-session"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusalText {
    words: String,
    /// Boxed, because errors contain this type.
    topic: Option<Box<RefusalTopic>>,
    message: Option<Box<LocalizedMessage>>,
}

/// The topic of a text: its key, and the values in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusalTopic {
    /// The key of the text.
    pub key: String,
    /// Its values by name, except nested messages.
    pub values: Vec<(String, String)>,
}

impl RefusalText {
    /// A text that is already rendered, with its topic if known.
    pub fn from_rendered(words: String, topic: Option<RefusalTopic>) -> Self {
        Self { words, topic: topic.map(Box::new), message: None }
    }

    /// Renders it in the language of `texts`; without its message it stays as it is.
    pub fn render(&self, texts: &LocalizedTexts) -> String {
        self.message.as_ref().map_or_else(|| self.words.clone(), |message| message.render(texts))
    }

    /// The same, whose words are those of `texts`.
    #[must_use]
    pub fn into_rendered(self, texts: &LocalizedTexts) -> Self {
        Self { words: self.render(texts), ..self }
    }

    /// Its topic, if known.
    pub fn topic(&self) -> Option<&RefusalTopic> {
        self.topic.as_deref()
    }
}

impl LocalizedMessage {
    /// Converts a message to a refusal with the words of `texts`.
    pub fn into_refusal_text(self, texts: &LocalizedTexts) -> RefusalText {
        RefusalText::from(self).into_rendered(texts)
    }
}

impl From<&LocalizedMessage> for RefusalTopic {
    fn from(saying: &LocalizedMessage) -> Self {
        let named = saying.named_values().map(|(name, value)| (name.to_owned(), value));
        Self { key: saying.key().to_owned(), values: named.collect() }
    }
}

impl From<LocalizedMessage> for RefusalText {
    fn from(saying: LocalizedMessage) -> Self {
        let topic = Some(Box::new(RefusalTopic::from(&saying)));
        Self { words: saying.to_string(), topic, message: Some(Box::new(saying)) }
    }
}

/// As a value of another text: its message, or its words if it has none.
impl From<&RefusalText> for LocalizedValue {
    fn from(text: &RefusalText) -> Self {
        match &text.message {
            Some(message) => Self::Said(message.clone()),
            None => Self::Text(text.words.clone()),
        }
    }
}

impl From<String> for RefusalText {
    fn from(words: String) -> Self {
        Self::from_rendered(words, None)
    }
}

impl From<&str> for RefusalText {
    fn from(words: &str) -> Self {
        words.to_owned().into()
    }
}

impl From<RefusalText> for String {
    fn from(told: RefusalText) -> Self {
        told.words
    }
}

/// The words of the last rendering; English if it was never rendered.
impl Deref for RefusalText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.words
    }
}

impl fmt::Display for RefusalText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}
