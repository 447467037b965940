//! The phase of a session: its only control state.

use crate::question::Question;
use crate::session::{BatchHalt, CallBatch, EndReason, ParkReason, Round, SummaryProgress};
use crate::time::Deadline;

/// A phase that can be stored, with the data that is valid only in it. Transient phases are journaled as
/// [`crate::session::JournalNote::PassedThrough`] and have no variant here, so they cannot be stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Nothing is in progress; the next input starts work.
    Idle,
    /// Nothing is in progress in a run, and a person has to resume it. Stored and shown as [`PhaseLabel::Idle`].
    Parked(ParkReason),
    /// Runs the queries of a message's enrichments.
    ExecutingEnrichments(CallBatch),
    /// A model is, or is about to be, called.
    CallingAi(Round),
    /// Waits for a person's approval.
    WaitingValidation {
        /// The calls, at least one undecided.
        batch: CallBatch,
        /// Deadline of the approval.
        expires: Deadline,
    },
    /// Waits for a person's answer.
    WaitingCommunicationResponse {
        /// The question.
        question: Question,
        /// Deadline of the answer; `None` means no deadline.
        expires: Option<Deadline>,
    },
    /// Runs queries.
    ExecutingDataQueries(CallBatch),
    /// Runs actions.
    ExecutingActions(CallBatch),
    /// The model declared the work done; a person may still reject that.
    WaitingCompletionConfirmation {
        /// When the completion counts as confirmed.
        confirm: Deadline,
    },
    /// Waits to call the model again.
    WaitingNetworkRetry {
        /// The round that waits.
        round: Round,
        /// When the model is called again.
        retry: Deadline,
    },
    /// About to end.
    AwaitingSessionClosure {
        /// Why the session ends.
        reason: EndReason,
        /// When the session ends, unless an input arrives before.
        close: Deadline,
    },
    /// The session has ended; it accepts no more work.
    Completed {
        /// Why the session ended.
        reason: EndReason,
    },
    /// Only long tasks are unfinished.
    WaitingTask,
    /// The context is being summarized because it is too long.
    CompactingContext {
        /// The round that continues afterwards.
        round: Round,
        /// Method and progress of the summary.
        summing: SummaryProgress,
    },
}

crate::words! {
    /// The label of a phase, as stored and shown, including the three transient phases.
    #[derive(PartialOrd, Ord)]
    #[expect(missing_docs, reason = "the words of `Phase` and `PassThrough`")]
    pub enum PhaseLabel {
        Idle = "IDLE",
        ExecutingEnrichments = "EXECUTING_ENRICHMENTS",
        CallingAi = "CALLING_AI",
        ParsingAiResponse = "PARSING_AI_RESPONSE",
        WaitingValidation = "WAITING_VALIDATION",
        WaitingCommunicationResponse = "WAITING_COMMUNICATION_RESPONSE",
        ExecutingDataQueries = "EXECUTING_DATA_QUERIES",
        ExecutingActions = "EXECUTING_ACTIONS",
        WaitingCompletionConfirmation = "WAITING_COMPLETION_CONFIRMATION",
        WaitingNetworkRetry = "WAITING_NETWORK_RETRY",
        RetryingAfterFormatError = "RETRYING_AFTER_FORMAT_ERROR",
        RetryingAfterActionFailure = "RETRYING_AFTER_ACTION_FAILURE",
        AwaitingSessionClosure = "AWAITING_SESSION_CLOSURE",
        Completed = "COMPLETED",
        WaitingTask = "WAITING_TASK",
        CompactingContext = "COMPACTING_CONTEXT",
    }
}

