//! Routes of instructions, which models of a workspace, of an automation's runs, or of a session read first.

pub(crate) mod change;
pub(crate) mod clear;
pub(crate) mod get;
pub(crate) mod versions;

use entracte_application::instructions::InstructionScope;
use entracte_application::use_cases::ReadInstructions;
use entracte_domain::id::{AutomationId, WorkspaceKey};

use crate::problem::Problem;
use crate::routes::path_params::AutomationPath;
use crate::server_state::ServerState;
use crate::shapes::instructions::InstructionsShape;

fn reader(state: &ServerState) -> ReadInstructions {
    let ports = &state.ports;
    ReadInstructions::new(ports.store.clone(), ports.log.clone(), ports.automations.clone())
}

/// The current instructions of a scope.
async fn shape(
    state: &ServerState,
    workspace: &WorkspaceKey,
    scope: &InstructionScope,
) -> Result<InstructionsShape, Problem> {
    let latest = reader(state).run(workspace, scope).await?;
    Ok(InstructionsShape::new(scope, latest.as_ref()))
}

fn of_automation(path: &AutomationPath) -> InstructionScope {
    InstructionScope::Automation(AutomationId::new(path.a.clone()))
}
