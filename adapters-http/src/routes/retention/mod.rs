//! Routes of retention.

pub(crate) mod get;
pub(crate) mod hold;
pub(crate) mod preview;
pub(crate) mod release;
pub(crate) mod run;

use entracte_application::instructions::InstructionScope;
use entracte_application::use_cases::{ReadRetention, RunRetention};
use entracte_domain::id::{AutomationId, SessionId};

use crate::authentication::WorkspacePrincipal;
use crate::server_state::ServerState;

/// What a path names: the workspace, an automation or a session.
fn held_scope(held: &str) -> InstructionScope {
    match held {
        "workspace" => InstructionScope::Workspace,
        id if id.starts_with("aut_") => InstructionScope::Automation(AutomationId::new(id)),
        id => InstructionScope::Session(SessionId::new(id)),
    }
}

fn read_retention(state: &ServerState) -> ReadRetention {
    let ports = &state.ports;
    ReadRetention::new(ports.store.clone(), ports.log.clone(), state.terms.runtime.retention.clone())
}

fn run_retention_of(state: &ServerState, caller: &WorkspacePrincipal) -> RunRetention {
    let ports = &state.ports;
    let settings = state.terms.runtime.retention.clone();
    let sender = caller.mail_sender_without_key(state);
    let (store, log) = (ports.store.clone(), ports.log.clone());
    let knowledge = Some(ports.knowledge.clone());
    RunRetention::new(store, log, sender, ports.clock.clone(), settings, knowledge)
}
