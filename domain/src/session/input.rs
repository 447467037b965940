//! Inputs: the events that change a session; nothing else does.

mod call_lookup;
mod creation;
mod properties;
mod rules_change;
mod user_message_sent;

use crate::agent::{AgentReport, MissionEnd};
use crate::call::CallOutcome;
use crate::id::{CallId, Digest, MessageId, RoundAttempt, SessionId, TaskId};
use crate::message::AiMessage;
use crate::session::RunPolicy;
use crate::session::failure::ModelFailure;
use crate::session::{
    AlwaysSendSection, ContextSummary, ReplyEnd, Slot, StoppedReply, SummaryFault, SummaryMethod,
    SummaryRequest,
};
use crate::spending::{SpendingAnswer, SpendingRefusal};
use crate::task::TaskOutcome;
use crate::time::Timestamp;
use crate::usage::Usage;
use crate::validation::{ApprovalReason, Decision, PolicyAnswer};

pub use call_lookup::*;
pub use creation::{RunStart, SessionCreation};
pub use properties::*;
pub use rules_change::{RulesChange, SessionRename};
pub use user_message_sent::UserMessageSent;

use properties::visit_twins;

/// An event of a session. Data that a transition would have to look up is part of it, so replaying the inputs yields
/// the stored state, after upgrades too.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// The session was created.
    SessionCreated(Box<SessionCreation>),
    /// A person wants the session to work: it continues from where it rests.
    SessionActivationRequested {
        /// The person who requested it.
        author: String,
    },
    /// Placement gave or took the session's slot.
    StandingChanged {
        /// The new slot state.
        slot: Slot,
    },
    /// A user message was accepted.
    UserMessageSent(UserMessageSent),
    /// A model replied.
    AiResponseReceived(Box<AiResponse>),
    /// A person decided on calls.
    ValidationReceived {
        /// The person who decided.
        author: String,
        /// One decision per call, for some or all open calls.
        decisions: Vec<Decision>,
    },
    /// A person answered the question.
    CommunicationResponseReceived {
        /// The person who answered.
        author: String,
        /// The answer as the model reads it.
        answer: String,
    },
    /// An attempt of a call finished.
    CallFinished {
        /// Id of the call.
        call: CallId,
        /// Its attempt; 0 for a local action, which has none.
        attempt: u32,
        /// Outcome of the attempt.
        outcome: CallOutcome,
    },
    /// The policy hook answered about a call that has not started, or gave no answer in time.
    PolicyAnswered {
        /// Id of the call.
        call: CallId,
        /// The answer.
        answer: Box<PolicyAnswer>,
        /// Reasons why approval is needed after this answer.
        reasons: Vec<ApprovalReason>,
        /// Hash of the card that shows them; `None` if no approval is needed.
        card: Option<Digest>,
    },
    /// A person declared the outcome of an action with unknown outcome.
    CallSettled {
        /// Id of the call.
        call: CallId,
        /// Name of the command.
        command: String,
        /// Whether the effect happened.
        happened: bool,
        /// The person's note, if any.
        note: Option<String>,
        /// The person who declared it.
        author: String,
    },
    /// A person confirms that the work is done.
    CompletionConfirmed {
        /// The person who confirmed.
        author: String,
    },
    /// A person declares that the work is not done.
    CompletionRejected {
        /// The person who rejected the completion.
        author: String,
        /// Missing work, if the person named it.
        reason: Option<String>,
    },
    /// The provider could not be reached.
    NetworkErrorOccurred {
        /// Number of the round.
        round: u32,
        /// Number of the attempt.
        attempt: u32,
        /// The failure, of class `Unreachable`.
        failure: ModelFailure,
    },
    /// A model call failed in another way.
    ProviderErrorOccurred {
        /// Number of the round.
        round: u32,
        /// Number of the attempt.
        attempt: u32,
        /// The failure.
        failure: ModelFailure,
        /// Tokens, if known.
        usage: Option<Usage>,
    },
    /// The network is back.
    NetworkAvailable,
    /// Entracte itself failed.
    SystemErrorOccurred {
        /// Description for people.
        message: String,
    },
    /// A person stops the session's work, or the session itself.
    StopRequested {
        /// The person who requested the stop.
        author: String,
        /// True if the session ends (always so for runs and agents).
        end: bool,
        /// The reply that the model was writing, if it had shown any text.
        reply: Option<StoppedReply>,
    },
    /// A person interrupts the round.
    RoundInterrupted {
        /// The person who interrupted.
        author: String,
        /// The reply that the model was writing, if it had shown any text.
        reply: Option<StoppedReply>,
    },
    /// A deadline may be due.
    TimeReached,
    /// The caller answers a resting agent, which from now on answers this call.
    MissionContinued {
        /// Id of the call.
        call: CallId,
        /// The answer. Data only: it decides nothing.
        answer: String,
    },
    /// The agent's caller no longer waits for it.
    MissionEnded {
        /// Reason of the end.
        why: MissionEnd,
    },
    /// A resting agent ended while no call waited for it.
    ChildEnded {
        /// The agent's report.
        report: Box<AgentReport>,
    },
    /// A long task ended, or its end came late.
    TaskFinished {
        /// Id of the task.
        task: TaskId,
        /// Outcome of the task.
        outcome: TaskOutcome,
        /// True if the task had ended before: its deadline had passed, or it had been cancelled.
        late: bool,
        /// The result as received: untrusted data.
        content: String,
    },
    /// A person requested a summary of the conversation now.
    CompactionRequested {
        /// The person who requested it.
        author: String,
    },
    /// The request of an attempt exceeds the context budget; it was not sent.
    BudgetReached {
        /// Number of the round.
        round: u32,
        /// Number of the attempt.
        attempt: u32,
        /// Estimated tokens of the request.
        size: u64,
        /// Maximum tokens of a request.
        budget: u64,
        /// Method of the summary, from the model's limits and the settings.
        method: SummaryMethod,
        /// If files leave the prompt instead of a summary, the sequence of the first reply after them: images and PDFs
        /// before it are only named from then on.
        files_from: Option<u64>,
    },
    /// An attempt may not be paid for; it was not sent.
    SpendingRefused {
        /// Number of the round.
        round: u32,
        /// Number of the attempt.
        attempt: u32,
        /// Reason of the refusal.
        why: SpendingRefusal,
    },
    /// A person answered whether more of a cap may be used.
    SpendingAnswered {
        /// The person who answered.
        author: String,
        /// The answer.
        answer: SpendingAnswer,
    },
    /// A person stated what a model call of unknown usage used.
    UsageSettled {
        /// The person who stated it.
        author: String,
        /// Number of the round.
        round: u32,
        /// Number of the attempt.
        attempt: u32,
        /// The usage, with its cost.
        usage: Usage,
    },
    /// The context was summarized.
    ContextCompacted {
        /// Number of the round.
        round: u32,
        /// Number of the attempt.
        attempt: u32,
        /// The summary.
        summary: Box<ContextSummary>,
        /// The request to the model; `None` if no model was called, and in journals of earlier versions.
        asked: Option<Box<SummaryRequest>>,
        /// Tokens, if known.
        usage: Option<Usage>,
        /// The frozen prefix of the generation that begins with the summary.
        prefix: Option<(Digest, Vec<AlwaysSendSection>)>,
    },
    /// The summary failed.
    CompactionFailed {
        /// Number of the round.
        round: u32,
        /// Number of the attempt.
        attempt: u32,
        /// Reason for people.
        message: String,
        /// Reason that determines the next step.
        fault: SummaryFault,
        /// The request to the model; `None` if nothing was sent or it is unknown, and in journals of earlier versions.
        asked: Option<Box<SummaryRequest>>,
        /// Tokens, if known.
        usage: Option<Usage>,
    },
    /// Rules, catalog, flags, model or always-sent data changed during the session.
    RulesChanged(Box<RulesChange>),
    /// The session is a copy of another one up to this point. Unfinished work of the original stays with the original.
    SessionCopied {
        /// The original session.
        from: SessionId,
        /// Sequence in the original at which the copy ends.
        at: u64,
        /// Origin of the copy.
        how: SessionCopyOrigin,
        /// The person who made the copy.
        author: String,
        /// Policies in the copy that differ from the workspace's. `None` in journals of earlier versions: the copy kept
        /// its policy.
        policy: Option<RunPolicy>,
        /// True if prompt authors are counted: a fork keeps those of the original, and those of a file are unknown.
        /// False in journals of earlier versions, which did not count them.
        counts_authors: bool,
        /// The call that the original answered as an agent, under its id in the copy of the caller, which came with this
        /// one; `None` if no caller was copied.
        call: Option<CallId>,
    },
    /// A person read the conversation up to a sequence.
    MessagesRead {
        /// The person who read it.
        reader: String,
        /// The session's sequence of the last entry read.
        sequence: u64,
    },
    /// A person withdrew a message that waits for a model call.
    MessageWithdrawn {
        /// The person who withdrew it.
        author: String,
        /// Id of the message.
        message: MessageId,
    },
    /// A person saw how a run ended.
    EndSeen {
        /// The person who saw it.
        author: String,
    },
    /// A person gave a reason for a decision that had been made before: the reason is stored with the first decision. No
    /// model reads it.
    DecisionCommented {
        /// The person who gave the reason.
        author: String,
        /// Id of the call that was decided on.
        call: CallId,
        /// The reason.
        comment: String,
    },
    /// A client opened the session, or renews its lease.
    SessionOpened(SessionOpening),
    /// A client closed the session.
    SessionLeft {
        /// The person who closed it.
        author: String,
        /// Id of the attachment that ends.
        attachment: String,
    },
    /// The periodic check by the scheduler.
    SchedulerHeartbeat,
}

