//! Routes of the logins of terminals.

pub(crate) mod claim;
pub(crate) mod decide;
pub(crate) mod get;
pub(crate) mod login_link;
pub(crate) mod open;

use std::net::IpAddr;

use entracte_application::texts::saying;

use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;

/// The problem for a code that no terminal waits with, counted like a failed login: it may be a guess.
fn unknown_code_problem(state: &ServerState, client: IpAddr) -> Problem {
    let text = saying!("refusal-no-terminal");
    state.count_failure(client, Problem::new(ProblemCode::NotFound, text))
}
