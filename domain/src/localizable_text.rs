//! What the machine says, without its words.
//!
//! The domain has no prose. It says [`sentences`] by key, with values in their places; the catalogue of texts has
//! the words, in each language. Words that come from outside (of a person, a model, an executor) stand beside
//! them as they are. So state stays the same when a language or a text changes.

mod duration_text;
pub mod sentences;

use std::borrow::Cow;
use std::collections::BTreeMap;

pub use duration_text::{run_inactivity_text, run_time_limit_text};

/// Parts that follow one another with nothing between them: words as they came, and sentences of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LocalizableText {
    first: LocalizableTextPart,
    more: Vec<LocalizableTextPart>,
}

/// A part of a speech.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LocalizableTextPart {
    /// Words as they are.
    Words(String),
    /// A sentence of the catalogue.
    Sentence(LocalizableSentence),
}

/// A sentence of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LocalizableSentence {
    /// Its key.
    pub key: Cow<'static, str>,
    /// What stands in its places, by name.
    pub values: BTreeMap<Cow<'static, str>, SentenceValue>,
}

/// What stands in a place of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SentenceValue {
    /// A number; plural forms are chosen by it.
    Number(i64),
    /// Words, or other speech.
    Speech(LocalizableText),
}

impl LocalizableText {
    /// Words as they are.
    pub fn from_words(words: impl Into<String>) -> Self {
        Self { first: LocalizableTextPart::Words(words.into()), more: Vec::new() }
    }

    /// One sentence.
    pub fn from_sentence(sentence: LocalizableSentence) -> Self {
        Self { first: LocalizableTextPart::Sentence(sentence), more: Vec::new() }
    }

    /// These parts, in order.
    pub fn from_parts(parts: impl IntoIterator<Item = LocalizableTextPart>) -> Self {
        let mut parts = parts.into_iter();
        match parts.next() {
            Some(first) => Self { first, more: parts.collect() },
            None => Self::default(),
        }
    }

    /// Its parts, in order; at least one.
    pub fn parts(&self) -> impl Iterator<Item = &LocalizableTextPart> {
        std::iter::once(&self.first).chain(&self.more)
    }

    /// Its words, when it is one part of words.
    pub fn as_words(&self) -> Option<&str> {
        match (&self.first, self.more.as_slice()) {
            (LocalizableTextPart::Words(words), []) => Some(words),
            (LocalizableTextPart::Words(_) | LocalizableTextPart::Sentence(_), _) => None,
        }
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.as_words().is_some_and(str::is_empty)
    }

    /// The same with other speech after it, whose parts stay parts of their own.
    #[must_use]
    pub fn with_appended(mut self, other: impl Into<LocalizableText>) -> Self {
        let LocalizableText { first, more } = other.into();
        self.more.push(first);
        self.more.extend(more);
        self
    }

    /// Adds words at its end; they join the words that stand there.
    pub fn push_words(&mut self, words: &str) {
        match self.more.last_mut().unwrap_or(&mut self.first) {
            LocalizableTextPart::Words(last) => last.push_str(words),
            LocalizableTextPart::Sentence(_) => self.more.push(LocalizableTextPart::Words(words.to_owned())),
        }
    }

    /// Adds other speech at its end; words join words.
    pub fn push(&mut self, other: &LocalizableText) {
        for part in other.parts() {
            match part {
                LocalizableTextPart::Words(words) => self.push_words(words),
                LocalizableTextPart::Sentence(_) => self.more.push(part.clone()),
            }
        }
    }

    /// What it says once every sentence has its words; a sentence without words is named by its key.
    pub fn to_plain_text(&self) -> Cow<'_, str> {
        match self.as_words() {
            Some(words) => Cow::Borrowed(words),
            None => Cow::Owned(self.parts().map(LocalizableTextPart::plain_text).collect()),
        }
    }
}

impl LocalizableTextPart {
    /// Its words; the key of a sentence without words.
    pub fn plain_text(&self) -> &str {
        match self {
            LocalizableTextPart::Words(words) => words,
            LocalizableTextPart::Sentence(sentence) => &sentence.key,
        }
    }
}

impl Default for LocalizableText {
    fn default() -> Self {
        Self::from_words(String::new())
    }
}

impl From<String> for LocalizableText {
    fn from(words: String) -> Self {
        Self::from_words(words)
    }
}

impl From<&str> for LocalizableText {
    fn from(words: &str) -> Self {
        Self::from_words(words)
    }
}

impl From<LocalizableText> for SentenceValue {
    fn from(speech: LocalizableText) -> Self {
        SentenceValue::Speech(speech)
    }
}

impl From<&str> for SentenceValue {
    fn from(words: &str) -> Self {
        SentenceValue::Speech(words.into())
    }
}

impl From<u32> for SentenceValue {
    fn from(number: u32) -> Self {
        SentenceValue::Number(number.into())
    }
}

impl From<i64> for SentenceValue {
    fn from(number: i64) -> Self {
        SentenceValue::Number(number)
    }
}

impl From<u64> for SentenceValue {
    fn from(number: u64) -> Self {
        SentenceValue::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<usize> for SentenceValue {
    fn from(number: usize) -> Self {
        SentenceValue::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stay_apart_and_words_that_are_pushed_join() {
        let told = sentences::results(2, 0).with_appended(" ").with_appended(sentences::stopped());
        assert_eq!(told.parts().count(), 3);
        assert_eq!(told.as_words(), None);
        let mut data = LocalizableText::from_words("## memory.list\n");
        data.push(&LocalizableText::from_words("[1, 2]"));
        assert_eq!(data, LocalizableText::from_words("## memory.list\n[1, 2]"));
        data.push(&sentences::stopped());
        data.push_words("!");
        assert_eq!(data.to_plain_text(), "## memory.list\n[1, 2]machine-stopped!");
        assert_eq!(LocalizableText::from_parts(data.parts().cloned()), data);
    }

    #[test]
    fn equal_sentences_are_equal_and_speech_without_words_is_empty() {
        assert_eq!(sentences::limit_rounds(3, 3), sentences::limit_rounds(3, 3));
        assert_ne!(sentences::limit_rounds(3, 3), sentences::limit_rounds(4, 4));
        assert!(LocalizableText::default().is_empty());
        assert_eq!(LocalizableText::from_parts([]), LocalizableText::default());
        assert!(!sentences::stopped().is_empty());
    }
}