crate::words! {
    /// The kind of a phase: its variant without data. Unlike [`PhaseLabel`] it tells a parked session from an idle one,
    /// and has no transient phases.
    #[expect(missing_docs, reason = "the variants of `Phase`")]
    pub enum PhaseKind {
        Idle = "IDLE",
        Parked = "PARKED",
        ExecutingEnrichments = "EXECUTING_ENRICHMENTS",
        CallingAi = "CALLING_AI",
        WaitingValidation = "WAITING_VALIDATION",
        WaitingCommunicationResponse = "WAITING_COMMUNICATION_RESPONSE",
        ExecutingDataQueries = "EXECUTING_DATA_QUERIES",
        ExecutingActions = "EXECUTING_ACTIONS",
        WaitingCompletionConfirmation = "WAITING_COMPLETION_CONFIRMATION",
        WaitingNetworkRetry = "WAITING_NETWORK_RETRY",
        AwaitingSessionClosure = "AWAITING_SESSION_CLOSURE",
        Completed = "COMPLETED",
        WaitingTask = "WAITING_TASK",
        CompactingContext = "COMPACTING_CONTEXT",
    }
}

impl PhaseKind {
    /// The label of phases of this kind.
    pub const fn label(self) -> PhaseLabel {
        match self {
            PhaseKind::Idle | PhaseKind::Parked => PhaseLabel::Idle,
            PhaseKind::ExecutingEnrichments => PhaseLabel::ExecutingEnrichments,
            PhaseKind::CallingAi => PhaseLabel::CallingAi,
            PhaseKind::WaitingValidation => PhaseLabel::WaitingValidation,
            PhaseKind::WaitingCommunicationResponse => PhaseLabel::WaitingCommunicationResponse,
            PhaseKind::ExecutingDataQueries => PhaseLabel::ExecutingDataQueries,
            PhaseKind::ExecutingActions => PhaseLabel::ExecutingActions,
            PhaseKind::WaitingCompletionConfirmation => PhaseLabel::WaitingCompletionConfirmation,
            PhaseKind::WaitingNetworkRetry => PhaseLabel::WaitingNetworkRetry,
            PhaseKind::AwaitingSessionClosure => PhaseLabel::AwaitingSessionClosure,
            PhaseKind::Completed => PhaseLabel::Completed,
            PhaseKind::WaitingTask => PhaseLabel::WaitingTask,
            PhaseKind::CompactingContext => PhaseLabel::CompactingContext,
        }
    }
}

impl Phase {
    /// The kind of this phase.
    pub const fn kind(&self) -> PhaseKind {
        match self {
            Phase::Idle => PhaseKind::Idle,
            Phase::Parked(_) => PhaseKind::Parked,
            Phase::ExecutingEnrichments(_) => PhaseKind::ExecutingEnrichments,
            Phase::CallingAi(_) => PhaseKind::CallingAi,
            Phase::WaitingValidation { .. } => PhaseKind::WaitingValidation,
            Phase::WaitingCommunicationResponse { .. } => PhaseKind::WaitingCommunicationResponse,
            Phase::ExecutingDataQueries(_) => PhaseKind::ExecutingDataQueries,
            Phase::ExecutingActions(_) => PhaseKind::ExecutingActions,
            Phase::WaitingCompletionConfirmation { .. } => PhaseKind::WaitingCompletionConfirmation,
            Phase::WaitingNetworkRetry { .. } => PhaseKind::WaitingNetworkRetry,
            Phase::AwaitingSessionClosure { .. } => PhaseKind::AwaitingSessionClosure,
            Phase::Completed { .. } => PhaseKind::Completed,
            Phase::WaitingTask => PhaseKind::WaitingTask,
            Phase::CompactingContext { .. } => PhaseKind::CompactingContext,
        }
    }

    /// The label of this phase.
    pub const fn label(&self) -> PhaseLabel {
        self.kind().label()
    }

    /// Why the session has ended; `None` if it has not.
    pub const fn end_reason(&self) -> Option<EndReason> {
        if let Phase::Completed { reason } = self { Some(*reason) } else { None }
    }

    /// Why a person has to resume the session; also while the agents of a quarantined run are ending.
    pub fn park_reason(&self) -> Option<&ParkReason> {
        if let Phase::Parked(why) = self {
            return Some(why);
        }
        let is_quarantined = self.batch().is_some_and(|batch| batch.halt == Some(BatchHalt::Quarantine));
        is_quarantined.then_some(&ParkReason::Quarantined)
    }

