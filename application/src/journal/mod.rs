//! The content of a workspace's log: entries of sessions, occurrences of automations, records of deleted sessions, and
//! the session snapshots that result.

mod conversation;
mod deletion;
mod entry;
mod files;
mod occurrence;
mod replay;
mod snapshot;

pub use conversation::ConversationMessage;
pub use deletion::{SessionDeletion, UnfinishedCall};
pub use entry::JournalEntry;
pub(crate) use files::{brought_files, result_files};
pub use occurrence::{AwaitedAct, Occurrence, OccurrenceOutcome};
pub use replay::{referenced_rules, replay_entries};
pub use snapshot::Snapshot;
