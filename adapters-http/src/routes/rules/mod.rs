//! Routes of standing approvals and refusals.

pub(crate) mod add;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod revoke;

use entracte_application::terminal_text::one_line;
use entracte_application::texts::saying;
use entracte_application::use_cases::ReadApprovalRules;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::validation::StandingApprovalRule;

use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;

fn rules(state: &ServerState) -> ReadApprovalRules {
    let ports = &state.ports;
    ReadApprovalRules::new(ports.store.clone(), ports.log.clone(), ports.clock.clone())
}

/// Finds the rule of exactly this id.
async fn rule(
    state: &ServerState,
    workspace: &WorkspaceKey,
    id: &str,
) -> Result<StandingApprovalRule, Problem> {
    let all = rules(state).run(workspace, true).await?;
    all.into_iter()
        .find(|rule| rule.id == id)
        .ok_or_else(|| Problem::new(ProblemCode::NotFound, saying!("refusal-no-rule", rule = one_line(id))))
}
