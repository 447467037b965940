//! Agents: their identity, rights and reports.

use entracte_domain::agent as domain;
use entracte_domain::agent::{AgentEndClass, LastCallResult, MissionStatus};
use entracte_domain::id::SessionId;
use entracte_domain::rights::{self, DelegatedRights};
use entracte_domain::validation;
use serde::{Deserialize, Serialize};

use super::approval::AskedByV1;
use super::leaf::{DueV1, HashV1, JsonTextV1, RawV1, UsageV1};
use super::rights::{BudgetV1, LimitsV1, RightsV1};
use super::shape::{by_hand, shape};
use super::speech::SpeechV1;
use super::words::WordV1;
use super::{domains, is_default, shapes};

/// The calling session, the agent, its version, the hash of its mission.
#[derive(Debug, Serialize, Deserialize)]
struct LinkV1(String, String, HashV1, HashV1);

impl From<&validation::AgentLink> for LinkV1 {
    fn from(link: &validation::AgentLink) -> Self {
        let validation::AgentLink { from, agent, version, mission } = link;
        Self(from.as_str().to_owned(), agent.clone(), version.into(), mission.into())
    }
}

impl From<LinkV1> for validation::AgentLink {
    fn from(LinkV1(from, agent, version, mission): LinkV1) -> Self {
        Self { from: SessionId::new(from), agent, version: version.into(), mission: mission.into() }
    }
}

/// The values an agent's session is created with.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AgentStartV1 {
    name: String,
    version: HashV1,
    mission: String,
    from: String,
    root: String,
    chain: Vec<LinkV1>,
    rights: RightsV1,
    #[serde(default, skip_serializing_if = "is_default")]
    limits: LimitsV1,
    #[serde(default, skip_serializing_if = "is_default")]
    asked_by: AskedByV1,
}

by_hand!(AgentStartV1 = domain::AgentStart, AgentV1 = domain::Agent, LastV1 = domain::AgentLastState);

impl From<&domain::AgentStart> for AgentStartV1 {
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

impl From<AgentStartV1> for domain::AgentStart {
    fn from(start: AgentStartV1) -> Self {
        Self {
            name: start.name,
            version: start.version.into(),
            mission: start.mission,
            from: SessionId::new(start.from),
            root: SessionId::new(start.root),
            chain: domains(start.chain),
            rights: DelegatedRights::from_stored(start.rights.into()),
            limits: start.limits.into(),
            asked_by: start.asked_by.into(),
        }
    }
}

/// The agent state of a session.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AgentV1 {
    name: String,
    version: HashV1,
    mission: String,
    from: String,
    root: String,
    chain: Vec<LinkV1>,
    rights: RightsV1,
    #[serde(default, skip_serializing_if = "is_default")]
    limits: LimitsV1,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    said: Option<SaidV1>,
    #[serde(default, rename = "rests", skip_serializing_if = "Option::is_none")]
    rests_until: Option<DueV1>,
    #[serde(default, skip_serializing_if = "is_default")]
    last: LastV1,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cause: Option<EndCauseV1>,
}

impl From<&domain::Agent> for AgentV1 {
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
            cause,
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
            cause: cause.as_ref().map(Into::into),
        }
    }
}

impl From<AgentV1> for domain::Agent {
    fn from(agent: AgentV1) -> Self {
        Self {
            name: agent.name,
            version: agent.version.into(),
            mission: agent.mission,
            from: SessionId::new(agent.from),
            root: SessionId::new(agent.root),
            chain: domains(agent.chain),
            rights: rights::Rights::from_stored(agent.rights.into()),
            limits: agent.limits.into(),
            said: agent.said.map(Into::into),
            rests_until: agent.rests_until.map(Into::into),
            last: agent.last.into(),
            cause: agent.cause.map(Into::into),
        }
    }
}

shape! {
    #[serde(rename_all = "snake_case")]
    enum SaidV1 = domain::AgentOutput {
        Asks(question: String),
        Exits(exit: ExitV1),
        Nothing,
    }
}

shape! {
    pub(super) struct ExitV1 = domain::MissionExit {
        reason: String,
        result: RawV1,
        conclusion: String,
    }
}

shape! {
    /// Why an agent was cut short.
    pub(super) struct EndCauseV1 = domain::AgentEndCause {
        class: WordV1<AgentEndClass>,
        text: SpeechV1,
    }
}

shape! {
    /// A question to the caller or to the user.
    pub(super) struct AskPrincipalV1 = domain::PrincipalQuestion {
        question: String,
        #[serde(default, skip_serializing_if = "is_default")]
        user: bool,
    }
}

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LastV1 {
    #[serde(default, skip_serializing_if = "is_default")]
    said: String,
    /// Command, status, content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    results: Vec<(String, String, JsonTextV1)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    open: Vec<String>,
}

impl From<&domain::AgentLastState> for LastV1 {
    fn from(last: &domain::AgentLastState) -> Self {
        let domain::AgentLastState { said, results, open } = last;
        let result = |LastCallResult { command, status, content }: &LastCallResult| {
            (command.clone(), status.clone(), content.into())
        };
        Self { said: said.clone(), results: results.iter().map(result).collect(), open: open.clone() }
    }
}

impl From<LastV1> for domain::AgentLastState {
    fn from(last: LastV1) -> Self {
        let result = |(command, status, content): (String, String, JsonTextV1)| LastCallResult {
            command,
            status,
            content: content.0,
        };
        Self { said: last.said, results: last.results.into_iter().map(result).collect(), open: last.open }
    }
}

shape! {
    /// A child session.
    pub(super) struct ChildV1 = domain::ChildSession {
        session: String,
        agent: String,
        call: String,
        lent: BudgetV1,
        #[serde(default, skip_serializing_if = "is_default")]
        usage: UsageV1,
        #[serde(default, skip_serializing_if = "is_default")]
        rests: bool,
    }
}

shape! {
    /// The usage of agents that have ended.
    #[derive(Clone, Copy, Default, PartialEq, Eq)]
    pub(super) struct BelowV1 = domain::DescendantUsage {
        #[serde(default, skip_serializing_if = "is_default")]
        usage: UsageV1,
        #[serde(default, skip_serializing_if = "is_default")]
        spent: BudgetV1,
    }
}

shape! {
    /// The report of an agent to its caller.
    pub(super) struct ReportV1 = domain::AgentReport {
        status: WordV1<MissionStatus>,
        agent: String,
        child: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        question: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit: Option<ExitV1>,
        #[serde(default, skip_serializing_if = "is_default")]
        last: LastV1,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<EndCauseV1>,
        rounds: u32,
        #[serde(default, skip_serializing_if = "is_default")]
        usage: UsageV1,
        spent: BudgetV1,
    }
}
