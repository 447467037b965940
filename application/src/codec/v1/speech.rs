//! Localisable text of the machine. Plain text is stored as a string, as it was before localisable sentences existed;
//! other content is a list of strings and sentences.

use std::borrow::Cow;
use std::collections::BTreeMap;

use entracte_domain::localizable_text as domain;
use serde::{Deserialize, Serialize};

use super::shape::{by_hand, shape};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum SpeechV1 {
    Words(String),
    Parts(Vec<PartV1>),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum PartV1 {
    Words(String),
    Sentence(SentenceV1),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SentenceV1 {
    #[serde(rename = "s")]
    key: String,
    #[serde(default, rename = "v", skip_serializing_if = "BTreeMap::is_empty")]
    values: BTreeMap<String, ValueV1>,
}

shape! {
    #[derive(Clone, PartialEq, Eq)]
    #[serde(untagged)]
    enum ValueV1 = domain::SentenceValue {
        Number(number: i64),
        Speech(speech: SpeechV1),
    }
}

impl Default for SpeechV1 {
    fn default() -> Self {
        Self::Words(String::new())
    }
}

by_hand!(SpeechV1 = domain::LocalizableText);

impl From<&domain::LocalizableText> for SpeechV1 {
    fn from(speech: &domain::LocalizableText) -> Self {
        match speech.as_words() {
            Some(words) => Self::Words(words.to_owned()),
            None => Self::Parts(speech.parts().map(Into::into).collect()),
        }
    }
}

impl From<SpeechV1> for domain::LocalizableText {
    fn from(speech: SpeechV1) -> Self {
        match speech {
            SpeechV1::Words(words) => Self::from_words(words),
            SpeechV1::Parts(parts) => Self::from_parts(parts.into_iter().map(Into::into)),
        }
    }
}

impl From<&domain::LocalizableTextPart> for PartV1 {
    fn from(part: &domain::LocalizableTextPart) -> Self {
        match part {
            domain::LocalizableTextPart::Words(words) => Self::Words(words.clone()),
            domain::LocalizableTextPart::Sentence(domain::LocalizableSentence { key, values }) => {
                Self::Sentence(SentenceV1 {
                    key: stored_key(key).to_owned(),
                    values: values
                        .iter()
                        .map(|(name, value)| (name.clone().into_owned(), value.into()))
                        .collect(),
                })
            }
        }
    }
}

impl From<PartV1> for domain::LocalizableTextPart {
    fn from(part: PartV1) -> Self {
        match part {
            PartV1::Words(words) => Self::Words(words),
            PartV1::Sentence(SentenceV1 { key, values }) => Self::Sentence(domain::LocalizableSentence {
                key: Cow::Owned(todays_key(&key).to_owned()),
                values: values.into_iter().map(|(name, value)| (Cow::Owned(name), value.into())).collect(),
            }),
        }
    }
}

/// Sentences whose keys were renamed, with the key of the first release: stored data does not change.
const RENAMED: [(&str, &str); 8] = [
    ("machine-leave-workspace", "machine-approval-workspace"),
    ("machine-leave-zone", "machine-approval-zone"),
    ("machine-leave-tool", "machine-approval-tool"),
    ("machine-leave-session", "machine-approval-session"),
    ("machine-leave-model", "machine-approval-model"),
    ("machine-leave-destructive", "machine-approval-destructive"),
    ("machine-leave-egress", "machine-approval-egress"),
    ("machine-nobody-to-give-leave", "machine-nobody-to-approve"),
];

/// The stored key of a sentence.
fn stored_key(key: &str) -> &str {
    let renamed = RENAMED.iter().find(|(_, today)| *today == key);
    renamed.map_or(key, |(stored, _)| stored)
}

/// The current key of a stored sentence.
fn todays_key(key: &str) -> &str {
    let renamed = RENAMED.iter().find(|(stored, _)| *stored == key);
    renamed.map_or(key, |(_, today)| today)
}

/// The localisable text stored beside the plain text of a field that is often JSON; `None` if it is plain text. A list
/// in place of the plain text would be read as JSON.
pub(super) fn said(speech: &domain::LocalizableText) -> Option<SpeechV1> {
    speech.as_words().is_none().then(|| speech.into())
}
