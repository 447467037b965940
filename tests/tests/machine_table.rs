//! The table of moves, read as: given this, when that happens, then this is said and the session stands here.
//! One file per chapter of the specification.
#![expect(clippy::expect_used, reason = "a table whose rows cannot be built has to stop")]

#[path = "machine_table/failures.rs"]
mod failures;
#[path = "machine_table/ledger.rs"]
mod ledger;
#[path = "machine_table/limits.rs"]
mod limits;
#[path = "machine_table/messages.rs"]
mod messages;
#[path = "machine_table/pairs.rs"]
mod pairs;
#[path = "machine_table/plans.rs"]
mod plans;
#[path = "machine_table/restart.rs"]
mod restart;
#[path = "machine_table/results.rs"]
mod results;
#[path = "machine_table/rounds.rs"]
mod rounds;
#[path = "machine_table/validation.rs"]
mod validation;

use entracte_tests::machine::{Act, Run};

/// Given a session, when this happens, then this is appended and the session stands here.
#[track_caller]
fn check(given: Run, act: impl Into<Act>, expected: &str) {
    let after = given.then(act);
    assert_eq!(after.show(), expected);
}
