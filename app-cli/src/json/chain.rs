//! The chain of sessions from the one a person started to the asking agent.

use entracte_application::use_cases::DelegationStep;
use serde::Serialize;

/// One session of the chain.
#[derive(Serialize)]
pub(crate) struct SessionChainObject {
    session: String,
    name: String,
    /// The agent this session runs as; null for the root session.
    agent: Option<String>,
    /// The mission the agent was called with.
    mission: Option<String>,
}

impl SessionChainObject {
    /// The whole chain, root session first.
    pub(crate) fn all(chain: &[DelegationStep]) -> Vec<Self> {
        chain.iter().map(Self::from).collect()
    }
}

impl From<&DelegationStep> for SessionChainObject {
    fn from(DelegationStep { session, name, agent, mission }: &DelegationStep) -> Self {
        Self {
            session: session.to_string(),
            name: name.clone(),
            agent: agent.clone(),
            mission: mission.clone(),
        }
    }
}
