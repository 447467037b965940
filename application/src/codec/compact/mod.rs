//! The compact form of what every round leaves behind: entries, calls, snapshots. The same shapes as in JSON, for
//! serde, in fewer bytes and with less work: names and words of ours are numbers (`words`), hashes are 32 bytes,
//! nothing is escaped.
//!
//! A value begins with one byte that says what it is (`tag`), so it is read without knowing its shape, as JSON is. What a
//! person or a model said stands in it as it is: no text of theirs is ever in a table of words.
//!
//! It never decides what is stored; shapes do.

mod error;
mod read;
mod tag;
#[cfg(test)]
mod tests;
mod word_table;
mod write;

/// The name of a newtype that holds a hash which recurs from one object to the next.
pub(super) const RECURRING: &str = "recurring hash";

pub(super) use error::CompactError;
pub(super) use read::from_slice;
pub(super) use write::to_vec;
