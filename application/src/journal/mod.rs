//! What the log of a workspace tells: entries of its sessions, occurrences of its automations, and what is left of
//! sessions that were deleted.

mod deletion;
mod entry;
mod occurrence;

pub use deletion::{Deletion, LeftOpen};
pub use entry::Entry;
pub use occurrence::{Became, Occurrence};