/// An attachment of a client to a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionOpening {
    /// The person who has the session open.
    pub author: String,
    /// Id of the attachment, chosen by the client; the same id renews the lease.
    pub attachment: String,
    /// End of the lease, unless renewed before.
    pub until: Timestamp,
    /// True if the session requests its slot although it has no work.
    pub asks_slot: bool,
}

impl SessionOpening {
    /// A request for the slot keeps the session busy; otherwise the session is only watched.
    const fn activity(&self) -> InputActivity {
        if self.asks_slot { InputActivity::Upkeep } else { InputActivity::Observation }
    }
}

crate::words! {
    /// Origin of a copied session.
    pub enum SessionCopyOrigin {
        /// Forked from a session of the same database.
        Fork = "fork",
        /// Imported from a file.
        Import = "import",
    }
}

/// A reply of a model, parsed and looked up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AiResponse {
    /// Number of the round.
    pub round: u32,
    /// Number of the attempt.
    pub attempt: u32,
    /// The parsed reply.
    pub message: AiMessage,
    /// How the reply ended. [`ReplyEnd::Done`] in journals of earlier versions, where a cut reply has a fault instead.
    pub end: ReplyEnd,
    /// Whether the reply's question, if any, is asked in the closing call at a limit, too: false in journals of earlier
    /// versions, which dropped it there.
    pub asks_at_limit: bool,
    /// Faults of the reply; empty if it could be read.
    pub faults: Vec<FormatFault>,
    /// Requested calls in reply order, queries and actions.
    pub calls: Vec<RequestedCall>,
    /// Tokens; `None` if the provider did not report them.
    pub usage: Option<Usage>,
    /// Hash of the request body.
    pub request: Option<Digest>,
    /// The provider's id of the conversation, the answer or the request. Stored for people and never sent back:
    /// Entracte keeps the transcript itself.
    pub handle: Option<String>,
}

