//! Routes of automations.

pub(crate) mod all_occurrences;
pub(crate) mod change;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod dry_run;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod next;
pub(crate) mod occurrences;
pub(crate) mod preview;
pub(crate) mod run;

use entracte_application::terminal_text::one_line;
use entracte_application::texts::saying;
use entracte_application::use_cases::{FindAutomation, ShowAutomation};
use entracte_domain::automation::Automation;
use entracte_domain::id::WorkspaceKey;

use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;
use crate::shapes::automation::{AutomationShape, SeedShape};

fn no_automation(id: &str) -> Problem {
    let text = saying!("refusal-no-automation", automation = one_line(id));
    Problem::new(ProblemCode::NotFound, text)
}

/// Finds the automation of exactly this id.
async fn automation(state: &ServerState, workspace: &WorkspaceKey, id: &str) -> Result<Automation, Problem> {
    let find = FindAutomation::new(state.ports.store.clone(), state.ports.automations.clone());
    let found = find.run(workspace, id).await?;
    if found.id.as_str() == id { Ok(found) } else { Err(no_automation(id)) }
}

/// Reads an automation with the message its runs begin with.
async fn automation_details(
    state: &ServerState,
    workspace: &WorkspaceKey,
    automation: Automation,
) -> Result<AutomationShape, Problem> {
    let ports = &state.ports;
    let show = ShowAutomation::new(ports.store.clone(), ports.log.clone(), ports.automations.clone());
    let sheet = show.run(workspace, automation).await?;
    Ok(AutomationShape { begins: Some(SeedShape::from(&sheet.seed)), ..AutomationShape::from(&sheet.view) })
}
