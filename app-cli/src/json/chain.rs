//! The way from a session that a person began to the agent that asks.

use entracte_application::use_cases::ChainStep;
use serde::Serialize;

/// One session on the way.
#[derive(Serialize)]
pub(crate) struct ChainObject {
    session: String,
    name: String,
    /// The agent that it is; null for the session where the tree begins.
    agent: Option<String>,
    /// What the agent was called for.
    mission: Option<String>,
}

impl ChainObject {
    /// All steps, the session of the person first.
    pub(crate) fn all(chain: &[ChainStep]) -> Vec<Self> {
        chain.iter().map(Self::from).collect()
    }
}

impl From<&ChainStep> for ChainObject {
    fn from(ChainStep { session, name, agent, mission }: &ChainStep) -> Self {
        Self {
            session: session.to_string(),
            name: name.clone(),
            agent: agent.clone(),
            mission: mission.clone(),
        }
    }
}
