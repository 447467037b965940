//! The transition table: for each input and phase, whether the input is applied or why it is ignored.
//!
//! The first row that names the input and the phase, and whose condition holds, gives the answer. `docs/TRANSITIONS.md`
//! shows the table; a test writes it.

#[cfg(test)]
mod tests;

use crate::session::{IgnoreReason, InputKind, PhaseKind};
use crate::validation::ApproverObjection;

use super::condition::{DispatchContext, TransitionCondition};

use IgnoreReason::{Conflict, Duplicate, Ended, FourEyes, NeverRun, NotApplicable, NotDue, QueueFull, Stale};
use InputKind as On;
use TransitionCondition as If;

/// The answer of the table to an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TransitionAnswer {
    /// The handler of the input runs.
    Apply,
    /// The input changes nothing and is not journaled.
    Ignore(IgnoreReason),
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct TransitionRow {
    /// The inputs of the row.
    pub(super) inputs: InputSet,
    /// The phases of the row.
    pub(super) phases: PhaseSet,
    /// The condition of the row.
    pub(super) condition: TransitionCondition,
    /// The answer of the row.
    pub(super) answer: TransitionAnswer,
}

/// A set of inputs, one bit for each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InputSet(u64);

impl InputSet {
    const fn of(kinds: &[InputKind]) -> Self {
        let (mut bits, mut at) = (0, 0);
        while at < kinds.len() {
            bits |= 1 << kinds[at] as u64;
            at += 1;
        }
        Self(bits)
    }

    const fn all_but(kinds: &[InputKind]) -> Self {
        Self(Self::of(&InputKind::ALL).0 & !Self::of(kinds).0)
    }

    pub(super) const fn contains(self, kind: InputKind) -> bool {
        self.0 & (1 << kind as u64) != 0
    }
}

/// A set of phases, one bit for each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PhaseSet(u16);

impl PhaseSet {
    const fn of(kinds: &[PhaseKind]) -> Self {
        let (mut bits, mut at) = (0, 0);
        while at < kinds.len() {
            bits |= 1 << kinds[at] as u16;
            at += 1;
        }
        Self(bits)
    }

    const fn all_but(kinds: &[PhaseKind]) -> Self {
        Self(ANY.0 & !Self::of(kinds).0)
    }

    pub(super) const fn contains(self, kind: PhaseKind) -> bool {
        self.0 & (1 << kind as u16) != 0
    }
}

/// Every phase.
pub(super) const ANY: PhaseSet = PhaseSet::of(&PhaseKind::ALL);
/// The session rests.
const RESTING: PhaseSet = PhaseSet::of(&[PhaseKind::Idle, PhaseKind::Parked]);
/// The session rests, and may go on without a person.
const IDLE: PhaseSet = PhaseSet::of(&[PhaseKind::Idle]);
/// There is work to interrupt.
const WORKING: PhaseSet = PhaseSet::all_but(&[PhaseKind::Idle, PhaseKind::Parked, PhaseKind::Completed]);
/// A model is, or is about to be, called.
const CALLING: PhaseSet = PhaseSet::of(&[PhaseKind::CallingAi]);
/// The context is being summarized.
const COMPACTING: PhaseSet = PhaseSet::of(&[PhaseKind::CompactingContext]);
/// A model works: its reply or its summary is awaited.
const MODEL_AT_WORK: PhaseSet = PhaseSet::of(&[PhaseKind::CallingAi, PhaseKind::CompactingContext]);
/// The phase has calls.
const CALLS: PhaseSet = PhaseSet::of(&[
    PhaseKind::ExecutingEnrichments,
    PhaseKind::WaitingValidation,
    PhaseKind::ExecutingDataQueries,
    PhaseKind::ExecutingActions,
]);
/// A person has a question to answer.
const ASKING: PhaseSet = PhaseSet::of(&[PhaseKind::WaitingCommunicationResponse]);
/// A person may confirm the completion.
const CONFIRMING: PhaseSet = PhaseSet::of(&[PhaseKind::WaitingCompletionConfirmation]);
/// A person may reject the completion.
const CLOSING: PhaseSet =
    PhaseSet::of(&[PhaseKind::WaitingCompletionConfirmation, PhaseKind::AwaitingSessionClosure]);
/// The model is called again later.
const RETRYING: PhaseSet = PhaseSet::of(&[PhaseKind::WaitingNetworkRetry]);
/// The session has ended.
const ENDED: PhaseSet = PhaseSet::of(&[PhaseKind::Completed]);

const fn apply(input: InputKind, phases: PhaseSet, condition: TransitionCondition) -> TransitionRow {
    let inputs = InputSet::of(&[input]);
    TransitionRow { inputs, phases, condition, answer: TransitionAnswer::Apply }
}

const fn ignore(
    input: InputKind,
    phases: PhaseSet,
    condition: TransitionCondition,
    why: IgnoreReason,
) -> TransitionRow {
    let inputs = InputSet::of(&[input]);
    TransitionRow { inputs, phases, condition, answer: TransitionAnswer::Ignore(why) }
}

