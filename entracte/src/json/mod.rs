//! The objects that `--json` prints: shapes of the HTTP API under a versioned name, and what only commands print.

mod cost;
mod inbox;
mod slot_queue;
mod turn;

pub(crate) use cost::{CostRebuildObject, csv_header, csv_row};
pub(crate) use inbox::{FilteredDecisionObject, LeftItem, LeftItemReason, SeenItemsObject, UndecidedItem};
pub(crate) use slot_queue::OpenChatObject;
pub(crate) use turn::{CallProgressObject, ReasoningDeltaObject, ReplyDeltaObject};

use entracte_adapters_http::shapes::entry::EntryShape;
use entracte_application::codec::CodecError;
use entracte_application::journal::JournalEntry;
use serde::Serialize;

/// The name of a session.
pub(crate) const SESSION_SCHEMA: &str = "entracte.session/2";
/// The name of a turn.
pub(crate) const TURN_SCHEMA: &str = "entracte.turn/2";
/// The name of an entry of a journal.
pub(crate) const ENTRY_SCHEMA: &str = "entracte.entry/2";

/// A shape of the HTTP API, with the name and version of what `--json` prints.
#[derive(Serialize)]
pub(crate) struct VersionedShape<T> {
    schema: &'static str,
    #[serde(flatten)]
    body: T,
}

impl<T> VersionedShape<T> {
    /// The shape under this schema.
    pub(crate) fn new(schema: &'static str, body: T) -> Self {
        Self { schema, body }
    }
}

/// An entry under its schema.
pub(crate) fn entry_object(entry: &JournalEntry) -> Result<VersionedShape<EntryShape>, CodecError> {
    Ok(VersionedShape::new(ENTRY_SCHEMA, EntryShape::new(entry)?))
}
