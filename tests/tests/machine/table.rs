//! The table of transitions: given a session, when an act happens, then items are appended and the session is in a
//! phase. One file per chapter of the specification.
#![expect(clippy::expect_used, reason = "a table whose rows cannot be built has to stop")]

mod call_order;
mod failures;
mod ignored;
mod ledger;
mod limits;
mod messages;
mod pairs;
mod plans;
mod policy;
mod restart;
mod results;
mod rounds;
mod validation;

use entracte_tests::machine::{MachineAct, MachineRun};

/// Given a session, when this act happens, then this is appended and the session is in this phase.
#[track_caller]
fn check(given: MachineRun, act: impl Into<MachineAct>, expected: &str) {
    let after = given.after_act(act);
    assert_eq!(after.show(), expected);
}
