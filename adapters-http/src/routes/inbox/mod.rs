//! Routes of the inbox.

pub(crate) mod assign;
mod contents;
mod item_facts;
pub(crate) mod list;
pub(crate) mod mark_seen;
mod search;
pub(crate) mod snooze;
pub(crate) mod wake;

use entracte_application::use_cases::{InboxTriage, ReadDisabledItems, ReadInboxTriage};

use crate::authentication::WorkspacePrincipal;
use crate::problem::Problem;
use crate::server_state::ServerState;
use crate::shapes::triage::{ItemTriageShape, TriagedItemShape, TriagedItemsShape};

/// The caller, in place of the name of a person.
const ME: &str = "me";

/// The reader of items that are disabled because they do not fit this server.
fn switched_off(state: &ServerState) -> ReadDisabledItems {
    let ports = &state.ports;
    let (outbox, store, sender) = (ports.outbox.clone(), ports.store.clone(), ports.sender.clone());
    ReadDisabledItems::new(outbox, store, sender, ports.person_secrets.clone(), ports.clock.clone())
}

/// What people noted about the items of the inbox, as it is for the caller.
async fn read_triage(state: &ServerState, caller: &WorkspacePrincipal) -> Result<InboxTriage, Problem> {
    let read = ReadInboxTriage::new(state.ports.log.clone(), state.ports.clock.clone());
    Ok(read.run(caller.workspace(), caller.author()).await?)
}

/// What is noted about these items now.
async fn read_triaged_items(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    ids: Vec<String>,
) -> Result<TriagedItemsShape, Problem> {
    let triage = read_triage(state, caller).await?;
    let item = |id: String| TriagedItemShape { triage: ItemTriageShape::of_id(&triage, &id), id };
    Ok(TriagedItemsShape { items: ids.into_iter().map(item).collect() })
}
