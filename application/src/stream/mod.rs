//! What readers of a workspace are told, from one durable cursor on: the entries of its log as they were committed, and
//! the words of its models as they come.
//!
//! Nothing here waits or reads: [`Place`] makes [`Told`] frames of rows and of words, and is where a reader stands after
//! each of them. [`ReadEvents`](crate::use_cases::ReadEvents) brings it the rows.

mod attempt;
mod cursor;
mod frame;
mod live;
mod place;

pub use attempt::{Ended, Superseded, begun, ends};
pub use cursor::{BadCursor, Cursor, Spoken, Start};
pub use frame::{Awaited, CHUNK_MAX, Channel, Frame, Level, LevelCall, Resync, Told};
pub use live::{Fresh, Listening, LiveText, Version};
pub use place::{Place, Speech};

#[cfg(test)]
mod tests;
