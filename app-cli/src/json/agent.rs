//! JSON objects for agents.

use entracte_application::agents::AgentDeclaration;
use entracte_application::use_cases::AgentTreeNode;
use entracte_domain::id::Digest;
use serde::Serialize;
use serde_json::Value;

use super::turn::TokenUsageObject;

/// `entracte.agents/1`: agents.
#[derive(Serialize)]
pub(crate) struct AgentsObject {
    schema: &'static str,
    /// The configured agents; empty if a session was named.
    declared: Vec<DeclaredAgentObject>,
    /// The agents below the named session, each before its own agents.
    agents: Vec<AgentObject>,
}

/// `entracte.agent/1`: a configured agent.
#[derive(Serialize)]
pub(crate) struct DeclaredAgentObject {
    schema: &'static str,
    name: String,
    version: Option<String>,
    /// The declaration as configured, with the resolved provider and model if it names any.
    declaration: Value,
}

/// An agent below a session.
#[derive(Serialize)]
pub(crate) struct AgentObject {
    session: String,
    agent: String,
    from: String,
    call: String,
    depth: usize,
    mission: String,
    phase: &'static str,
    standing: &'static str,
    status: Option<&'static str>,
    end_reason: Option<&'static str>,
    rounds: u32,
    usage: TokenUsageObject,
}

impl AgentsObject {
    /// The configured agents.
    pub(crate) fn declared(agents: &[AgentDeclaration]) -> Self {
        let declared = agents.iter().map(|agent| DeclaredAgentObject::single(agent, None)).collect();
        Self { schema: "entracte.agents/1", declared, agents: Vec::new() }
    }

    /// The agents below a session.
    pub(crate) fn below(nodes: &[AgentTreeNode]) -> Self {
        let agents = nodes.iter().map(AgentObject::of).collect();
        Self { schema: "entracte.agents/1", declared: Vec::new(), agents }
    }
}

impl DeclaredAgentObject {
    /// A single configured agent.
    pub(crate) fn single(agent: &AgentDeclaration, version: Option<&Digest>) -> Self {
        Self {
            schema: "entracte.agent/1",
            name: agent.name.clone(),
            version: version.map(ToString::to_string),
            declaration: agent.version_input(),
        }
    }
}

impl AgentObject {
    /// An agent of a session tree.
    pub(crate) fn of(node: &AgentTreeNode) -> Self {
        Self {
            session: node.session.to_string(),
            agent: node.agent.clone(),
            from: node.from.to_string(),
            call: node.call.to_string(),
            depth: node.depth,
            mission: node.mission.clone(),
            phase: node.phase.word(),
            standing: node.standing.word(),
            status: node.status.map(|status| status.word()),
            end_reason: node.end_reason.map(|reason| reason.word()),
            rounds: node.rounds,
            usage: TokenUsageObject::from(node.usage),
        }
    }
}
