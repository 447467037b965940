//! Text of the state machine, before it is rendered in a language.
//!
//! The domain contains no prose. It refers to [`sentences`] by key, with values for their placeholders; the text
//! catalogue has the wording of each language. External text (of a person, a model, an executor) is stored verbatim
//! beside them. State therefore stays the same when a language or a wording changes.

mod duration_text;
pub mod sentences;

use std::borrow::Cow;
use std::collections::BTreeMap;

pub use duration_text::{run_inactivity_text, run_time_limit_text};

/// Parts that are concatenated without a separator: verbatim text and catalogue sentences.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LocalizableText {
    first: LocalizableTextPart,
    more: Vec<LocalizableTextPart>,
}

/// One part of a localizable text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LocalizableTextPart {
    /// Verbatim text.
    Words(String),
    /// A sentence of the text catalogue.
    Sentence(LocalizableSentence),
}

/// A reference to a sentence of the text catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LocalizableSentence {
    /// Key of the sentence.
    pub key: Cow<'static, str>,
    /// Values of the placeholders, by name.
    pub values: BTreeMap<Cow<'static, str>, SentenceValue>,
}

/// The value of a placeholder.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SentenceValue {
    /// A number; it also selects the plural form.
    Number(i64),
    /// Verbatim text, or another localizable text.
    Speech(LocalizableText),
}

impl LocalizableText {
    /// Creates a text of one verbatim part.
    pub fn from_words(words: impl Into<String>) -> Self {
        Self { first: LocalizableTextPart::Words(words.into()), more: Vec::new() }
    }

    /// Creates a text of one sentence.
    pub fn from_sentence(sentence: LocalizableSentence) -> Self {
        Self { first: LocalizableTextPart::Sentence(sentence), more: Vec::new() }
    }

    /// Creates a text of these parts, in order.
    pub fn from_parts(parts: impl IntoIterator<Item = LocalizableTextPart>) -> Self {
        let mut parts = parts.into_iter();
        match parts.next() {
            Some(first) => Self { first, more: parts.collect() },
            None => Self::default(),
        }
    }

    /// The parts in order; at least one.
    pub fn parts(&self) -> impl Iterator<Item = &LocalizableTextPart> {
        std::iter::once(&self.first).chain(&self.more)
    }

    /// The verbatim text, if that is the only part.
    pub fn as_words(&self) -> Option<&str> {
        match (&self.first, self.more.as_slice()) {
            (LocalizableTextPart::Words(words), []) => Some(words),
            (LocalizableTextPart::Words(_) | LocalizableTextPart::Sentence(_), _) => None,
        }
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.as_words().is_some_and(str::is_empty)
    }

    /// Appends another text; its parts stay separate.
    #[must_use]
    pub fn with_appended(mut self, other: impl Into<LocalizableText>) -> Self {
        let LocalizableText { first, more } = other.into();
        self.more.push(first);
        self.more.extend(more);
        self
    }

    /// Appends verbatim text, joined with a verbatim last part.
    pub fn push_words(&mut self, words: &str) {
        match self.more.last_mut().unwrap_or(&mut self.first) {
            LocalizableTextPart::Words(last) => last.push_str(words),
            LocalizableTextPart::Sentence(_) => self.more.push(LocalizableTextPart::Words(words.to_owned())),
        }
    }

    /// Appends another text; adjacent verbatim parts are joined.
    pub fn push(&mut self, other: &LocalizableText) {
        for part in other.parts() {
            match part {
                LocalizableTextPart::Words(words) => self.push_words(words),
                LocalizableTextPart::Sentence(_) => self.more.push(part.clone()),
            }
        }
    }

    /// The text with every sentence replaced by its plain text; a sentence without one is shown by its key.
    pub fn to_plain_text(&self) -> Cow<'_, str> {
        match self.as_words() {
            Some(words) => Cow::Borrowed(words),
            None => Cow::Owned(self.parts().map(LocalizableTextPart::plain_text).collect()),
        }
    }
}

impl LocalizableTextPart {
    /// The verbatim text, or the key of a sentence.
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
    fn appended_parts_stay_separate_and_pushed_words_join() {
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
    fn sentence_equality_and_empty_text() {
        assert_eq!(sentences::limit_rounds(3, 3), sentences::limit_rounds(3, 3));
        assert_ne!(sentences::limit_rounds(3, 3), sentences::limit_rounds(4, 4));
        assert!(LocalizableText::default().is_empty());
        assert_eq!(LocalizableText::from_parts([]), LocalizableText::default());
        assert!(!sentences::stopped().is_empty());
    }
}
