//! Shapes of agents, and of their delegation chains.

use std::borrow::Cow;

use entracte_application::use_cases::{AgentTreeNode, DelegationStep};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::cost::UsageShape;

/// One session on the way from a person to an agent.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ChainShape {
    /// The session.
    pub session: String,
    /// Its name.
    pub name: String,
    /// The agent that it is; null for the session where the tree begins.
    pub agent: Option<String>,
    /// What the agent was called for, as a model wrote it: data.
    pub mission: Option<String>,
}

/// The shape of a delegation chain.
pub fn chain(steps: &[DelegationStep]) -> Vec<ChainShape> {
    let shape = |DelegationStep { session, name, agent, mission }: &DelegationStep| ChainShape {
        session: session.to_string(),
        name: name.clone(),
        agent: agent.clone(),
        mission: mission.clone(),
    };
    steps.iter().map(shape).collect()
}

/// An agent that the configuration declares.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DeclaredAgentShape {
    /// Its name: models call it as `agents.NAME`.
    pub name: String,
    /// Changes with everything that is declared; null where the command is not in use.
    pub version: Option<String>,
    /// As the configuration has it, with who speaks for it where it says so.
    #[schema(value_type = Object)]
    pub declaration: Value,
    /// What it reads first, each part under its title.
    #[serde(default)]
    pub instructions: String,
    /// Its command patterns that match no command in use.
    #[serde(default)]
    pub unmatched: Vec<String>,
}

/// The agents below a session, each before those below it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AgentsShape {
    /// The agents, in that order.
    pub agents: Vec<AgentShape>,
}

/// An agent below a session.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AgentShape {
    /// Its session.
    pub session: String,
    /// The name of its declaration.
    pub agent: String,
    /// The session that called it.
    pub from: String,
    /// The call that made it.
    pub call: String,
    /// How many levels below the session it is, from 1.
    pub depth: usize,
    /// What it was called for.
    pub mission: String,
    /// Where it stands.
    pub phase: Cow<'static, str>,
    /// Whether it may work.
    pub standing: Cow<'static, str>,
    /// What it told who called it last; null while it works, or waits for a person.
    pub status: Option<Cow<'static, str>>,
    /// Why it ended; null while it has not.
    pub end_reason: Option<Cow<'static, str>>,
    /// The rounds that it made itself.
    pub rounds: u32,
    /// Tokens and cost, of itself and of all below it.
    pub usage: UsageShape,
}

impl From<&AgentTreeNode> for AgentShape {
    fn from(node: &AgentTreeNode) -> Self {
        Self {
            session: node.session.to_string(),
            agent: node.agent.clone(),
            from: node.from.to_string(),
            call: node.call.to_string(),
            depth: node.depth,
            mission: node.mission.clone(),
            phase: node.phase.word().into(),
            standing: node.standing.word().into(),
            status: node.status.map(|status| status.word().into()),
            end_reason: node.end_reason.map(|reason| reason.word().into()),
            rounds: node.rounds,
            usage: UsageShape::from(node.usage),
        }
    }
}
