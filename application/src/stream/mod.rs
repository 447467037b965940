//! What readers of a workspace are told, from one durable cursor on: the entries of its log as they were committed, and
//! the words of its models as they come.
//!
//! Nothing here waits or reads: [`StreamPosition`] makes [`CursorFrame`] frames of rows and of words, and is where a reader stands after
//! each of them. [`ReadEvents`](crate::use_cases::ReadEvents) brings it the rows.

mod attempt;
mod cursor;
mod frame;
mod live_text;
mod position;

pub use attempt::{AttemptEnd, SupersessionReason, attempt_end, started_attempt};
pub use cursor::{AttemptOffset, Cursor, CursorParseError, StreamReadStart};
pub use frame::{
    CHUNK_MAX, CursorFrame, PendingInteraction, ReplyChannel, ResyncReason, SessionLevel, SessionLevelCall,
    StreamFrame,
};
pub use live_text::{LiveSubscription, LiveText, LiveTextDelta, LiveVersion};
pub use position::{AttemptPosition, StreamPosition};

#[cfg(test)]
mod tests;
