//! Where a session stands: the only control state.

use crate::question::Question;
use crate::session::{BatchHalt, CallBatch, EndReason, ParkReason, Round, SummaryProgress};
use crate::time::Deadline;

/// A phase that can be stored, with the data that is valid only in it. The phases that only pass through are
/// journaled as [`crate::session::Note::PassedThrough`] and cannot be stored: the type has no room for them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Nothing is under way; the next input wakes it.
    Idle,
    /// Nothing is under way in a run, and a person has to let it go on. Stored and shown as [`PhaseLabel::Idle`].
    Parked(ParkReason),
    /// Runs the queries of a message's enrichments.
    ExecutingEnrichments(CallBatch),
    /// A model is, or is about to be, called.
    CallingAi(Round),
    /// A person is asked for approval.
    WaitingValidation {
        /// The calls, at least one undecided.
        batch: CallBatch,
        /// Until when.
        expires: Deadline,
    },
    /// A person is asked a question.
    WaitingCommunicationResponse {
        /// The question.
        question: Question,
        /// Until when; none = no end.
        expires: Option<Deadline>,
    },
    /// Runs queries.
    ExecutingDataQueries(CallBatch),
    /// Runs actions.
    ExecutingActions(CallBatch),
    /// The model said the work is done; a person may still say no.
    WaitingCompletionConfirmation {
        /// When it counts as confirmed.
        confirm: Deadline,
    },
    /// Waits to call the model again.
    WaitingNetworkRetry {
        /// The round that waits.
        round: Round,
        /// Until when.
        retry: Deadline,
    },
    /// About to end.
    AwaitingSessionClosure {
        /// Why the session ends.
        reason: EndReason,
        /// When it ends, unless something happens before.
        close: Deadline,
    },
    /// The session has ended; it accepts no more work.
    Completed {
        /// Why the session ends.
        reason: EndReason,
    },
    /// Only long tasks are left.
    WaitingTask,
    /// The context is summed up, because it is too long.
    CompactingContext {
        /// The round that goes on after it.
        round: Round,
        /// How.
        summing: SummaryProgress,
    },
}

crate::words! {
    /// The label of a phase, stored and shown; with the three that only pass through.
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

impl Phase {
    /// Its label.
    pub const fn label(&self) -> PhaseLabel {
        match self {
            Phase::Idle | Phase::Parked(_) => PhaseLabel::Idle,
            Phase::ExecutingEnrichments(_) => PhaseLabel::ExecutingEnrichments,
            Phase::CallingAi(_) => PhaseLabel::CallingAi,
            Phase::WaitingValidation { .. } => PhaseLabel::WaitingValidation,
            Phase::WaitingCommunicationResponse { .. } => PhaseLabel::WaitingCommunicationResponse,
            Phase::ExecutingDataQueries(_) => PhaseLabel::ExecutingDataQueries,
            Phase::ExecutingActions(_) => PhaseLabel::ExecutingActions,
            Phase::WaitingCompletionConfirmation { .. } => PhaseLabel::WaitingCompletionConfirmation,
            Phase::WaitingNetworkRetry { .. } => PhaseLabel::WaitingNetworkRetry,
            Phase::AwaitingSessionClosure { .. } => PhaseLabel::AwaitingSessionClosure,
            Phase::Completed { .. } => PhaseLabel::Completed,
            Phase::WaitingTask => PhaseLabel::WaitingTask,
            Phase::CompactingContext { .. } => PhaseLabel::CompactingContext,
        }
    }

    /// Why the session has ended; none while it has not.
    pub const fn end_reason(&self) -> Option<EndReason> {
        if let Phase::Completed { reason } = self { Some(*reason) } else { None }
    }

    /// Why a person has to let it go on; also while the agents of a quarantined run come to their ends.
    pub fn park_reason(&self) -> Option<&ParkReason> {
        if let Phase::Parked(why) = self {
            return Some(why);
        }
        let is_quarantined = self.batch().is_some_and(|batch| batch.halt == Some(BatchHalt::Quarantine));
        is_quarantined.then_some(&ParkReason::Quarantined)
    }

    /// The calls it holds.
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

    /// The calls of a phase that has some, to be changed.
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

    /// The round it holds.
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

    /// Whether a person is waited for, with something to decide or answer. Calls of a reply may be under way while
    /// others of it are undecided.
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

    /// The calls that a person is asked about, and until when they may be decided.
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