/// Why a reply could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FormatFault {
    /// Stable code of the fault; equal faults have equal codes and places.
    pub code: String,
    /// Path in the reply; `None` if the fault has no place, and in journals of earlier versions.
    pub place: Option<String>,
    /// The fault and the expected form.
    pub text: String,
}

impl AiResponse {
    /// The number of the attempt that it answers.
    pub const fn number(&self) -> RoundAttempt {
        RoundAttempt { round: self.round, attempt: self.attempt }
    }
}

crate::words! {
    /// The kind of an input: its variant without data. The word is its name in the journal.
    #[expect(missing_docs, reason = "the variants of `Input`")]
    pub enum InputKind {
        SessionCreated = "SessionCreated",
        SessionActivationRequested = "SessionActivationRequested",
        StandingChanged = "StandingChanged",
        UserMessageSent = "UserMessageSent",
        AiResponseReceived = "AiResponseReceived",
        ValidationReceived = "ValidationReceived",
        CommunicationResponseReceived = "CommunicationResponseReceived",
        CallFinished = "CallFinished",
        PolicyAnswered = "PolicyAnswered",
        CallSettled = "CallSettled",
        CompletionConfirmed = "CompletionConfirmed",
        CompletionRejected = "CompletionRejected",
        NetworkErrorOccurred = "NetworkErrorOccurred",
        ProviderErrorOccurred = "ProviderErrorOccurred",
        NetworkAvailable = "NetworkAvailable",
        SystemErrorOccurred = "SystemErrorOccurred",
        StopRequested = "StopRequested",
        RoundInterrupted = "RoundInterrupted",
        TimeReached = "TimeReached",
        MissionContinued = "MissionContinued",
        MissionEnded = "MissionEnded",
        ChildEnded = "ChildEnded",
        TaskFinished = "TaskFinished",
        CompactionRequested = "CompactionRequested",
        BudgetReached = "BudgetReached",
        SpendingRefused = "SpendingRefused",
        SpendingAnswered = "SpendingAnswered",
        UsageSettled = "UsageSettled",
        ContextCompacted = "ContextCompacted",
        CompactionFailed = "CompactionFailed",
        RulesChanged = "RulesChanged",
        SessionCopied = "SessionCopied",
        MessagesRead = "MessagesRead",
        MessageWithdrawn = "MessageWithdrawn",
        EndSeen = "EndSeen",
        DecisionCommented = "DecisionCommented",
        SessionOpened = "SessionOpened",
        SessionLeft = "SessionLeft",
        SchedulerHeartbeat = "SchedulerHeartbeat",
    }
}

