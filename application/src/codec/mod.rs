//! Stored shapes of the domain: bytes on one side, domain types on the other.
//!
//! The domain has no serde; every stored type has a shape of its own in `v1`, declared there once, so the
//! domain may change its types without changing what is stored. Shapes are JSON: readable with the tools of any
//! database, compact, fields in a fixed order, defaults left out. Each stored object says its version in `v`.
//!
//! To change a stored shape: leave `v1` as it is, add `v2` with the shapes that differ, let `v1` convert to the
//! present domain types (that is its upcaster), write `v2`, and add fixtures. The fixtures of `v1` must decode
//! for ever.
//!
//! Nothing here reads a clock, draws a number or knows of a database.

mod automation;
mod call;
mod deletion;
mod entry;
mod error;
mod mail;
mod snapshot;
mod target;
mod task;
mod v1;
mod version;
mod workspace;

pub use automation::{decode_automation, decode_occurrence, encode_automation, encode_occurrence};
pub use call::{decode_call, encode_call};
pub use deletion::{decode_deletion, encode_deletion};
pub use entry::{decode_entry, encode_entry};
pub use error::CodecError;
pub use mail::{decode_mail, decode_mail_answer, encode_mail, encode_mail_answer};
pub use snapshot::{decode_rules, decode_snapshot, encode_rules, encode_snapshot};
pub use target::{decode_target, encode_target};
pub use task::{decode_task, encode_task};
pub use workspace::WorkspaceBody;

#[cfg(test)]
pub(crate) mod tests;
