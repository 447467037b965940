//! Inputs.

use entracte_domain::id::{CallId, MessageId, SessionId, TaskId};
use entracte_domain::plan::Mode;
use entracte_domain::session::{self as domain, Copying, Opening, Renaming, RulesChange, SummaryMethod};
use entracte_domain::task::TaskOutcome;
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::ai::AiResponse;
use super::approval::Decision;
use super::automation::RunPolicy;
use super::counters::Slot;
use super::leaf::{Hash, JsonText, Usage};
use super::lookup::Recheck;
use super::origin::{Creation, ModelFailure, Told, UserMessageSent, Voice};
use super::outcome::CallOutcome;
use super::restriction::Restriction;
use super::summary::{self, Carried, SummaryFault, SummaryRequest};
use super::words::Word;
use super::{domains, is_default, shapes};

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Input {
    SessionCreated(Box<Creation>),
    SessionActivationRequested {
        author: String,
    },
    StandingChanged {
        slot: Slot,
    },
    UserMessageSent(UserMessageSent),
    AiResponseReceived(Box<AiResponse>),
    ValidationReceived {
        author: String,
        decisions: Vec<Decision>,
    },
    CommunicationResponseReceived {
        author: String,
        answer: String,
    },
    CallFinished {
        call: String,
        #[serde(default, skip_serializing_if = "is_default")]
        attempt: u32,
        outcome: CallOutcome,
    },
    CallSettled {
        call: String,
        command: String,
        happened: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        author: String,
    },
    CompletionConfirmed {
        author: String,
    },
    CompletionRejected {
        author: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    NetworkErrorOccurred {
        round: u32,
        attempt: u32,
        failure: ModelFailure,
    },
    ProviderErrorOccurred {
        round: u32,
        attempt: u32,
        failure: ModelFailure,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    NetworkAvailable,
    SystemErrorOccurred {
        message: String,
    },
    StopRequested {
        author: String,
        #[serde(default, skip_serializing_if = "is_default")]
        end: bool,
    },
    RoundInterrupted {
        author: String,
    },
    TimeReached,
    TaskFinished {
        task: String,
        /// Instead of `outcome`, for a task that was done or not in time: so it was stored when there was nothing else.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        succeeded: Option<bool>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        outcome: Option<Word<TaskOutcome>>,
        #[serde(default, skip_serializing_if = "is_default")]
        late: bool,
        content: JsonText,
    },
    BudgetReached {
        round: u32,
        attempt: u32,
        size: u64,
        budget: u64,
        method: Word<SummaryMethod>,
    },
    ContextCompacted {
        round: u32,
        attempt: u32,
        summary: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        carried: Option<Carried>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<SummaryRequest>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prefix: Option<(Hash, Vec<Told>)>,
    },
    CompactionFailed {
        round: u32,
        attempt: u32,
        message: String,
        #[serde(default, skip_serializing_if = "is_default")]
        fault: SummaryFault,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<SummaryRequest>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    RulesChanged {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notice: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rechecks: Vec<Recheck>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prefix: Option<Hash>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        told: Option<Vec<Told>>,
        #[serde(default, rename = "validate", skip_serializing_if = "Option::is_none")]
        require_validation: Option<bool>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<Word<Mode>>,
        #[serde(default, rename = "commands", skip_serializing_if = "Option::is_none")]
        restriction: Option<Restriction>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        voice: Option<Voice>,
        /// Who gave it, and the name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<(String, String)>,
    },
    SessionCopied {
        from: String,
        at: u64,
        how: Word<Copying>,
        author: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        policy: Option<RunPolicy>,
    },
    MessagesRead {
        reader: String,
        sequence: u64,
    },
    MessageWithdrawn {
        author: String,
        message: String,
    },
    EndSeen {
        author: String,
    },
    SessionOpened {
        author: String,
        attachment: String,
        until: i64,
        #[serde(default, skip_serializing_if = "is_default")]
        asks_slot: bool,
    },
    SessionLeft {
        author: String,
        attachment: String,
    },
    SchedulerHeartbeat,
}

impl From<&domain::Input> for Input {
    fn from(input: &domain::Input) -> Self {
        use domain::Input as Domain;
        match input {
            Domain::SessionCreated(creation) => Self::SessionCreated(Box::new(creation.as_ref().into())),
            Domain::SessionActivationRequested { author } => {
                Self::SessionActivationRequested { author: author.clone() }
            }
            Domain::StandingChanged { slot } => Self::StandingChanged { slot: slot.into() },
            Domain::UserMessageSent(sent) => Self::UserMessageSent(sent.into()),
            Domain::AiResponseReceived(response) => {
                Self::AiResponseReceived(Box::new(response.as_ref().into()))
            }
            Domain::ValidationReceived { author, decisions } => {
                Self::ValidationReceived { author: author.clone(), decisions: shapes(decisions) }
            }
            Domain::CommunicationResponseReceived { author, answer } => {
                Self::CommunicationResponseReceived { author: author.clone(), answer: answer.clone() }
            }
            Domain::CallFinished { call, attempt, outcome } => Self::CallFinished {
                call: call.as_str().to_owned(),
                attempt: *attempt,
                outcome: outcome.into(),
            },
            Domain::CallSettled { call, command, happened, note, author } => Self::CallSettled {
                call: call.as_str().to_owned(),
                command: command.clone(),
                happened: *happened,
                note: note.clone(),
                author: author.clone(),
            },
            Domain::CompletionConfirmed { author } => Self::CompletionConfirmed { author: author.clone() },
            Domain::CompletionRejected { author, reason } => {
                Self::CompletionRejected { author: author.clone(), reason: reason.clone() }
            }
            Domain::NetworkErrorOccurred { round, attempt, failure } => {
                Self::NetworkErrorOccurred { round: *round, attempt: *attempt, failure: failure.into() }
            }
            Domain::ProviderErrorOccurred { round, attempt, failure, usage } => Self::ProviderErrorOccurred {
                round: *round,
                attempt: *attempt,
                failure: failure.into(),
                usage: usage.as_ref().map(Into::into),
            },
            Domain::NetworkAvailable => Self::NetworkAvailable,
            Domain::SystemErrorOccurred { message } => Self::SystemErrorOccurred { message: message.clone() },
            Domain::StopRequested { author, end } => {
                Self::StopRequested { author: author.clone(), end: *end }
            }
            Domain::RoundInterrupted { author } => Self::RoundInterrupted { author: author.clone() },
            Domain::TimeReached => Self::TimeReached,
            Domain::TaskFinished { task, outcome, late, content } => {
                let succeeded = in_time(*outcome, *late);
                Self::TaskFinished {
                    task: task.as_str().to_owned(),
                    succeeded,
                    outcome: succeeded.is_none().then_some(Word(*outcome)),
                    late: *late,
                    content: content.into(),
                }
            }
            Domain::BudgetReached { round, attempt, size, budget, method } => Self::BudgetReached {
                round: *round,
                attempt: *attempt,
                size: *size,
                budget: *budget,
                method: method.into(),
            },
            Domain::ContextCompacted { round, attempt, summary, asked, usage, prefix } => {
                let (text, carried) = summary::written(summary);
                Self::ContextCompacted {
                    round: *round,
                    attempt: *attempt,
                    summary: text,
                    carried,
                    asked: asked.as_deref().map(Into::into),
                    usage: usage.as_ref().map(Into::into),
                    prefix: prefix.as_ref().map(|(prefix, told)| (prefix.into(), shapes(told))),
                }
            }
            Domain::CompactionFailed { round, attempt, message, fault, asked, usage } => {
                Self::CompactionFailed {
                    round: *round,
                    attempt: *attempt,
                    message: message.clone(),
                    fault: fault.into(),
                    asked: asked.as_deref().map(Into::into),
                    usage: usage.as_ref().map(Into::into),
                }
            }
            Domain::RulesChanged(change) => {
                let RulesChange {
                    notice,
                    rechecks,
                    prefix,
                    told,
                    require_validation,
                    mode,
                    restriction,
                    voice,
                    name,
                } = change.as_ref();
                Self::RulesChanged {
                    notice: notice.clone(),
                    rechecks: shapes(rechecks),
                    prefix: prefix.as_ref().map(Into::into),
                    told: told.as_deref().map(shapes),
                    require_validation: *require_validation,
                    mode: mode.map(Word),
                    restriction: restriction.as_ref().map(Into::into),
                    voice: voice.as_ref().map(Into::into),
                    name: name.as_ref().map(|given| (given.author.clone(), given.name.clone())),
                }
            }
            Domain::SessionCopied { from, at, how, author, policy } => Self::SessionCopied {
                policy: policy.as_ref().map(Into::into),
                from: from.as_str().to_owned(),
                at: *at,
                how: how.into(),
                author: author.clone(),
            },
            Domain::MessagesRead { reader, sequence } => {
                Self::MessagesRead { reader: reader.clone(), sequence: *sequence }
            }
            Domain::MessageWithdrawn { author, message } => {
                Self::MessageWithdrawn { author: author.clone(), message: message.as_str().to_owned() }
            }
            Domain::EndSeen { author } => Self::EndSeen { author: author.clone() },
            Domain::SessionOpened(Opening { author, attachment, until, asks_slot }) => Self::SessionOpened {
                author: author.clone(),
                attachment: attachment.clone(),
                until: until.0,
                asks_slot: *asks_slot,
            },
            Domain::SessionLeft { author, attachment } => {
                Self::SessionLeft { author: author.clone(), attachment: attachment.clone() }
            }
            Domain::SchedulerHeartbeat => Self::SchedulerHeartbeat,
        }
    }
}

impl From<Input> for domain::Input {
    fn from(input: Input) -> Self {
        match input {
            Input::SessionCreated(creation) => Self::SessionCreated(Box::new((*creation).into())),
            Input::SessionActivationRequested { author } => Self::SessionActivationRequested { author },
            Input::StandingChanged { slot } => Self::StandingChanged { slot: slot.into() },
            Input::UserMessageSent(sent) => Self::UserMessageSent(sent.into()),
            Input::AiResponseReceived(response) => Self::AiResponseReceived(Box::new((*response).into())),
            Input::ValidationReceived { author, decisions } => {
                Self::ValidationReceived { author, decisions: domains(decisions) }
            }
            Input::CommunicationResponseReceived { author, answer } => {
                Self::CommunicationResponseReceived { author, answer }
            }
            Input::CallFinished { call, attempt, outcome } => {
                Self::CallFinished { call: CallId::new(call), attempt, outcome: outcome.into() }
            }
            Input::CallSettled { call, command, happened, note, author } => {
                Self::CallSettled { call: CallId::new(call), command, happened, note, author }
            }
            Input::CompletionConfirmed { author } => Self::CompletionConfirmed { author },
            Input::CompletionRejected { author, reason } => Self::CompletionRejected { author, reason },
            Input::NetworkErrorOccurred { round, attempt, failure } => {
                Self::NetworkErrorOccurred { round, attempt, failure: failure.into() }
            }
            Input::ProviderErrorOccurred { round, attempt, failure, usage } => Self::ProviderErrorOccurred {
                round,
                attempt,
                failure: failure.into(),
                usage: usage.map(Into::into),
            },
            Input::NetworkAvailable => Self::NetworkAvailable,
            Input::SystemErrorOccurred { message } => Self::SystemErrorOccurred { message },
            Input::StopRequested { author, end } => Self::StopRequested { author, end },
            Input::RoundInterrupted { author } => Self::RoundInterrupted { author },
            Input::TimeReached => Self::TimeReached,
            Input::TaskFinished { task, succeeded, outcome, late, content } => {
                let in_time = match succeeded {
                    Some(true) => TaskOutcome::Completed,
                    Some(false) | None => TaskOutcome::Failed,
                };
                let outcome = outcome.map_or(in_time, |word| word.0);
                Self::TaskFinished { task: TaskId::new(task), outcome, late, content: content.0 }
            }
            Input::BudgetReached { round, attempt, size, budget, method } => {
                Self::BudgetReached { round, attempt, size, budget, method: method.0 }
            }
            Input::ContextCompacted { round, attempt, summary, carried, asked, usage, prefix } => {
                Self::ContextCompacted {
                    round,
                    attempt,
                    summary: Box::new(summary::read(summary, carried)),
                    asked: asked.map(|asked| Box::new(asked.into())),
                    usage: usage.map(Into::into),
                    prefix: prefix.map(|(prefix, told)| (prefix.into(), domains(told))),
                }
            }
            Input::CompactionFailed { round, attempt, message, fault, asked, usage } => {
                Self::CompactionFailed {
                    round,
                    attempt,
                    message,
                    fault: fault.into(),
                    asked: asked.map(|asked| Box::new(asked.into())),
                    usage: usage.map(Into::into),
                }
            }
            Input::RulesChanged {
                notice,
                rechecks,
                prefix,
                told,
                require_validation,
                mode,
                restriction,
                voice,
                name,
            } => Self::RulesChanged(Box::new(RulesChange {
                notice,
                rechecks: domains(rechecks),
                prefix: prefix.map(Into::into),
                told: told.map(domains),
                require_validation,
                mode: mode.map(|word| word.0),
                restriction: restriction.map(Into::into),
                voice: voice.map(Into::into),
                name: name.map(|(author, name)| Renaming { author, name }),
            })),
            Input::SessionCopied { from, at, how, author, policy } => Self::SessionCopied {
                from: SessionId::new(from),
                at,
                how: how.0,
                author,
                policy: policy.map(Into::into),
            },
            Input::MessagesRead { reader, sequence } => Self::MessagesRead { reader, sequence },
            Input::MessageWithdrawn { author, message } => {
                Self::MessageWithdrawn { author, message: MessageId::new(message) }
            }
            Input::EndSeen { author } => Self::EndSeen { author },
            Input::SessionOpened { author, attachment, until, asks_slot } => {
                Self::SessionOpened(Opening { author, attachment, until: Timestamp(until), asks_slot })
            }
            Input::SessionLeft { author, attachment } => Self::SessionLeft { author, attachment },
            Input::SchedulerHeartbeat => Self::SchedulerHeartbeat,
        }
    }
}

/// Whether a task that ended in time succeeded; none where there is more to say.
const fn in_time(outcome: TaskOutcome, late: bool) -> Option<bool> {
    match (outcome, late) {
        (TaskOutcome::Completed, false) => Some(true),
        (TaskOutcome::Failed, false) => Some(false),
        (TaskOutcome::Completed | TaskOutcome::Failed, true) => None,
        (TaskOutcome::Cancelled | TaskOutcome::Expired, true | false) => None,
    }
}
