//! Whose instructions, and where they came from.

use entracte_domain::id::{AutomationId, SessionId};
use serde::{Deserialize, Serialize};

use crate::instructions as domain;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum InstructionsScope {
    Workspace,
    Automation(String),
    Session(String),
}

impl From<&domain::Scope> for InstructionsScope {
    fn from(scope: &domain::Scope) -> Self {
        match scope {
            domain::Scope::Workspace => Self::Workspace,
            domain::Scope::Automation(id) => Self::Automation(id.as_str().to_owned()),
            domain::Scope::Session(id) => Self::Session(id.as_str().to_owned()),
        }
    }
}

impl From<InstructionsScope> for domain::Scope {
    fn from(scope: InstructionsScope) -> Self {
        match scope {
            InstructionsScope::Workspace => Self::Workspace,
            InstructionsScope::Automation(id) => Self::Automation(AutomationId::new(id)),
            InstructionsScope::Session(id) => Self::Session(SessionId::new(id)),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum InstructionsSource {
    Written,
    File(String),
    Copy(String),
}

impl From<&domain::Source> for InstructionsSource {
    fn from(source: &domain::Source) -> Self {
        match source {
            domain::Source::Written => Self::Written,
            domain::Source::File(name) => Self::File(name.clone()),
            domain::Source::Copy(session) => Self::Copy(session.as_str().to_owned()),
        }
    }
}

impl From<InstructionsSource> for domain::Source {
    fn from(source: InstructionsSource) -> Self {
        match source {
            InstructionsSource::Written => Self::Written,
            InstructionsSource::File(name) => Self::File(name),
            InstructionsSource::Copy(session) => Self::Copy(SessionId::new(session)),
        }
    }
}
