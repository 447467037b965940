//! Numbers between the house (unsigned) and the database (signed, 64 bits). Never guesses: a number that does
//! not fit is refused on the way in and called damage on the way out.

use crate::fault::Fault;

/// For a column.
pub(crate) fn to_column(number: u64) -> Result<i64, Fault> {
    i64::try_from(number).map_err(|_| Fault::Refused(format!("{number} is more than a column can hold")))
}

/// From a column; `place` says table, key and column.
pub(crate) fn from_column<T: TryFrom<i64>>(number: i64, place: impl FnOnce() -> String) -> Result<T, Fault> {
    T::try_from(number).map_err(|_| Fault::Damaged(format!("{}: {number} cannot be", place())))
}
