//! Routes of the inbox.

pub(crate) mod list;
pub(crate) mod mark_seen;
mod search;

use entracte_application::use_cases::ReadDisabledItems;

use crate::server_state::ServerState;

/// The reader of items that are disabled because they do not fit this server.
fn switched_off(state: &ServerState) -> ReadDisabledItems {
    let ports = &state.ports;
    let (outbox, store, sender) = (ports.outbox.clone(), ports.store.clone(), ports.sender.clone());
    ReadDisabledItems::new(outbox, store, sender, ports.person_secrets.clone(), ports.clock.clone())
}
