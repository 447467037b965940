//! One durable cursor: the frames of readers across any interruption, on the real application.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

mod fixture;
mod resuming;
mod streamed_text;