/// The last row of an input: it is applied where no earlier row decides.
const fn apply_otherwise(input: InputKind) -> TransitionRow {
    apply(input, ANY, TransitionCondition::Always)
}

/// The last row of an input: it is ignored where no earlier row decides.
const fn ignore_otherwise(input: InputKind, why: IgnoreReason) -> TransitionRow {
    ignore(input, ANY, TransitionCondition::Always, why)
}

/// The table. The first rows hold for many inputs; then each input has its rows, in the order of [`InputKind`].
pub(super) const TRANSITIONS: &[TransitionRow] = &[
    // An unknown outcome may be settled after the end, too. An ended session may be read, and a copy reopens it.
    TransitionRow {
        inputs: InputSet::all_but(&[
            On::CallSettled,
            On::UsageSettled,
            On::RulesChanged,
            On::SessionCopied,
            On::MessagesRead,
            On::EndSeen,
            On::DecisionCommented,
        ]),
        phases: ENDED,
        condition: If::Always,
        answer: TransitionAnswer::Ignore(Ended),
    },
    // A new name does not resume work.
    ignore(On::RulesChanged, ENDED, If::ChangesMoreThanName, Ended),
    // A seed stores messages.
    TransitionRow {
        inputs: InputSet::all_but(&[
            On::SessionCreated,
            On::UserMessageSent,
            On::StopRequested,
            On::SessionCopied,
            On::MessagesRead,
        ]),
        phases: ANY,
        condition: If::SessionIsSeed,
        answer: TransitionAnswer::Ignore(NeverRun),
    },
    ignore(On::SessionCreated, ANY, If::SessionHasInputs, Duplicate),
    ignore(On::SessionCreated, ANY, If::CreationExceedsRights, NotApplicable),
    apply_otherwise(On::SessionCreated),
    // An agent with a question to its caller continues only with that answer.
    ignore(On::SessionActivationRequested, ANY, If::AgentAwaitsAnswer, NotApplicable),
    apply(On::SessionActivationRequested, RETRYING, If::Always),
    apply(On::SessionActivationRequested, RESTING, If::WorkHasBegun),
    ignore_otherwise(On::SessionActivationRequested, NotApplicable),
    ignore(On::StandingChanged, ANY, If::SlotIsUnchanged, Duplicate),
    apply_otherwise(On::StandingChanged),
    // An agent works for its caller: people only decide on its calls, and may stop it.
    ignore(On::UserMessageSent, ANY, If::SessionIsAgent, NotApplicable),
    // A resting session takes up all queued messages at once.
    apply(On::UserMessageSent, RESTING, If::Always),
    ignore(On::UserMessageSent, ANY, If::QueueIsFull, QueueFull),
    apply_otherwise(On::UserMessageSent),
    apply(On::AiResponseReceived, CALLING, If::AttemptIsOpen),
    ignore_otherwise(On::AiResponseReceived, Stale),
    ignore(On::ValidationReceived, CALLS, If::DecisionsDoNotFit, NotApplicable),
    ignore(On::ValidationReceived, CALLS, If::DecisionsContradict, Conflict),
    ignore(On::ValidationReceived, CALLS, If::ApproverAsked, FourEyes(ApproverObjection::Asked)),
    ignore(On::ValidationReceived, CALLS, If::ApproverWrote, FourEyes(ApproverObjection::Wrote)),
    ignore(On::ValidationReceived, CALLS, If::RequestersAreUnknown, FourEyes(ApproverObjection::Unknown)),
    ignore(On::ValidationReceived, CALLS, If::ApproverIsUnlisted, FourEyes(ApproverObjection::Unlisted)),
    ignore(On::ValidationReceived, CALLS, If::DecisionsAreRepeated, Duplicate),
    apply(On::ValidationReceived, CALLS, If::Always),
    ignore_otherwise(On::ValidationReceived, NotApplicable),
    apply(On::CommunicationResponseReceived, ASKING, If::Always),
    ignore_otherwise(On::CommunicationResponseReceived, NotApplicable),
    apply(On::CallFinished, CALLS, If::CallIsAwaited),
    ignore_otherwise(On::CallFinished, Stale),
    apply(On::PolicyAnswered, CALLS, If::PolicyIsAwaited),
    ignore_otherwise(On::PolicyAnswered, Stale),
    apply(On::CallSettled, ANY, If::CallIsUnsettled),
    ignore_otherwise(On::CallSettled, NotApplicable),
    apply(On::CompletionConfirmed, CONFIRMING, If::Always),
    ignore_otherwise(On::CompletionConfirmed, NotApplicable),
    apply(On::CompletionRejected, CLOSING, If::Always),
    ignore_otherwise(On::CompletionRejected, NotApplicable),
    apply(On::NetworkErrorOccurred, CALLING, If::AttemptIsOpen),
    ignore_otherwise(On::NetworkErrorOccurred, Stale),
    apply(On::ProviderErrorOccurred, CALLING, If::AttemptIsOpen),
    ignore_otherwise(On::ProviderErrorOccurred, Stale),
    apply(On::NetworkAvailable, RETRYING, If::Always),
    ignore_otherwise(On::NetworkAvailable, NotApplicable),
    apply_otherwise(On::SystemErrorOccurred),
    apply(On::StopRequested, WORKING, If::Always),
    apply(On::StopRequested, ANY, If::StopEndsSession),
    ignore_otherwise(On::StopRequested, NotApplicable),
    apply(On::RoundInterrupted, WORKING, If::Always),
    ignore_otherwise(On::RoundInterrupted, NotApplicable),
    apply(On::TimeReached, ANY, If::DeadlineIsDue),
    ignore_otherwise(On::TimeReached, NotDue),
    apply(On::MissionContinued, IDLE, If::AgentAwaitsAnswer),
    ignore_otherwise(On::MissionContinued, NotApplicable),
    apply(On::MissionEnded, ANY, If::SessionIsAgent),
    ignore_otherwise(On::MissionEnded, NotApplicable),
    apply(On::ChildEnded, ANY, If::ChildRests),
    ignore_otherwise(On::ChildEnded, NotApplicable),
    apply(On::TaskFinished, ANY, If::TaskIsKnown),
    ignore_otherwise(On::TaskFinished, Stale),
    // Before the first round there is nothing to summarize.
    apply(On::CompactionRequested, IDLE, If::ChatHasRounds),
    ignore_otherwise(On::CompactionRequested, NotApplicable),
    apply(On::BudgetReached, CALLING, If::AttemptIsOpen),
    ignore_otherwise(On::BudgetReached, Stale),
    apply(On::SpendingRefused, MODEL_AT_WORK, If::AttemptIsOpen),
    ignore_otherwise(On::SpendingRefused, Stale),
    apply(On::SpendingAnswered, RESTING, If::SpendingIsAsked),
    ignore_otherwise(On::SpendingAnswered, NotApplicable),
    apply(On::UsageSettled, ANY, If::UsageIsUnknown),
    ignore_otherwise(On::UsageSettled, NotApplicable),
    apply(On::ContextCompacted, COMPACTING, If::AttemptIsOpen),
    ignore_otherwise(On::ContextCompacted, Stale),
    apply(On::CompactionFailed, COMPACTING, If::AttemptIsOpen),
    ignore_otherwise(On::CompactionFailed, Stale),
    ignore(On::RulesChanged, ANY, If::ChangeIsEmpty, NotApplicable),
    // The called model must be the one whose reply is awaited.
    ignore(On::RulesChanged, MODEL_AT_WORK, If::ChangeSelectsModel, NotApplicable),
    apply_otherwise(On::RulesChanged),
    apply(On::SessionCopied, ANY, If::SessionHasInputs),
    ignore_otherwise(On::SessionCopied, NotApplicable),
    apply(On::MessagesRead, ANY, If::ReadMarkIsNew),
    ignore_otherwise(On::MessagesRead, Duplicate),
    apply(On::MessageWithdrawn, ANY, If::MessageIsQueued),
    ignore_otherwise(On::MessageWithdrawn, NotApplicable),
    apply(On::EndSeen, ANY, If::FailureIsUnseen),
    ignore(On::EndSeen, ANY, If::EndIsSeen, Duplicate),
    apply(On::EndSeen, ENDED, If::EndIsUnseen),
    ignore_otherwise(On::EndSeen, NotApplicable),
    ignore(On::DecisionCommented, CALLS, If::CommentedCallWaits, NotApplicable),
    apply_otherwise(On::DecisionCommented),
    ignore(On::SessionOpened, ANY, If::SlotIsRefused, NotApplicable),
    ignore(On::SessionOpened, ANY, If::LeaseLasts, Duplicate),
    apply_otherwise(On::SessionOpened),
    apply(On::SessionLeft, ANY, If::AttachmentIsKnown),
    ignore_otherwise(On::SessionLeft, Duplicate),
    apply(On::SchedulerHeartbeat, ANY, If::WatchdogIsDue),
    ignore_otherwise(On::SchedulerHeartbeat, NotDue),
];

// An input without a row for every phase does not compile.
const _: () = assert!(decides_every_pair());

/// Whether each input has a row without a condition for each phase.
const fn decides_every_pair() -> bool {
    let mut kind = 0;
    while kind < InputKind::ALL.len() {
        let (mut decided, mut row) = (0, 0);
        while row < TRANSITIONS.len() {
            let TransitionRow { inputs, phases, condition, answer: _ } = TRANSITIONS[row];
            if inputs.contains(InputKind::ALL[kind]) && matches!(condition, TransitionCondition::Always) {
                decided |= phases.0;
            }
            row += 1;
        }
        if decided != ANY.0 {
            return false;
        }
        kind += 1;
    }
    true
}

/// The answer to an input.
pub(super) fn find_answer(context: &DispatchContext<'_>) -> TransitionAnswer {
    let (input, phase) = (context.input.kind(), context.phase.kind());
    let holds = |row: &&TransitionRow| {
        row.inputs.contains(input) && row.phases.contains(phase) && context.holds(row.condition)
    };
    // A row without a condition exists for every pair.
    TRANSITIONS.iter().find(holds).map_or(TransitionAnswer::Ignore(NotApplicable), |row| row.answer)
}
