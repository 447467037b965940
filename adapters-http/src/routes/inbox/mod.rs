//! What waits for a person.

pub(crate) mod list;
pub(crate) mod seen;

use entracte_application::use_cases::ReadSwitchedOff;

use crate::house::House;

/// Reads what is off because it does not fit.
fn switched_off(house: &House) -> ReadSwitchedOff {
    let ports = &house.ports;
    let (outbox, store, sender) = (ports.outbox.clone(), ports.store.clone(), ports.sender.clone());
    ReadSwitchedOff::new(outbox, store, sender, ports.person_secrets.clone(), ports.clock.clone())
}
