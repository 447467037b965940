//! Agents: what they are, what they may do, what they report.

use entracte_domain::agent as domain;
use entracte_domain::agent::{LastCallResult, MissionStatus};
use entracte_domain::id::SessionId;
use entracte_domain::rights::{self, DelegatedRights};
use entracte_domain::validation;
use serde::{Deserialize, Serialize};

use super::approval::AskedBy;
use super::leaf::{Due, Hash, JsonText, Raw, Usage};
use super::rights::{Budget, Limits, Rights};
use super::shape::{by_hand, shape};
use super::words::Word;
use super::{domains, is_default, shapes};

/// The session that called, the agent, its version, the hash of its mission.
#[derive(Debug, Serialize, Deserialize)]
struct Link(String, String, Hash, Hash);

impl From<&validation::AgentLink> for Link {
    fn from(link: &validation::AgentLink) -> Self {
        let validation::AgentLink { from, agent, version, mission } = link;
        Self(from.as_str().to_owned(), agent.clone(), version.into(), mission.into())
    }
}

impl From<Link> for validation::AgentLink {
    fn from(Link(from, agent, version, mission): Link) -> Self {
        Self { from: SessionId::new(from), agent, version: version.into(), mission: mission.into() }
    }
}

/// What a session of an agent is made with.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AgentStart {
    name: String,
    version: Hash,
    mission: String,
    from: String,
    root: String,
    chain: Vec<Link>,
    rights: Rights,
    #[serde(default, skip_serializing_if = "is_default")]
    limits: Limits,
    #[serde(default, skip_serializing_if = "is_default")]
    asked_by: AskedBy,
}

by_hand!(AgentStart = domain::AgentStart, Agent = domain::Agent, Last = domain::AgentLastState);

impl From<&domain::AgentStart> for AgentStart {
    fn from(start: &domain::AgentStart) -> Self {
        let domain::AgentStart { name, version, mission, from, root, chain, rights, limits, asked_by } =
            start;
        Self {
            name: name.clone(),
            version: version.into(),
            mission: mission.clone(),
            from: from.as_str().to_owned(),
            root: root.as_str().to_owned(),
            chain: shapes(chain),
            rights: rights.rights().into(),
            limits: limits.into(),
            asked_by: asked_by.into(),
        }
    }
}

impl From<AgentStart> for domain::AgentStart {
    fn from(start: AgentStart) -> Self {
        Self {
            name: start.name,
            version: start.version.into(),
            mission: start.mission,
            from: SessionId::new(start.from),
            root: SessionId::new(start.root),
            chain: domains(start.chain),
            rights: DelegatedRights::read_back(start.rights.into()),
            limits: start.limits.into(),
            asked_by: start.asked_by.into(),
        }
    }
}

/// What a session is as an agent.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Agent {
    name: String,
    version: Hash,
    mission: String,
    from: String,
    root: String,
    chain: Vec<Link>,
    rights: Rights,
    #[serde(default, skip_serializing_if = "is_default")]
    limits: Limits,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    said: Option<Said>,
    #[serde(default, rename = "rests", skip_serializing_if = "Option::is_none")]
    rests_until: Option<Due>,
    #[serde(default, skip_serializing_if = "is_default")]
    last: Last,
}

impl From<&domain::Agent> for Agent {
    fn from(agent: &domain::Agent) -> Self {
        let domain::Agent {
            name,
            version,
            mission,
            from,
            root,
            chain,
            rights,
            limits,
            said,
            rests_until,
            last,
        } = agent;
        Self {
            name: name.clone(),
            version: version.into(),
            mission: mission.clone(),
            from: from.as_str().to_owned(),
            root: root.as_str().to_owned(),
            chain: shapes(chain),
            rights: rights.into(),
            limits: limits.into(),
            said: said.as_ref().map(Into::into),
            rests_until: rests_until.as_ref().map(Into::into),
            last: last.into(),
        }
    }
}

impl From<Agent> for domain::Agent {
    fn from(agent: Agent) -> Self {
        Self {
            name: agent.name,
            version: agent.version.into(),
            mission: agent.mission,
            from: SessionId::new(agent.from),
            root: SessionId::new(agent.root),
            chain: domains(agent.chain),
            rights: rights::Rights::read_back(agent.rights.into()),
            limits: agent.limits.into(),
            said: agent.said.map(Into::into),
            rests_until: agent.rests_until.map(Into::into),
            last: agent.last.into(),
        }
    }
}

shape! {
    #[serde(rename_all = "snake_case")]
    enum Said = domain::AgentOutput {
        Asks(question: String),
        Exits(exit: Exit),
        Nothing,
    }
}

shape! {
    pub(super) struct Exit = domain::MissionExit {
        reason: String,
        result: Raw,
        conclusion: String,
    }
}

shape! {
    /// A question, to whoever called it or to the user.
    pub(super) struct AskPrincipal = domain::PrincipalQuestion {
        question: String,
        #[serde(default, skip_serializing_if = "is_default")]
        user: bool,
    }
}

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Last {
    #[serde(default, skip_serializing_if = "is_default")]
    said: String,
    /// Command, status, content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    results: Vec<(String, String, JsonText)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    open: Vec<String>,
}

impl From<&domain::AgentLastState> for Last {
    fn from(last: &domain::AgentLastState) -> Self {
        let domain::AgentLastState { said, results, open } = last;
        let result = |LastCallResult { command, status, content }: &LastCallResult| {
            (command.clone(), status.clone(), content.into())
        };
        Self { said: said.clone(), results: results.iter().map(result).collect(), open: open.clone() }
    }
}

impl From<Last> for domain::AgentLastState {
    fn from(last: Last) -> Self {
        let result = |(command, status, content): (String, String, JsonText)| LastCallResult {
            command,
            status,
            content: content.0,
        };
        Self { said: last.said, results: last.results.into_iter().map(result).collect(), open: last.open }
    }
}

shape! {
    /// A child of a session.
    pub(super) struct Child = domain::ChildSession {
        session: String,
        agent: String,
        call: String,
        lent: Budget,
        #[serde(default, skip_serializing_if = "is_default")]
        usage: Usage,
        #[serde(default, skip_serializing_if = "is_default")]
        rests: bool,
    }
}

shape! {
    /// What agents used that have ended.
    #[derive(Clone, Copy, Default, PartialEq, Eq)]
    pub(super) struct Below = domain::DescendantUsage {
        #[serde(default, skip_serializing_if = "is_default")]
        usage: Usage,
        #[serde(default, skip_serializing_if = "is_default")]
        spent: Budget,
    }
}

shape! {
    /// What an agent tells whoever called it.
    pub(super) struct Report = domain::AgentReport {
        status: Word<MissionStatus>,
        agent: String,
        child: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        question: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit: Option<Exit>,
        #[serde(default, skip_serializing_if = "is_default")]
        last: Last,
        rounds: u32,
        #[serde(default, skip_serializing_if = "is_default")]
        usage: Usage,
        spent: Budget,
    }
}
