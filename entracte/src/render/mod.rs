//! Pure rendering: values in, lines out. It reads no clock, terminal or database.

pub(crate) mod agent;
pub(crate) mod approval;
pub(crate) mod automation;
pub(crate) mod chain;
pub(crate) mod details;
pub(crate) mod dry_run;
pub(crate) mod entry;
pub(crate) mod file;
pub(crate) mod inbox;
pub(crate) mod listing;
pub(crate) mod markdown;
pub(crate) mod messages;
pub(crate) mod owner;
pub(crate) mod picture;
pub(crate) mod plan;
pub(crate) mod progress;
pub(crate) mod qr;
pub(crate) mod rule;
pub(crate) mod session_sheet;
pub(crate) mod slot_place;
pub(crate) mod standing;
pub(crate) mod stored_words;
pub(crate) mod streaming_reply;
pub(crate) mod task;
#[cfg(test)]
mod tests;
pub(crate) mod text;
pub(crate) mod time;
pub(crate) mod transcript;
pub(crate) mod wrap;
