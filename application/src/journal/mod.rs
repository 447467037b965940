//! What the log of a workspace tells: entries of its sessions, occurrences of its automations, what is left of
//! sessions that were deleted, and a session as all of it leaves it.

mod deletion;
mod entry;
mod occurrence;
mod replay;
mod snapshot;

pub use deletion::{SessionDeletion, UnfinishedCall};
pub use entry::JournalEntry;
pub use occurrence::{Occurrence, OccurrenceOutcome};
pub use replay::{referenced_rules, replay_entries};
pub use snapshot::Snapshot;
