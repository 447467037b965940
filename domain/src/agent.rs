//! Agents: sessions that a model calls. A child is an ordinary session of the workspace whose mission takes the place
//! of a person. Its start and its end share a commit with the call of its parent, and its rights are never wider than
//! its caller's.

mod end_cause;
mod report;

pub use end_cause::{AgentEndCause, AgentEndClass};
pub use report::{AgentLastState, AgentReport, LastCallResult, MissionStatus};

use crate::command::AgentLimits;
use crate::id::{CallId, Digest, SessionId};
use crate::rights::{Budget, DelegatedRights, Rights};
use crate::time::Deadline;
use crate::usage::Usage;
use crate::validation::{AgentLink, ExchangePrincipal};
use crate::value::JsonValue;

/// An agent's declaration that its mission is over (`EXIT_WITH_RESULT`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MissionExit {
    /// Reason for the exit: a word or a sentence.
    pub reason: String,
    /// Result of the mission, a JSON object.
    pub result: JsonValue,
    /// Conclusion for the caller, in prose.
    pub conclusion: String,
}

/// A question an agent asks (`ASK_PRINCIPAL_AGENT`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PrincipalQuestion {
    /// Text of the question.
    pub question: String,
    /// True if the user answers it in the inbox; false if the calling session does.
    pub user: bool,
}

/// The data an agent session is created with, beside that of every session. Only the commit that starts the call
/// creates it, so its rights are always derived from those of its caller.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AgentStart {
    /// Name of the agent declaration.
    pub name: String,
    /// Hash of the agent declaration.
    pub version: Digest,
    /// The mission, in the caller's words. Data only: it grants no rights.
    pub mission: String,
    /// The session that called the agent.
    pub from: SessionId,
    /// The root session of the agent tree.
    pub root: SessionId,
    /// The agents between the person and this agent's calls: nearest to the person first, this agent last.
    pub chain: Vec<AgentLink>,
    /// The rights of the agent, derived from its caller's.
    pub rights: DelegatedRights,
    /// Limits from the agent declaration.
    pub limits: AgentLimits,
    /// The people who asked for the work and the person whose rights it has, as in the call that starts the agent.
    pub asked_by: ExchangePrincipal,
}

/// The agent-specific facts of a session. Like all facts they follow from its creation and its inputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Agent {
    /// Name of the agent declaration.
    pub name: String,
    /// Hash of the agent declaration.
    pub version: Digest,
    /// The mission, in the caller's words.
    pub mission: String,
    /// The session that called the agent.
    pub from: SessionId,
    /// The root session of the agent tree.
    pub root: SessionId,
    /// The agents between the person and this agent's calls: nearest to the person first, this agent last.
    pub chain: Vec<AgentLink>,
    /// Upper bound of what the agent may do.
    pub rights: Rights,
    /// Limits from the agent declaration.
    pub limits: AgentLimits,
    /// The last output to the caller; `None` while the agent works.
    pub said: Option<AgentOutput>,
    /// How long the agent rests for an answer; `None` while it works.
    pub rests_until: Option<Deadline>,
    /// Last known state, reported if the agent is cut short.
    pub last: AgentLastState,
    /// Why the agent ended without a result of its own, if it did.
    pub cause: Option<AgentEndCause>,
}

/// The output of an agent to its caller.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AgentOutput {
    /// Text without calls, or a question: the agent rests until it is answered.
    Asks(String),
    /// The mission is over.
    Exits(MissionExit),
    /// Two empty replies in a row.
    Nothing,
}

/// A child agent of a session, from the start of its call until it has ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChildSession {
    /// The child's session.
    pub session: SessionId,
    /// Name of the agent declaration.
    pub agent: String,
    /// The call that the child answers, or answered last.
    pub call: CallId,
    /// The part of the parent's budget reserved for the child: the child itself and all it may use up.
    pub lent: Budget,
    /// Usage of the child and all its descendants, as last reported.
    pub usage: Usage,
    /// True while the child rests after a question, until [it is answered](AgentOutput::Asks).
    pub rests: bool,
}

/// Total usage of all descendants of a session that have ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DescendantUsage {
    /// Tokens and cost since the session was created.
    pub usage: Usage,
    /// Budget spent: since the last human act (chat), over the whole run (automation, agent).
    pub spent: Budget,
}

/// A child session that a transition starts; the commit of the transition creates it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AgentSpawn {
    /// The call that starts the child.
    pub call: CallId,
    /// The child's session id, derived from the call so that a replay yields the same one.
    pub session: SessionId,
    /// Provider named by the agent declaration; `None` uses the parent's provider.
    pub provider: Option<String>,
    /// The data the child is created with.
    pub start: AgentStart,
}

/// An answer that a transition gives to a resting child; the commit of the transition delivers it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChildAnswer {
    /// The call that the child answers from now on.
    pub call: CallId,
    /// The child's session.
    pub child: SessionId,
    /// Text of the answer.
    pub answer: String,
}

crate::words! {
    /// Why an agent ends although no caller waits for it.
    pub enum MissionEnd {
        /// The parent's work was stopped or interrupted.
        Halted = "halted",
        /// The parent ended while the agent was at rest.
        ParentEnded = "parent_ended",
    }
}

impl Agent {
    /// Creates the agent from its start data, and returns the principal it works for.
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
            cause: None,
        };
        (agent, asked_by)
    }

    /// Levels below the root session, from 1.
    pub fn depth(&self) -> usize {
        self.chain.len()
    }

    /// Whether the agent asked something and waits for the caller's answer.
    pub fn awaits_answer(&self) -> bool {
        matches!(self.said, Some(AgentOutput::Asks(_)))
    }
}
