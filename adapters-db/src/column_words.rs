//! Parses the words in columns. A word that is not one of its type is reported as damage when read.

use entracte_domain::keyword_enum::KeywordEnum;

use crate::db_error::DbError;

/// Parses a column's word; `place` is the table, key and column for the error.
pub(crate) fn from_word_column<T: KeywordEnum>(
    word: &str,
    place: impl FnOnce() -> String,
) -> Result<T, DbError> {
    T::from_word(word).ok_or_else(|| not_a_word(word, T::NAME, place))
}

/// The error for a word that is not one of `kind`.
pub(crate) fn not_a_word(word: &str, kind: &str, place: impl FnOnce() -> String) -> DbError {
    DbError::Damaged(format!("{}: “{word}” is not a valid {kind}", place()))
}