    /// The calls of this phase, if any.
    pub fn batch(&self) -> Option<&CallBatch> {
        match self {
            Phase::ExecutingEnrichments(batch)
            | Phase::WaitingValidation { batch, .. }
            | Phase::ExecutingDataQueries(batch)
            | Phase::ExecutingActions(batch) => Some(batch),
            Phase::Idle
            | Phase::Parked(_)
            | Phase::CallingAi(_)
            | Phase::WaitingCommunicationResponse { .. }
            | Phase::WaitingCompletionConfirmation { .. }
            | Phase::WaitingNetworkRetry { .. }
            | Phase::AwaitingSessionClosure { .. }
            | Phase::Completed { .. }
            | Phase::WaitingTask
            | Phase::CompactingContext { .. } => None,
        }
    }

    /// Mutable access to the calls of this phase, if any.
    pub(crate) fn batch_mut(&mut self) -> Option<&mut CallBatch> {
        match self {
            Phase::ExecutingEnrichments(batch)
            | Phase::WaitingValidation { batch, .. }
            | Phase::ExecutingDataQueries(batch)
            | Phase::ExecutingActions(batch) => Some(batch),
            Phase::Idle
            | Phase::Parked(_)
            | Phase::CallingAi(_)
            | Phase::WaitingCommunicationResponse { .. }
            | Phase::WaitingCompletionConfirmation { .. }
            | Phase::WaitingNetworkRetry { .. }
            | Phase::AwaitingSessionClosure { .. }
            | Phase::Completed { .. }
            | Phase::WaitingTask
            | Phase::CompactingContext { .. } => None,
        }
    }

    /// The round of this phase, if any.
    pub fn round(&self) -> Option<&Round> {
        match self {
            Phase::CallingAi(round)
            | Phase::WaitingNetworkRetry { round, .. }
            | Phase::CompactingContext { round, .. } => Some(round),
            Phase::Idle
            | Phase::Parked(_)
            | Phase::ExecutingEnrichments(_)
            | Phase::WaitingValidation { .. }
            | Phase::WaitingCommunicationResponse { .. }
            | Phase::ExecutingDataQueries(_)
            | Phase::ExecutingActions(_)
            | Phase::WaitingCompletionConfirmation { .. }
            | Phase::AwaitingSessionClosure { .. }
            | Phase::Completed { .. }
            | Phase::WaitingTask => None,
        }
    }

    /// Whether a person has something to decide or answer. Other calls of the reply may be running at the same time.
    pub fn waits_for_person(&self) -> bool {
        match self {
            Phase::WaitingValidation { .. } | Phase::WaitingCommunicationResponse { .. } => true,
            Phase::ExecutingDataQueries(batch) | Phase::ExecutingActions(batch) => {
                batch.undecided().next().is_some()
            }
            Phase::Idle
            | Phase::Parked(_)
            | Phase::ExecutingEnrichments(_)
            | Phase::CallingAi(_)
            | Phase::WaitingCompletionConfirmation { .. }
            | Phase::WaitingNetworkRetry { .. }
            | Phase::AwaitingSessionClosure { .. }
            | Phase::Completed { .. }
            | Phase::WaitingTask
            | Phase::CompactingContext { .. } => false,
        }
    }

    /// The calls that wait for a decision, and the deadline of the decision.
    pub fn batch_awaiting_decision(&self) -> Option<(&CallBatch, Deadline)> {
        match self {
            Phase::WaitingValidation { batch, expires } => Some((batch, *expires)),
            Phase::ExecutingDataQueries(batch) | Phase::ExecutingActions(batch) => {
                batch.asked_until.filter(|_| self.waits_for_person()).map(|until| (batch, until))
            }
            Phase::Idle
            | Phase::Parked(_)
            | Phase::ExecutingEnrichments(_)
            | Phase::CallingAi(_)
            | Phase::WaitingCommunicationResponse { .. }
            | Phase::WaitingCompletionConfirmation { .. }
            | Phase::WaitingNetworkRetry { .. }
            | Phase::AwaitingSessionClosure { .. }
            | Phase::Completed { .. }
            | Phase::WaitingTask
            | Phase::CompactingContext { .. } => None,
        }
    }
}
