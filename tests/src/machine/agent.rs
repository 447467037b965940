//! The agent of the machine tests: its declaration, its replies to its caller, and its report.

use entracte_domain::agent::{AgentLastState, AgentReport, MissionExit, MissionStatus, PrincipalQuestion};
use entracte_domain::call::Call;
use entracte_domain::command::{AgentLimits, AgentTerms};
use entracte_domain::id::{Digest, SessionId};
use entracte_domain::rights::{Budget, RequestedRights};
use entracte_domain::session::{Input, Phase, SessionFacts};
use entracte_domain::usage::Usage;
use entracte_domain::value::JsonValue;

/// The command that calls the tests' agent.
pub const HELPER: &str = "agents.Helper";

/// A reply of an agent to its caller, or to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AgentReplyKind {
    /// Its mission is over.
    Exits,
    /// A question for its caller.
    AsksCaller,
    /// A question for the user.
    AsksUser,
}

impl AgentReplyKind {
    /// How its mission ended, if it did.
    pub fn exit(self) -> Option<MissionExit> {
        let exit = || MissionExit {
            reason: "done".into(),
            result: JsonValue::from([("n", JsonValue::from(1_i64))]),
            conclusion: "It is done.".into(),
        };
        (self == AgentReplyKind::Exits).then(exit)
    }

    /// The question it asks, if any.
    pub fn asks(self) -> Option<PrincipalQuestion> {
        let ask = |user| Some(PrincipalQuestion { question: "Which?".into(), user });
        match self {
            AgentReplyKind::Exits => None,
            AgentReplyKind::AsksCaller => ask(false),
            AgentReplyKind::AsksUser => ask(true),
        }
    }
}

/// The declared limits of the tests' agent: two rounds, and no agents below it.
pub(super) fn helper() -> AgentTerms {
    let budget = Budget { agents: 0, rounds: 2 };
    AgentTerms {
        name: "Helper".into(),
        version: Digest::new("v1"),
        wish: RequestedRights { budget, ..RequestedRights::default() },
        limits: AgentLimits::default(),
    }
}

/// The report of an agent.
pub(super) fn report(child: SessionId, status: MissionStatus) -> AgentReport {
    AgentReport {
        status,
        agent: "Helper".into(),
        child,
        question: status.can_be_answered().then(|| "Which?".to_owned()),
        exit: AgentReplyKind::Exits.exit().filter(|_| status == MissionStatus::MissionCompleted),
        last: AgentLastState::default(),
        cause: None,
        rounds: 1,
        usage: Usage::default(),
        spent: Budget { agents: 0, rounds: 1 },
    }
}

/// The first agent of a session ends while no call waits for it; an unknown agent if the session has none.
pub(super) fn child_ends(facts: &SessionFacts) -> Input {
    let child =
        facts.children.first().map_or_else(|| SessionId::new("ses_stranger"), |child| child.session.clone());
    Input::ChildEnded { report: Box::new(report(child, MissionStatus::MaxTurnsReached)) }
}

/// The calls of a phase that agents work on.
pub fn called(phase: &Phase) -> impl Iterator<Item = &Call> {
    let calls = phase.batch().into_iter().flat_map(|batch| &batch.calls);
    calls.filter(|call| call.is_started() && call.is_answered_by_agent())
}
