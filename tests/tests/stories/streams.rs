//! One durable cursor: the frames of readers across any interruption, on the real application.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

mod call_progress;
mod fixture;
mod resuming;
mod streamed_text;
