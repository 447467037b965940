use std::fmt::Display;

/// Why a shape cannot be written to bytes or read from them.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct CompactError(String);

impl CompactError {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl serde::ser::Error for CompactError {
    fn custom<T: Display>(text: T) -> Self {
        Self(text.to_string())
    }
}

impl serde::de::Error for CompactError {
    fn custom<T: Display>(text: T) -> Self {
        Self(text.to_string())
    }
}
