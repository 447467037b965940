//! Enums without data, stored as words.

use std::borrow::Cow;

use entracte_domain::call::{CallStatus, CallStep};
use entracte_domain::words::Worded;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An enum in a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word<T>(pub(super) T);

impl<T: Copy> From<&T> for Word<T> {
    fn from(value: &T) -> Self {
        Self(*value)
    }
}

impl<T: Worded> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.word())
    }
}

impl<'de, T: Worded> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = Cow::<str>::deserialize(deserializer)?;
        T::from_word(&word)
            .map(Self)
            .ok_or_else(|| serde::de::Error::custom(format!("“{word}” is not a valid {}", T::WHAT)))
    }
}

impl Default for Word<CallStep> {
    fn default() -> Self {
        Self(CallStep::Run)
    }
}

impl Default for Word<CallStatus> {
    fn default() -> Self {
        Self(CallStatus::Succeeded)
    }
}
