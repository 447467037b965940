//! What waits for a person.

pub(crate) mod list;
pub(crate) mod mark_seen;

use entracte_application::use_cases::ReadDisabledItems;

use crate::server_state::ServerState;

/// Reads what is off because it does not fit.
fn switched_off(house: &ServerState) -> ReadDisabledItems {
    let ports = &house.ports;
    let (outbox, store, sender) = (ports.outbox.clone(), ports.store.clone(), ports.sender.clone());
    ReadDisabledItems::new(outbox, store, sender, ports.person_secrets.clone(), ports.clock.clone())
}
