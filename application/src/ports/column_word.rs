use entracte_domain::keyword_enum::KeywordEnum;

/// A word in a list row: a value of this version, or the stored word of a later one, so that a list opens whatever its
/// rows contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnWord<T> {
    /// A value of this version.
    Known(T),
    /// A word that this version does not know.
    Unknown(String),
}

impl<T: KeywordEnum> ColumnWord<T> {
    /// Parses a stored word.
    pub fn from_column(word: String) -> Self {
        T::from_word(&word).map_or(Self::Unknown(word), Self::Known)
    }

    /// The stored word.
    pub fn word(&self) -> &str {
        match self {
            Self::Known(value) => value.word(),
            Self::Unknown(word) => word,
        }
    }

    /// The value, unless this version does not know it.
    pub fn known(&self) -> Option<T> {
        match self {
            Self::Known(value) => Some(*value),
            Self::Unknown(_) => None,
        }
    }
}

impl<T> From<T> for ColumnWord<T> {
    fn from(value: T) -> Self {
        Self::Known(value)
    }
}

impl<T: PartialEq> PartialEq<T> for ColumnWord<T> {
    fn eq(&self, other: &T) -> bool {
        matches!(self, Self::Known(value) if value == other)
    }
}