impl Input {
    /// The properties of this input: the one table that everything reads which treats inputs alike.
    pub fn properties(&self) -> InputProperties<'_> {
        use InputActivity::{Observation, Progress, Upkeep};
        use InputCategory::{CallResult, Failure, Halt, Housekeeping, ModelReply};
        use InputKind as Kind;
        use ModelCallImpact::{Interruption, Loss};
        let (row, act) = (InputProperties::new, InputProperties::of_person);
        match self {
            Input::SessionCreated(_) => row(Kind::SessionCreated, Housekeeping, Progress),
            Input::SessionActivationRequested { author } => act(Kind::SessionActivationRequested, author),
            Input::StandingChanged { .. } => row(Kind::StandingChanged, Housekeeping, Upkeep),
            Input::UserMessageSent(sent) => act(Kind::UserMessageSent, &sent.author)
                .saying(MessageSource::Person(&sent.message))
                .under_key(sent.client_key.as_deref()),
            Input::AiResponseReceived(response) => {
                row(Kind::AiResponseReceived, ModelReply, Progress).saying(MessageSource::Model(response))
            }
            Input::ValidationReceived { author, .. } => act(Kind::ValidationReceived, author),
            Input::CommunicationResponseReceived { author, answer } => {
                act(Kind::CommunicationResponseReceived, author).saying(MessageSource::Answer(answer))
            }
            Input::CallFinished { outcome, .. } => {
                row(Kind::CallFinished, CallResult, Progress.unless(outcome.is_crash()))
            }
            Input::PolicyAnswered { .. } => row(Kind::PolicyAnswered, Housekeeping, Progress),
            Input::CallSettled { author, .. } => act(Kind::CallSettled, author),
            Input::CompletionConfirmed { author } => act(Kind::CompletionConfirmed, author),
            Input::CompletionRejected { author, .. } => act(Kind::CompletionRejected, author),
            Input::NetworkErrorOccurred { .. } => row(Kind::NetworkErrorOccurred, Failure, Progress),
            Input::ProviderErrorOccurred { failure, .. } => {
                row(Kind::ProviderErrorOccurred, Failure, Progress.unless(failure.found_by_start.is_some()))
            }
            Input::NetworkAvailable => row(Kind::NetworkAvailable, Housekeeping, Progress),
            Input::SystemErrorOccurred { .. } => {
                row(Kind::SystemErrorOccurred, Failure, Progress).ending_call(Loss)
            }
            Input::StopRequested { author, reply, .. } => act(Kind::StopRequested, author)
                .of_category(Halt)
                .ending_call(Interruption)
                .saying_if(reply.as_ref().map(MessageSource::Stopped)),
            Input::RoundInterrupted { author, reply } => act(Kind::RoundInterrupted, author)
                .of_category(Halt)
                .ending_call(Interruption)
                .saying_if(reply.as_ref().map(MessageSource::Stopped)),
            // During a model call, only the end of a run's time is due.
            Input::TimeReached => row(Kind::TimeReached, Housekeeping, Upkeep).ending_call(Interruption),
            Input::MissionContinued { .. } => row(Kind::MissionContinued, Housekeeping, Progress),
            Input::MissionEnded { .. } => {
                row(Kind::MissionEnded, Housekeeping, Progress).ending_call(Interruption)
            }
            Input::ChildEnded { .. } => row(Kind::ChildEnded, CallResult, Progress),
            Input::TaskFinished { .. } => row(Kind::TaskFinished, Housekeeping, Progress),
            Input::CompactionRequested { author } => act(Kind::CompactionRequested, author),
            Input::BudgetReached { .. } => row(Kind::BudgetReached, Housekeeping, Progress),
            Input::SpendingRefused { .. } => row(Kind::SpendingRefused, Housekeeping, Progress),
            Input::SpendingAnswered { author, .. } => act(Kind::SpendingAnswered, author),
            Input::UsageSettled { author, .. } => act(Kind::UsageSettled, author).of_activity(Observation),
            Input::ContextCompacted { .. } => row(Kind::ContextCompacted, Housekeeping, Progress),
            Input::CompactionFailed { fault, .. } => {
                row(Kind::CompactionFailed, Failure, Progress.unless(fault.is_crash()))
            }
            Input::RulesChanged(_) => row(Kind::RulesChanged, Housekeeping, Upkeep),
            Input::SessionCopied { author, .. } => {
                row(Kind::SessionCopied, Housekeeping, Progress).by(author).ending_call(Interruption)
            }
            Input::MessagesRead { reader, .. } => {
                row(Kind::MessagesRead, Housekeeping, Observation).by(reader)
            }
            Input::MessageWithdrawn { author, .. } => act(Kind::MessageWithdrawn, author).of_activity(Upkeep),
            Input::EndSeen { author } => row(Kind::EndSeen, Housekeeping, Observation).by(author),
            Input::DecisionCommented { author, .. } => {
                act(Kind::DecisionCommented, author).of_activity(Observation)
            }
            Input::SessionOpened(opening) => {
                row(Kind::SessionOpened, Housekeeping, opening.activity()).by(&opening.author)
            }
            Input::SessionLeft { author, .. } => row(Kind::SessionLeft, Housekeeping, Observation).by(author),
            Input::SchedulerHeartbeat => {
                row(Kind::SchedulerHeartbeat, Housekeeping, Upkeep).ending_call(Interruption)
            }
        }
    }

    /// Lets a visitor replace the ids that name the input's own session, its calls, messages and children.
    pub fn visit_own_ids(&mut self, visitor: &impl InputIdVisitor) {
        match self {
            Input::UserMessageSent(sent) => {
                visit_twins(&mut sent.enrichments, visitor);
                sent.instead_of.iter_mut().for_each(|call| visitor.call(call));
            }
            Input::AiResponseReceived(response) => {
                visit_twins(&mut response.calls, visitor);
                response.calls.iter_mut().for_each(|call| visitor.command(&mut call.command));
            }
            Input::ValidationReceived { decisions, .. } => {
                decisions.iter_mut().for_each(|decision| visitor.call(&mut decision.call));
            }
            Input::MessageWithdrawn { message, .. } => visitor.message(message),
            Input::CallFinished { call, outcome: CallOutcome::Reported { report, .. }, .. } => {
                visitor.call(call);
                visitor.child(&mut report.child);
            }
            Input::CallFinished { call, .. }
            | Input::PolicyAnswered { call, .. }
            | Input::CallSettled { call, .. }
            | Input::DecisionCommented { call, .. } => visitor.call(call),
            Input::ChildEnded { report } => visitor.child(&mut report.child),
            Input::RulesChanged(change) => {
                change.rechecks.iter_mut().for_each(|recheck| visitor.call(&mut recheck.call));
            }
            Input::SessionCreated(_)
            | Input::SessionActivationRequested { .. }
            | Input::StandingChanged { .. }
            | Input::CommunicationResponseReceived { .. }
            | Input::CompletionConfirmed { .. }
            | Input::CompletionRejected { .. }
            | Input::NetworkErrorOccurred { .. }
            | Input::ProviderErrorOccurred { .. }
            | Input::NetworkAvailable
            | Input::SystemErrorOccurred { .. }
            | Input::StopRequested { .. }
            | Input::RoundInterrupted { .. }
            | Input::TimeReached
            | Input::MissionContinued { .. }
            | Input::MissionEnded { .. }
            | Input::TaskFinished { .. }
            | Input::CompactionRequested { .. }
            | Input::BudgetReached { .. }
            | Input::SpendingRefused { .. }
            | Input::SpendingAnswered { .. }
            | Input::UsageSettled { .. }
            | Input::ContextCompacted { .. }
            | Input::CompactionFailed { .. }
            | Input::SessionCopied { .. }
            | Input::MessagesRead { .. }
            | Input::EndSeen { .. }
            | Input::SessionOpened(_)
            | Input::SessionLeft { .. }
            | Input::SchedulerHeartbeat => {}
        }
    }
}
