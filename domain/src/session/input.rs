//! What can happen to a session: the only thing that moves it.

mod call_lookup;
mod creation;

use crate::agent::{AgentReport, MissionEnd};
use crate::call::CallOutcome;
use crate::id::{CallId, Digest, MessageId, SessionId, TaskId};
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

/// A fact that happened to a session. What a transition has to look up is part of the fact, so replaying the
/// inputs gives the stored state, after upgrades too.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// It was made.
    SessionCreated(Box<SessionCreation>),
    /// A person wants it to work: go on from where it rests.
    SessionActivationRequested {
        /// The person who asked for it.
        author: String,
    },
    /// Placement gave or took its slot.
    StandingChanged {
        /// The slot it has now.
        slot: Slot,
    },
    /// A user message was accepted.
    UserMessageSent(UserMessageSent),
    /// A model answered.
    AiResponseReceived(Box<AiResponse>),
    /// A person decided on calls.
    ValidationReceived {
        /// The person who asked for it.
        author: String,
        /// One decision per call, some or all of those that are open.
        decisions: Vec<Decision>,
    },
    /// A person answered the question.
    CommunicationResponseReceived {
        /// The person who asked for it.
        author: String,
        /// The answer, as the model reads it.
        answer: String,
    },
    /// An attempt of a call came to its end.
    CallFinished {
        /// The call.
        call: CallId,
        /// Its attempt; 0 for a local action, which has none.
        attempt: u32,
        /// What came of it.
        outcome: CallOutcome,
    },
    /// A person said what became of an action of unknown outcome.
    CallSettled {
        /// The call.
        call: CallId,
        /// Name of its command.
        command: String,
        /// Whether it happened.
        happened: bool,
        /// What else the person says.
        note: Option<String>,
        /// The person who asked for it.
        author: String,
    },
    /// A person agrees that the work is done.
    CompletionConfirmed {
        /// The person who asked for it.
        author: String,
    },
    /// A person says that it is not.
    CompletionRejected {
        /// The person who asked for it.
        author: String,
        /// What is missing.
        reason: Option<String>,
    },
    /// Nothing reached the provider.
    NetworkErrorOccurred {
        /// The round.
        round: u32,
        /// The attempt.
        attempt: u32,
        /// The failure, of class `Unreachable`.
        failure: ModelFailure,
    },
    /// A model call failed in another way.
    ProviderErrorOccurred {
        /// The round.
        round: u32,
        /// The attempt.
        attempt: u32,
        /// The failure.
        failure: ModelFailure,
        /// Tokens, when they are known.
        usage: Option<Usage>,
    },
    /// The network is back.
    NetworkAvailable,
    /// Something of ours failed.
    SystemErrorOccurred {
        /// What, for people.
        message: String,
    },
    /// A person stops the session's work, or the session itself.
    StopRequested {
        /// The person who asked for it.
        author: String,
        /// End the session (always so for runs and agents).
        end: bool,
    },
    /// A person interrupts the round.
    RoundInterrupted {
        /// The person who asked for it.
        author: String,
    },
    /// A deadline may be due.
    TimeReached,
    /// Whoever called an agent answers what it asked. From now on it answers this call.
    MissionContinued {
        /// The call.
        call: CallId,
        /// The answer. Data: it decides nothing.
        answer: String,
    },
    /// Nobody waits for an agent any more.
    MissionEnded {
        /// Why.
        why: MissionEnd,
    },
    /// An agent that rested ended, while no call waited for it.
    ChildEnded {
        /// What it says.
        report: Box<AgentReport>,
    },
    /// A long task ended, or its end came late.
    TaskFinished {
        /// The task.
        task: TaskId,
        /// How.
        outcome: TaskOutcome,
        /// It was over before: its deadline had passed, or it had been called off.
        late: bool,
        /// What it answered, as it came. Nobody vouches for it.
        content: String,
    },
    /// A person wants the conversation summed up now.
    CompactionRequested {
        /// The person.
        author: String,
    },
    /// The request of an attempt is larger than it may be; it was not sent.
    BudgetReached {
        /// The round.
        round: u32,
        /// The attempt.
        attempt: u32,
        /// Tokens that it has, estimated.
        size: u64,
        /// Tokens that it may have.
        budget: u64,
        /// How a summary is to be made, by what the model takes and the settings say.
        method: SummaryMethod,
    },
    /// The context was summed up.
    ContextCompacted {
        /// The round.
        round: u32,
        /// The attempt.
        attempt: u32,
        /// The summary.
        summary: Box<ContextSummary>,
        /// What a model was asked with; none where none was asked, and in journals of before.
        asked: Option<Box<SummaryRequest>>,
        /// Tokens, when they are known.
        usage: Option<Usage>,
        /// The frozen prefix of the generation that begins with the summary.
        prefix: Option<(Digest, Vec<AlwaysSendSection>)>,
    },
    /// There is no summary.
    CompactionFailed {
        /// The round.
        round: u32,
        /// The attempt.
        attempt: u32,
        /// Why, for people.
        message: String,
        /// Why, for what follows.
        fault: SummaryFault,
        /// What a model was asked with; none where nothing was sent or nobody knows, and in journals of before.
        asked: Option<Box<SummaryRequest>>,
        /// Tokens, when they are known.
        usage: Option<Usage>,
    },
    /// Rules, catalog, flags, model or data that is always sent changed under the session.
    RulesChanged(Box<RulesChange>),
    /// The session is a copy of another one, up to here. Work that the original had under way stays with the original.
    SessionCopied {
        /// The other one.
        from: SessionId,
        /// The other one's sequence that the copy ends at.
        at: u64,
        /// How it was copied.
        how: SessionCopyOrigin,
        /// The person who asked for it.
        author: String,
        /// What holds in the copy, where it differs from the workspace. None in journals of before: the copy kept what it
        /// came with.
        policy: Option<RunPolicy>,
        /// The authors of the words of a fork stay counted, and those of a file are not known. False in journals of before,
        /// where nobody counted them.
        counts_authors: bool,
    },
    /// A person has read the conversation up to a sequence.
    MessagesRead {
        /// The person who has read it.
        reader: String,
        /// The session's sequence of the last entry that was read.
        sequence: u64,
    },
    /// A person takes back a message that still waits for a model call.
    MessageWithdrawn {
        /// The person.
        author: String,
        /// The message.
        message: MessageId,
    },
    /// A person has seen how a run ended.
    EndSeen {
        /// The person.
        author: String,
    },
    /// Somebody opened the session, or has it open still.
    SessionOpened(SessionOpening),
    /// Somebody closed the session.
    SessionLeft {
        /// The person.
        author: String,
        /// The attachment that ends.
        attachment: String,
    },
    /// The regular look of the scheduler.
    SchedulerHeartbeat,
}

