//! The stream of a workspace from one durable cursor on: the entries of its log as committed, and the text of its
//! models while it streams.
//!
//! Nothing here waits or reads: [`StreamPosition`] turns rows and text into [`CursorFrame`] frames, and is the
//! reader's position after each of them. [`ReadEvents`](crate::use_cases::ReadEvents) supplies the rows.

mod attempt;
mod cursor;
mod frame;
mod live_text;
mod position;

pub use attempt::{AttemptEnd, SupersessionReason, attempt_end, started_attempt};
pub use cursor::{AttemptOffset, Cursor, CursorParseError, StreamReadStart};
pub use frame::{
    CHUNK_MAX, CursorFrame, PendingInteraction, PendingSubject, ReplyChannel, ResyncReason, SessionLevel,
    SessionLevelCall, StreamFrame,
};
pub use live_text::{LiveSubscription, LiveText, LiveTextDelta, LiveVersion, RemoteTextPiece};
pub use position::{AttemptPosition, StreamPosition};

#[cfg(test)]
mod tests;
