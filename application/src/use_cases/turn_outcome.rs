use entracte_domain::call::CallStatus;
use entracte_domain::message::SystemKind;
use entracte_domain::session::{EndReason, ParkReason};

use super::TurnView;

/// The outcome of a turn in one word, from which exit codes, status codes and badges are derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnOutcome {
    /// The request was completed.
    Done,
    /// The session waits for a person.
    WaitsForPerson,
    /// An action has an unknown outcome.
    OutcomeUnknown,
    /// A limit was reached.
    LimitReached,
    /// The time limit was reached.
    TimedOut,
    /// The provider, the network or an internal part failed.
    Failed,
    /// A person stopped or interrupted it.
    Stopped,
    /// A later chat replaced it in the queue.
    Replaced,
}

impl TurnView {
    /// The outcome of the turn. A wait for a person has precedence, because it can be acted on now.
    pub fn outcome(&self) -> TurnOutcome {
        let unknown = self.calls.iter().any(|call| call.status == CallStatus::Unknown.word());
        let had = |kind| self.troubles.iter().any(|(trouble, _)| *trouble == kind);
        let failed = had(SystemKind::NetworkError) || had(SystemKind::ProviderError);
        let phase = &self.session.phase;
        let asks = self.waiting.is_some() || matches!(phase.park_reason(), Some(ParkReason::Spending(_)));
        match phase.end_reason() {
            _ if asks => TurnOutcome::WaitsForPerson,
            _ if unknown => TurnOutcome::OutcomeUnknown,
            // A failure before a person's interruption is not relevant any more.
            _ if self.halted.is_some() => TurnOutcome::Stopped,
            _ if self.replaced => TurnOutcome::Replaced,
            _ if had(SystemKind::SessionTimeout) => TurnOutcome::TimedOut,
            _ if had(SystemKind::LimitReached) => TurnOutcome::LimitReached,
            _ if failed => TurnOutcome::Failed,
            None | Some(EndReason::Completed) => TurnOutcome::Done,
            Some(EndReason::LimitReached) => TurnOutcome::LimitReached,
            Some(EndReason::Timeout) => TurnOutcome::TimedOut,
            Some(EndReason::Error) => TurnOutcome::Failed,
            Some(EndReason::Cancelled | EndReason::Interrupted) => TurnOutcome::Stopped,
        }
    }
}

#[cfg(test)]
mod tests {
    use entracte_domain::id::{CallId, SessionId, WorkspaceKey};
    use entracte_domain::question::Question;
    use entracte_domain::session::{Phase, SessionFacts, SessionKind, Standing};
    use entracte_domain::spending::{
        SpendingAmount, SpendingExcess, SpendingExcessNumbers, SpendingQuestion, SpendingScope,
    };
    use entracte_domain::time::Timestamp;
    use entracte_domain::usage::Usage;

    use super::*;
    use crate::use_cases::{CallStatusView, PendingDecision, SessionView, TurnInterruption};

    fn turn() -> TurnView {
        let (id, workspace) = (SessionId::new("ses_a"), WorkspaceKey::new("ann:home"));
        let facts = SessionFacts::new(id, workspace, SessionKind::Chat, Timestamp(0));
        TurnView {
            session: SessionView { facts, phase: Phase::Idle, standing: Standing::Open, wake_at: None },
            rounds: 1,
            reply: None,
            waits_in: Vec::new(),
            waiting: None,
            calls: Vec::new(),
            usage: Usage::default(),
            troubles: Vec::new(),
            fell_back: Vec::new(),
            halted: None,
            replaced: false,
        }
    }

    #[test]
    fn pending_decision_determines_outcome() {
        let mut view = turn();
        assert_eq!(view.outcome(), TurnOutcome::Done);
        view.session.phase = Phase::Completed { reason: EndReason::Cancelled };
        assert_eq!(view.outcome(), TurnOutcome::Stopped);
        view.troubles.push((SystemKind::ProviderError, "no key".into()));
        assert_eq!(view.outcome(), TurnOutcome::Failed);
        view.troubles.push((SystemKind::LimitReached, "25 rounds".into()));
        assert_eq!(view.outcome(), TurnOutcome::LimitReached);
        let question = SpendingQuestion {
            excess: SpendingExcess {
                scope: SpendingScope::Tree,
                numbers: SpendingExcessNumbers::Tokens { cap: 8, used: 7, needed: 2 },
            },
            extra: SpendingAmount { tokens: 2, ..SpendingAmount::ZERO },
            since: Timestamp(0),
            spent_for: Vec::new(),
        };
        view.session.phase = Phase::Parked(ParkReason::Spending(question));
        assert_eq!(view.outcome(), TurnOutcome::WaitsForPerson);
        view.session.phase = Phase::Completed { reason: EndReason::Cancelled };
        view.replaced = true;
        assert_eq!(view.outcome(), TurnOutcome::Replaced);
        view.halted = Some(TurnInterruption { author: "bob".into(), is_stop: false });
        assert_eq!(view.outcome(), TurnOutcome::Stopped);
        let (id, command) = (CallId::new("cal_a_1_0"), "outside.send".to_owned());
        view.calls.push(CallStatusView { id, command, status: "unknown".into() });
        assert_eq!(view.outcome(), TurnOutcome::OutcomeUnknown);
        view.waiting = Some(PendingDecision::Question(Question::Validation { message: "Go?".into() }));
        assert_eq!(view.outcome(), TurnOutcome::WaitsForPerson);
    }
}
