//! Agents: sessions that a model calls. A child is an ordinary session of the workspace, with a mission in the place of a
//! person; its start and its end share a commit with the call of its parent, and its rights are never wider.

mod report;

pub use report::{AgentLastState, AgentReport, LastCallResult, MissionStatus};

use crate::command::AgentLimits;
use crate::id::{CallId, Digest, SessionId};
use crate::rights::{Budget, DelegatedRights, Rights};
use crate::time::Deadline;
use crate::usage::Usage;
use crate::validation::{AgentLink, ExchangePrincipal};
use crate::value::JsonValue;

/// How an agent says that its mission is over (`EXIT_WITH_RESULT`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MissionExit {
    /// Why it ends, in a word or a sentence.
    pub reason: String,
    /// What it found or did, an object.
    pub result: JsonValue,
    /// What whoever called it should know, in words.
    pub conclusion: String,
}

/// A question of an agent (`ASK_PRINCIPAL_AGENT`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PrincipalQuestion {
    /// The question.
    pub question: String,
    /// It is for the user, who finds it in the inbox, and not for whoever called the agent.
    pub user: bool,
}

/// What a session of an agent is made with, beside what every session is made with. The commit that starts the call makes
/// it, and nothing else: the rights can only be those that were made of the rights of who calls it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AgentStart {
    /// The name of its declaration.
    pub name: String,
    /// The version of its declaration.
    pub version: Digest,
    /// What it is to do, as who calls it says it. Data: it gives no rights.
    pub mission: String,
    /// The session that calls it.
    pub from: SessionId,
    /// The session where its tree begins.
    pub root: SessionId,
    /// The agents between the person and its calls, the nearest to the person first, itself last.
    pub chain: Vec<AgentLink>,
    /// What it may do.
    pub rights: DelegatedRights,
    /// The limits of its declaration.
    pub limits: AgentLimits,
    /// Who asked for it, and whose rights it has: as the call that starts it.
    pub asked_by: ExchangePrincipal,
}

/// What a session is as an agent. It follows from what it was made with and from its inputs, like all facts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Agent {
    /// The name of its declaration.
    pub name: String,
    /// The version of its declaration.
    pub version: Digest,
    /// What it is to do.
    pub mission: String,
    /// The session that calls it.
    pub from: SessionId,
    /// The session where its tree begins.
    pub root: SessionId,
    /// The agents between the person and its calls, the nearest to the person first, itself last.
    pub chain: Vec<AgentLink>,
    /// What it may do.
    pub rights: Rights,
    /// The limits of its declaration.
    pub limits: AgentLimits,
    /// What it said last to whoever called it; none while it works.
    pub said: Option<AgentOutput>,
    /// Until when it stays at rest for an answer; none while it works.
    pub rests_until: Option<Deadline>,
    /// Where it stands, for the report of one that is cut short.
    pub last: AgentLastState,
}

/// What an agent says to whoever called it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AgentOutput {
    /// Words alone, or a question: it rests until it is answered.
    Asks(String),
    /// Its mission is over.
    Exits(MissionExit),
    /// Nothing, twice in a row.
    Nothing,
}

/// A child of a session, from the start of its call until it has ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChildSession {
    /// Its session.
    pub session: SessionId,
    /// The name of its declaration.
    pub agent: String,
    /// The call that it answers, or answered last.
    pub call: CallId,
    /// What was taken from the budget of its parent for it: itself, and all that it may use up.
    pub lent: Budget,
    /// What it and all below it used, as it reported last.
    pub usage: Usage,
    /// It asked something and rests until [it is answered](Said::Asks).
    pub rests: bool,
}

/// What all agents below a session used that have ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DescendantUsage {
    /// Tokens and cost, over the life of the session.
    pub usage: Usage,
    /// Of its budget: since the last human act (chat), over the whole run (automation, agent).
    pub spent: Budget,
}

/// A child that a transition starts. The commit of the transition makes its session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AgentSpawn {
    /// The call that starts it.
    pub call: CallId,
    /// Its session, derived from the call, so that a replay makes the same one.
    pub session: SessionId,
    /// The provider that its declaration names; none = that of its parent.
    pub provider: Option<String>,
    /// What it is made with.
    pub start: AgentStart,
}

/// An answer that a transition gives to a child at rest. The commit of the transition hands it over.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChildAnswer {
    /// The call that the child answers from now on.
    pub call: CallId,
    /// The child.
    pub child: SessionId,
    /// What it is answered.
    pub answer: String,
}

crate::words! {
    /// Why an agent ends that nobody waits for.
    pub enum MissionEnd {
        /// What its parent did was stopped or interrupted.
        Halted = "halted",
        /// Its parent ended while it was at rest.
        ParentEnded = "parent_ended",
    }
}

impl Agent {
    /// The agent that is made with this.
    pub(crate) fn from_start(start: AgentStart) -> (Self, ExchangePrincipal) {
        let AgentStart { name, version, mission, from, root, chain, rights, limits, asked_by } = start;
        let agent = Self {
            name,
            version,
            mission,
            from,
            root,
            chain,
            rights: rights.into_rights(),
            limits,
            said: None,
            rests_until: None,
            last: AgentLastState::default(),
        };
        (agent, asked_by)
    }

    /// How many levels below the root it is, from 1.
    pub fn depth(&self) -> usize {
        self.chain.len()
    }

    /// Whether it asked something and waits for the answer of whoever called it.
    pub fn awaits_answer(&self) -> bool {
        matches!(self.said, Some(AgentOutput::Asks(_)))
    }
}
