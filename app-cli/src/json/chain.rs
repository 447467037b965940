//! The way from a session that a person began to the agent that asks.

use entracte_application::use_cases::DelegationStep;
use serde::Serialize;

/// One session on the way.
#[derive(Serialize)]
pub(crate) struct SessionChainObject {
    session: String,
    name: String,
    /// The agent that it is; null for the session where the tree begins.
    agent: Option<String>,
    /// What the agent was called for.
    mission: Option<String>,
}

impl SessionChainObject {
    /// All steps, the session of the person first.
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
