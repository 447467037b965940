//! The objects that `--json` prints: shapes of the HTTP API under a versioned name, and what only commands print.

mod automation;
mod cost;
mod dry_run;
mod entry;
mod inbox;
mod prompt;
mod session;
mod slot_queue;
mod turn;

pub(crate) use automation::{AutomationHistoryObject, AutomationsObject, RunStartObject};
pub(crate) use cost::{CostRebuildObject, csv_header, csv_row};
pub(crate) use dry_run::DryRunObject;
pub(crate) use entry::EntryObject;
pub(crate) use inbox::SeenItemsObject;
pub(crate) use prompt::PromptObject;
pub(crate) use session::{SessionObject, SessionsObject, SlotSnapshot, position};
pub(crate) use slot_queue::OpenChatObject;
pub(crate) use turn::{CallProgressObject, ReasoningDeltaObject, ReplyDeltaObject, TurnObject};

use entracte_domain::id::CallId;
use serde::Serialize;

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

/// The text of an id.
fn text(id: &CallId) -> String {
    id.as_str().to_owned()
}
