//! One durable cursor: what readers are told, whatever cuts them off, over the real application.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

mod fixture;
mod resuming;
mod streamed_text;
