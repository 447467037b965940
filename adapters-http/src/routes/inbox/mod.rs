//! What waits for a person.

pub(crate) mod list;
pub(crate) mod seen;

use entracte_application::use_cases::ReadDisabledItems;

use crate::house::ServerState;

/// Reads what is off because it does not fit.
fn switched_off(house: &ServerState) -> ReadDisabledItems {
    let ports = &house.ports;
    let (outbox, store, sender) = (ports.outbox.clone(), ports.store.clone(), ports.sender.clone());
    ReadDisabledItems::new(outbox, store, sender, ports.person_secrets.clone(), ports.clock.clone())
}