/// Somebody opens a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionOpening {
    /// The person.
    pub author: String,
    /// Id of the attachment, drawn by whoever opens: the same again renews it.
    pub attachment: String,
    /// Until when it counts, unless it is renewed before.
    pub until: Timestamp,
    /// The session asks for its slot, though it has no work.
    pub asks_slot: bool,
}

/// What changed under a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RulesChange {
    /// What the model reads about it.
    pub notice: Option<String>,
    /// What approval the calls that have not started need now.
    pub rechecks: Vec<ApprovalRecheck>,
    /// The new frozen prefix, when a generation begins with it.
    pub prefix: Option<Digest>,
    /// The data that prefix and notice together hold now, when it changed.
    pub told: Option<Vec<AlwaysSendSection>>,
    /// Whether every action of the session needs approval from now on.
    pub require_validation: Option<bool>,
    /// Whether a plan comes before actions from now on.
    pub mode: Option<PlanMode>,
    /// Which commands the session may ask for from now on.
    pub restriction: Option<Restriction>,
    /// The model that speaks from now on; a new prefix comes with it.
    pub voice: Option<ModelSelection>,
    /// Its name for people.
    pub name: Option<SessionRename>,
    /// Whose words the model reads from now on beside those it read before; the first time, whose it read before.
    pub prompt_authors: Option<PromptAuthors>,
}

/// A person gives a session another name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionRename {
    /// The person.
    pub author: String,
    /// The name.
    pub name: String,
}

impl RulesChange {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it gives the session a name and changes nothing that the session works by.
    pub fn only_renames(&self) -> bool {
        self.name.is_some() && Self { name: None, ..self.clone() }.is_empty()
    }
}

crate::words! {
    /// How a session became a copy.
    pub enum SessionCopyOrigin {
        /// It branched off from a session of the same database.
        Fork = "fork",
        /// It came from a file.
        Import = "import",
    }
}

/// A user message, as it was accepted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UserMessageSent {
    /// The person who wrote it.
    pub author: String,
    /// Its text, and what it refers to.
    pub message: UserMessage,
    /// The client's idempotency key.
    pub client_key: Option<String>,
    /// The queries of its enrichments.
    pub enrichments: Vec<RequestedCall>,
    /// The name that the session gets by its first message; none where it has one.
    pub title: Option<String>,
    /// Whether its author counts as one who asks for what follows. So it is; not in journals of v0.1.
    pub asks: bool,
}

/// An answer of a model, read and looked up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AiResponse {
    /// The round.
    pub round: u32,
    /// The attempt.
    pub attempt: u32,
    /// What was said.
    pub message: AiMessage,
    /// What was wrong with it; empty when it could be read.
    pub faults: Vec<FormatFault>,
    /// The calls it asks for, in its order, queries and actions alike.
    pub calls: Vec<RequestedCall>,
    /// Tokens; none when the provider did not say.
    pub usage: Option<Usage>,
    /// Hash of the request's body.
    pub request: Option<Digest>,
    /// What the provider calls the conversation or the answer by, or else the request. Kept for people and never sent
    /// back: the transcript is ours.
    pub handle: Option<String>,
}

/// Why a reply could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FormatFault {
    /// Names the fault; equal faults have equal codes.
    pub code: String,
    /// What was wrong and what is expected.
    pub text: String,
}

impl Input {
    /// Its name, as it is journaled.
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

    /// The message that this input itself is, as ordinal 0 of the session's sequence `sequence`. A reply that
    /// could not be read is kept with a mark before it.
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
