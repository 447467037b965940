//! Numbers between Entracte (unsigned) and the database (signed, 64 bits). Never guesses: a number that does
//! not fit is refused on the way in and called damage on the way out.

use crate::db_error::DbError;

/// For a column.
pub(crate) fn to_column(number: u64) -> Result<i64, DbError> {
    i64::try_from(number).map_err(|_| DbError::Refused(format!("{number} is larger than a column can hold")))
}

/// From a column; `place` says table, key and column.
pub(crate) fn from_column<T: TryFrom<i64>>(
    number: i64,
    place: impl FnOnce() -> String,
) -> Result<T, DbError> {
    T::try_from(number).map_err(|_| DbError::Damaged(format!("{}: {number} is not a valid value", place())))
}
