//! Encoding of domain types to stored bytes, and back.
//!
//! The domain has no serde; every stored type has a shape of its own in `v1`, declared there once, so the domain may
//! change its types without changing the stored data. Entries, calls and snapshots, which every round writes, are
//! stored in a compact encoding of their shapes, and shown to people and exported as JSON; everything else is stored
//! as JSON: readable with the tools of any database, fields in a fixed order, defaults omitted. Each stored object
//! states its version (`format_version`).
//!
//! To change a stored shape: leave `v1` unchanged, add `v2` with the shapes that differ, let `v1` convert to the
//! present domain types (its upcaster), write `v2`, and add fixtures. The fixtures of `v1` must decode for ever.
//!
//! This module reads no clock, generates no random numbers and knows no database.

mod automation;
mod call;
mod compact;
mod deletion;
mod entry;
mod error;
mod format_version;
mod mail;
mod recurring_hashes;
mod snapshot;
mod target;
mod task;
mod v1;
mod workspace;

pub use automation::{decode_automation, decode_occurrence, encode_automation, encode_occurrence};
pub use call::{CallPosition, decode_call, encode_call};
pub use deletion::{decode_deletion, encode_deletion};
pub use entry::{decode_entry, encode_entry, encode_entry_as_json};
pub use error::CodecError;
pub use mail::{decode_mail, decode_mail_answer, encode_mail, encode_mail_answer};
pub use recurring_hashes::{extract_recurring_hashes, insert_recurring_hashes, recurring_hashes};
pub use snapshot::{
    are_encoded_equally, decode_rules, decode_snapshot, encode_rules, encode_snapshot,
    encode_snapshot_as_json,
};
pub use target::{decode_target, encode_target};
pub use task::{decode_task, encode_task};
pub use workspace::WorkspaceBody;

#[cfg(test)]
pub(crate) mod tests;
