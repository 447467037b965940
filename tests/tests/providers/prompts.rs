//! Complete prompts, end to end: requests rebuilt from committed rows, and data that is always sent.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says where")]

pub(crate) mod billing;
pub(crate) mod budget;
pub(crate) mod data;
pub(crate) mod fallback;
pub(crate) mod files;
pub(crate) mod fixture;
pub(crate) mod instructions;
pub(crate) mod rebuilding;
pub(crate) mod recording_model;
pub(crate) mod token_spending_model;
pub(crate) mod wire;
