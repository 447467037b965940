//! The compact encoding of entries, calls and snapshots, which every round writes. It serialises the same serde shapes
//! as JSON in fewer bytes and with less work: field names and built-in words are numbers (`word_table`), hashes are 32
//! bytes, nothing is escaped.
//!
//! A value begins with a byte for its type (`tag`), so like JSON it can be read without knowing its shape. Text of
//! people and models is stored unchanged; the word table never contains any of it.
//!
//! The encoding does not decide what is stored; shapes do.

mod error;
mod read;
mod tag;
#[cfg(test)]
mod tests;
mod word_table;
mod write;

/// The name of the newtype for a hash that recurs in many objects.
pub(super) const RECURRING: &str = "recurring hash";

pub(super) use error::CompactError;
pub(super) use read::from_slice;
pub(super) use write::to_vec;
