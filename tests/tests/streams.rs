//! One durable cursor: what readers are told, whatever cuts them off, over the real application.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

#[path = "streams/resuming.rs"]
mod resuming;
#[path = "streams/scene.rs"]
mod scene;
#[path = "streams/words.rs"]
mod words;
