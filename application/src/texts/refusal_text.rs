//! What is told of a refusal: the words for people, and what they are about, for whoever adds something to them.

use std::fmt;
use std::ops::Deref;

use super::{LocalizedMessage, LocalizedTexts};

/// What is told of a refusal.
///
/// Where the language of its reader is known when it is made, it has its words from then on: the owner of a database says
/// what it refuses in the language of the workspace. Else they are added at the edge, by [`say`](Self::say); read as a
/// text before, it is English.
///
/// ```
/// use entracte_application::texts::{Language, Texts, Told, saying};
///
/// let told = Told::from(saying!("request-no-session", session = "ses_k1"));
/// assert_eq!(&*told, "there is no session ses_k1");
/// assert_eq!(told.say(Texts::of(Language::Fr)), "il n’y a pas de session ses_k1");
/// assert_eq!(told.topic().map(|topic| topic.key.as_str()), Some("request-no-session"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusalText {
    words: String,
    /// In boxes, because errors are made of these.
    topic: Option<Box<RefusalTopic>>,
    unsaid: Option<Box<LocalizedMessage>>,
}

/// What something is about that was said: the key of its text, and what is named in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusalTopic {
    /// The key of the text.
    pub key: String,
    /// Its values by name, but for those that are texts of the catalogue themselves.
    pub values: Vec<(String, String)>,
}

impl RefusalText {
    /// Words that were said before, and what they are about where that is known.
    pub fn from_rendered(words: String, topic: Option<RefusalTopic>) -> Self {
        Self { words, topic: topic.map(Box::new), unsaid: None }
    }

    /// Its words in a language, where it has none yet; else those that it has.
    pub fn render(&self, texts: &LocalizedTexts) -> String {
        self.unsaid.as_ref().map_or_else(|| self.words.clone(), |saying| saying.render(texts))
    }

    /// The same with its words in a language.
    #[must_use]
    pub fn into_rendered(self, texts: &LocalizedTexts) -> Self {
        Self { words: self.render(texts), unsaid: None, ..self }
    }

    /// Whether its words are those of a language already.
    pub fn is_rendered(&self) -> bool {
        self.unsaid.is_none()
    }

    /// What it is about, where that is known.
    pub fn topic(&self) -> Option<&RefusalTopic> {
        self.topic.as_deref()
    }
}

impl LocalizedMessage {
    /// Told in a language.
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
        Self { words: saying.to_string(), topic, unsaid: Some(Box::new(saying)) }
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

/// The words that it has; English where it has none yet.
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
