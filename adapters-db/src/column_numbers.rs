//! Conversion between Entracte's unsigned numbers and the signed 64-bit columns. Never guesses: a number that does not
//! fit is refused when written and reported as damage when read.

use crate::db_error::DbError;

/// Converts a number for a column.
pub(crate) fn to_column(number: u64) -> Result<i64, DbError> {
    i64::try_from(number).map_err(|_| DbError::Refused(format!("{number} is larger than a column can hold")))
}

/// Converts a column's number; `place` is the table, key and column for the error.
pub(crate) fn from_column<T: TryFrom<i64>>(
    number: i64,
    place: impl FnOnce() -> String,
) -> Result<T, DbError> {
    T::try_from(number).map_err(|_| DbError::Damaged(format!("{}: {number} is not a valid value", place())))
}
