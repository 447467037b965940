//! A running hash over everything before a reasoning block: the seal of the real servers, without the cryptography.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::Value;

/// A hash of everything added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ThoughtSealHash(u64);

impl ThoughtSealHash {
    /// Adds a value.
    pub(super) fn add(&mut self, more: &Value) {
        *self = self.with(&more.to_string());
    }

    /// The seal of a reasoning block at this position.
    pub(super) fn of(self, thought: &str) -> String {
        format!("{:016x}", self.with(thought).0)
    }

    fn with(self, more: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        (self.0, more).hash(&mut hasher);
        Self(hasher.finish())
    }
}
