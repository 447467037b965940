//! Inputs: the events that change a session; nothing else does.

mod call_lookup;
mod creation;

use crate::agent::{AgentReport, MissionEnd};
use crate::call::CallOutcome;
use crate::id::{CallId, Digest, MessageId, RoundAttempt, SessionId, TaskId};
use crate::message::{AiMessage, Author, INVALID_FORMAT_PREFIX, Message, MessageBody, UserMessage};
use crate::plan::PlanMode;
use crate::restriction::Restriction;
use crate::session::RunPolicy;
use crate::session::failure::ModelFailure;
use crate::session::{
    AlwaysSendSection, ContextSummary, ModelSelection, Slot, SummaryFault, SummaryMethod, SummaryRequest,
};
use crate::task::TaskOutcome;
use crate::time::Timestamp;
use crate::usage::Usage;
use crate::validation::{Decision, PromptAuthors};

pub use call_lookup::*;
pub use creation::{RunStart, SessionCreation};

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
    },
    /// A person interrupts the round.
    RoundInterrupted {
        /// The person who interrupted.
        author: String,
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

/// The changes of a session's rules, catalog, flags, model or data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RulesChange {
    /// Notice about the change for the model.
    pub notice: Option<String>,
    /// Approval needs of calls that have not started, looked up again.
    pub rechecks: Vec<ApprovalRecheck>,
    /// Hash of the new frozen prefix, if a generation begins with it.
    pub prefix: Option<Digest>,
    /// The always-sent data in prefix and notice together, if it changed.
    pub told: Option<Vec<AlwaysSendSection>>,
    /// Whether every action needs approval from now on, if changed.
    pub require_validation: Option<bool>,
    /// Plan mode from now on, if changed.
    pub mode: Option<PlanMode>,
    /// Permitted commands from now on, if changed.
    pub restriction: Option<Restriction>,
    /// Model from now on, if changed; a new prefix comes with it.
    pub voice: Option<ModelSelection>,
    /// New name for people, if changed.
    pub name: Option<SessionRename>,
    /// Authors whose words the model reads from now on, beside the earlier ones; the first time also the earlier ones.
    pub prompt_authors: Option<PromptAuthors>,
}

/// A renaming of a session by a person.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionRename {
    /// The person who renamed it.
    pub author: String,
    /// The new name.
    pub name: String,
}

impl RulesChange {
    /// Whether the change is empty.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether only the name changes, which does not affect the session's work.
    pub fn only_renames(&self) -> bool {
        self.name.is_some() && Self { name: None, ..self.clone() }.is_empty()
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

/// An accepted user message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UserMessageSent {
    /// The author of the message.
    pub author: String,
    /// Text and references.
    pub message: UserMessage,
    /// Idempotency key from the client.
    pub client_key: Option<String>,
    /// Queries of the enrichments.
    pub enrichments: Vec<RequestedCall>,
    /// Title that the session gets from its first message; `None` if it has a name.
    pub title: Option<String>,
    /// Whether the author counts as asking for the following work: true except in journals of v0.1.
    pub asks: bool,
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
    /// Stable code of the fault; equal faults have equal codes.
    pub code: String,
    /// The fault and the expected form.
    pub text: String,
}

impl AiResponse {
    /// The number of the attempt that it answers.
    pub const fn number(&self) -> RoundAttempt {
        RoundAttempt { round: self.round, attempt: self.attempt }
    }
}

impl Input {
    /// The name of the input in the journal.
    pub const fn label(&self) -> &'static str {
        match self {
            Input::SessionCreated(_) => "SessionCreated",
            Input::SessionActivationRequested { .. } => "SessionActivationRequested",
            Input::StandingChanged { .. } => "StandingChanged",
            Input::UserMessageSent(_) => "UserMessageSent",
            Input::AiResponseReceived(_) => "AiResponseReceived",
            Input::ValidationReceived { .. } => "ValidationReceived",
            Input::CommunicationResponseReceived { .. } => "CommunicationResponseReceived",
            Input::CallFinished { .. } => "CallFinished",
            Input::CallSettled { .. } => "CallSettled",
            Input::CompletionConfirmed { .. } => "CompletionConfirmed",
            Input::CompletionRejected { .. } => "CompletionRejected",
            Input::NetworkErrorOccurred { .. } => "NetworkErrorOccurred",
            Input::ProviderErrorOccurred { .. } => "ProviderErrorOccurred",
            Input::NetworkAvailable => "NetworkAvailable",
            Input::SystemErrorOccurred { .. } => "SystemErrorOccurred",
            Input::StopRequested { .. } => "StopRequested",
            Input::RoundInterrupted { .. } => "RoundInterrupted",
            Input::TimeReached => "TimeReached",
            Input::MissionContinued { .. } => "MissionContinued",
            Input::MissionEnded { .. } => "MissionEnded",
            Input::ChildEnded { .. } => "ChildEnded",
            Input::TaskFinished { .. } => "TaskFinished",
            Input::CompactionRequested { .. } => "CompactionRequested",
            Input::BudgetReached { .. } => "BudgetReached",
            Input::ContextCompacted { .. } => "ContextCompacted",
            Input::CompactionFailed { .. } => "CompactionFailed",
            Input::RulesChanged(_) => "RulesChanged",
            Input::SessionCopied { .. } => "SessionCopied",
            Input::MessagesRead { .. } => "MessagesRead",
            Input::MessageWithdrawn { .. } => "MessageWithdrawn",
            Input::EndSeen { .. } => "EndSeen",
            Input::SessionOpened(_) => "SessionOpened",
            Input::SessionLeft { .. } => "SessionLeft",
            Input::SchedulerHeartbeat => "SchedulerHeartbeat",
        }
    }

    /// The message that this input itself is, as ordinal 0 of sequence `sequence`. A reply that could not be read is
    /// stored with a prefix.
    pub fn message(&self, session: &SessionId, sequence: u64, at: Timestamp) -> Option<Message> {
        let message = |author, body| {
            let id: MessageId = session.message_id(sequence, 0);
            Some(Message { id, at, author, body, exclude_from_prompt: false })
        };
        match self {
            Input::UserMessageSent(sent) => {
                message(Author::Person(sent.author.clone()), MessageBody::Rich(sent.message.clone()))
            }
            Input::CommunicationResponseReceived { author, answer } => {
                message(Author::Person(author.clone()), MessageBody::Text(answer.as_str().into()))
            }
            Input::AiResponseReceived(response) => {
                let mut said = response.message.clone();
                if !response.faults.is_empty() {
                    said.pre_text = format!("{INVALID_FORMAT_PREFIX} {}", said.original);
                }
                message(Author::Model, MessageBody::Ai(said))
            }
            Input::SessionCreated(_)
            | Input::SessionActivationRequested { .. }
            | Input::StandingChanged { .. }
            | Input::ValidationReceived { .. }
            | Input::CallFinished { .. }
            | Input::CallSettled { .. }
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
            | Input::ChildEnded { .. }
            | Input::TaskFinished { .. }
            | Input::CompactionRequested { .. }
            | Input::BudgetReached { .. }
            | Input::ContextCompacted { .. }
            | Input::CompactionFailed { .. }
            | Input::RulesChanged(_)
            | Input::SessionCopied { .. }
            | Input::MessagesRead { .. }
            | Input::MessageWithdrawn { .. }
            | Input::EndSeen { .. }
            | Input::SessionOpened(_)
            | Input::SessionLeft { .. }
            | Input::SchedulerHeartbeat => None,
        }
    }
}
