//! Mail, while it lies in the mail store.

use entracte_domain::id::{AutomationId, CallId, Digest, MessageId, SessionId, TaskId};
use entracte_domain::message::UserMessage;
use entracte_domain::plan::Mode;
use entracte_domain::session::{Dialect, SessionKind};
use entracte_domain::time::Millis;
use serde::{Deserialize, Serialize};

use super::automation::{AutomationChange, NewAutomation};
use super::decision::Decision;
use super::instructions::{InstructionsScope, InstructionsSource};
use super::leaf::Hash;
use super::message::Segment;
use super::origin::Voice;
use super::restriction::Restriction;
use super::rule::Condition;
use super::task::TaskMail;
use super::words::Word;
use super::{domains, is_default, shapes};
use crate::codec::version::V1;
use crate::mail::{MailRequest, NewRule, NewSession};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mail {
    v: V1,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    request: Request,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    receipt: Option<Receipt>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Receipt {
    person: String,
    key: String,
    fingerprint: Hash,
}

impl From<&crate::mail::Receipt> for Receipt {
    fn from(receipt: &crate::mail::Receipt) -> Self {
        let crate::mail::Receipt { person, key, fingerprint } = receipt;
        Self { person: person.clone(), key: key.clone(), fingerprint: fingerprint.into() }
    }
}

impl From<Receipt> for crate::mail::Receipt {
    fn from(Receipt { person, key, fingerprint }: Receipt) -> Self {
        Self { person, key, fingerprint: fingerprint.into() }
    }
}

impl From<&crate::mail::Mail> for Mail {
    fn from(mail: &crate::mail::Mail) -> Self {
        let crate::mail::Mail { session, request, receipt } = mail;
        let session = session.as_ref().map(|session| session.as_str().to_owned());
        Self { v: V1, session, request: request.into(), receipt: receipt.as_ref().map(Into::into) }
    }
}

impl From<Mail> for crate::mail::Mail {
    fn from(mail: Mail) -> Self {
        Self {
            session: mail.session.map(SessionId::new),
            request: mail.request.into(),
            receipt: mail.receipt.map(Into::into),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    StartSession {
        id: String,
        kind: Word<SessionKind>,
        name: String,
        provider: String,
        model: String,
        dialect: Word<Dialect>,
        #[serde(default, rename = "validate", skip_serializing_if = "is_default")]
        require_validation: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<Word<Mode>>,
        #[serde(default, rename = "commands", skip_serializing_if = "is_default")]
        restriction: Restriction,
    },
    SendMessage {
        author: String,
        message: Vec<Segment>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client_key: Option<String>,
    },
    Decide {
        author: String,
        decisions: Vec<Decision>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        link: Option<String>,
    },
    Answer {
        author: String,
        text: String,
    },
    Compact {
        author: String,
    },
    Interrupt {
        author: String,
    },
    Stop {
        author: String,
        end: bool,
    },
    Resume {
        author: String,
    },
    Settle {
        author: String,
        call: String,
        happened: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    ConfirmCompletion {
        author: String,
    },
    RejectCompletion {
        author: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    ChangeSession {
        author: String,
        #[serde(default, rename = "validate", skip_serializing_if = "Option::is_none")]
        require_validation: Option<bool>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<Word<Mode>>,
        #[serde(default, rename = "commands", skip_serializing_if = "Option::is_none")]
        restriction: Option<Restriction>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        voice: Option<Voice>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    MarkRead {
        reader: String,
        sequence: u64,
    },
    Withdraw {
        author: String,
        message: String,
    },
    MarkSeen {
        author: String,
    },
    Open {
        author: String,
        attachment: String,
        #[serde(default, skip_serializing_if = "is_default")]
        asks_slot: bool,
    },
    Leave {
        author: String,
        attachment: String,
    },
    Fork {
        author: String,
        id: String,
        name: String,
        at: u64,
    },
    Import {
        author: String,
        id: String,
        document: String,
    },
    Delete {
        author: String,
    },
    ChangeSettings {
        author: String,
        changes: Vec<(String, Option<String>)>,
    },
    SetInstructions {
        author: String,
        scope: InstructionsScope,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        source: InstructionsSource,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expected: Option<u64>,
    },
    AddRule {
        author: String,
        command: String,
        #[serde(default, rename = "args", skip_serializing_if = "Vec::is_empty")]
        arguments: Vec<(String, Condition)>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        denies: Option<String>,
        #[serde(default, rename = "lasts_ms", skip_serializing_if = "Option::is_none")]
        lasts: Option<i64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        times: Option<u32>,
        #[serde(default, skip_serializing_if = "is_default")]
        agents: bool,
    },
    RevokeRule {
        author: String,
        rule: String,
    },
    CreateAutomation {
        author: String,
        new: NewAutomation,
    },
    EditAutomation {
        author: String,
        automation: String,
        change: AutomationChange,
    },
    DeleteAutomation {
        author: String,
        automation: String,
    },
    RunAutomation {
        author: String,
        automation: String,
        session: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        event: Option<String>,
    },
    Task {
        task: String,
        mail: TaskMail,
    },
}

impl From<&MailRequest> for Request {
    fn from(request: &MailRequest) -> Self {
        match request.clone() {
            MailRequest::StartSession(new) => {
                let NewSession {
                    id,
                    kind,
                    name,
                    provider,
                    model,
                    dialect,
                    require_validation,
                    mode,
                    restriction,
                } = new;
                Self::StartSession {
                    id: id.as_str().to_owned(),
                    kind: Word(kind),
                    name,
                    provider,
                    model,
                    dialect: Word(dialect),
                    require_validation,
                    mode: mode.map(Word),
                    restriction: (&restriction).into(),
                }
            }
            MailRequest::SendMessage { author, message: UserMessage { segments }, client_key } => {
                Self::SendMessage { author, message: shapes(&segments), client_key }
            }
            MailRequest::Decide { author, decisions, link } => {
                let link = link.map(|link| link.as_str().to_owned());
                Self::Decide { author, decisions: shapes(&decisions), link }
            }
            MailRequest::Answer { author, text } => Self::Answer { author, text },
            MailRequest::Compact { author } => Self::Compact { author },
            MailRequest::Interrupt { author } => Self::Interrupt { author },
            MailRequest::Stop { author, end } => Self::Stop { author, end },
            MailRequest::Resume { author } => Self::Resume { author },
            MailRequest::Settle { author, call, happened, note } => {
                Self::Settle { author, call: call.as_str().to_owned(), happened, note }
            }
            MailRequest::ConfirmCompletion { author } => Self::ConfirmCompletion { author },
            MailRequest::RejectCompletion { author, reason } => Self::RejectCompletion { author, reason },
            MailRequest::ChangeSession { author, require_validation, mode, restriction, voice, name } => {
                let (restriction, voice) =
                    (restriction.as_ref().map(Into::into), voice.as_ref().map(Into::into));
                let mode = mode.map(Word);
                Self::ChangeSession { author, require_validation, mode, restriction, voice, name }
            }
            MailRequest::MarkRead { reader, sequence } => Self::MarkRead { reader, sequence },
            MailRequest::Withdraw { author, message } => {
                Self::Withdraw { author, message: message.as_str().to_owned() }
            }
            MailRequest::MarkSeen { author } => Self::MarkSeen { author },
            MailRequest::Open { author, attachment, asks_slot } => {
                Self::Open { author, attachment, asks_slot }
            }
            MailRequest::Leave { author, attachment } => Self::Leave { author, attachment },
            MailRequest::Fork { author, id, name, at } => {
                Self::Fork { author, id: id.as_str().to_owned(), name, at }
            }
            MailRequest::Import { author, id, document } => {
                Self::Import { author, id: id.as_str().to_owned(), document }
            }
            MailRequest::Delete { author } => Self::Delete { author },
            MailRequest::ChangeSettings { author, changes } => Self::ChangeSettings { author, changes },
            MailRequest::SetInstructions { author, scope, text, source, expected } => Self::SetInstructions {
                author,
                scope: (&scope).into(),
                text,
                source: (&source).into(),
                expected,
            },
            MailRequest::AddRule { author, new } => Self::AddRule {
                author,
                command: new.command,
                arguments: new.arguments.iter().map(|(name, is)| (name.clone(), is.into())).collect(),
                session: new.session.map(|session| session.as_str().to_owned()),
                denies: new.denies,
                lasts: new.lasts.map(|span| span.0),
                times: new.times,
                agents: new.agents,
            },
            MailRequest::RevokeRule { author, rule } => Self::RevokeRule { author, rule },
            MailRequest::CreateAutomation { author, new } => {
                Self::CreateAutomation { author, new: (&new).into() }
            }
            MailRequest::EditAutomation { author, automation, change } => Self::EditAutomation {
                author,
                automation: automation.as_str().to_owned(),
                change: (&change).into(),
            },
            MailRequest::DeleteAutomation { author, automation } => {
                Self::DeleteAutomation { author, automation: automation.as_str().to_owned() }
            }
            MailRequest::RunAutomation { author, automation, session, event } => Self::RunAutomation {
                author,
                automation: automation.as_str().to_owned(),
                session: session.as_str().to_owned(),
                event,
            },
            MailRequest::Task { task, mail } => {
                Self::Task { task: task.as_str().to_owned(), mail: (&mail).into() }
            }
        }
    }
}

impl From<Request> for MailRequest {
    fn from(request: Request) -> Self {
        match request {
            Request::StartSession {
                id,
                kind,
                name,
                provider,
                model,
                dialect,
                require_validation,
                mode,
                restriction,
            } => Self::StartSession(NewSession {
                id: SessionId::new(id),
                kind: kind.0,
                name,
                provider,
                model,
                dialect: dialect.0,
                require_validation,
                mode: mode.map(|word| word.0),
                restriction: restriction.into(),
            }),
            Request::SendMessage { author, message, client_key } => {
                Self::SendMessage { author, message: UserMessage { segments: domains(message) }, client_key }
            }
            Request::Decide { author, decisions, link } => {
                Self::Decide { author, decisions: domains(decisions), link: link.map(Digest::new) }
            }
            Request::Answer { author, text } => Self::Answer { author, text },
            Request::Compact { author } => Self::Compact { author },
            Request::Interrupt { author } => Self::Interrupt { author },
            Request::Stop { author, end } => Self::Stop { author, end },
            Request::Resume { author } => Self::Resume { author },
            Request::Settle { author, call, happened, note } => {
                Self::Settle { author, call: CallId::new(call), happened, note }
            }
            Request::ConfirmCompletion { author } => Self::ConfirmCompletion { author },
            Request::RejectCompletion { author, reason } => Self::RejectCompletion { author, reason },
            Request::ChangeSession { author, require_validation, mode, restriction, voice, name } => {
                let (restriction, voice) = (restriction.map(Into::into), voice.map(Into::into));
                let mode = mode.map(|word| word.0);
                Self::ChangeSession { author, require_validation, mode, restriction, voice, name }
            }
            Request::MarkRead { reader, sequence } => Self::MarkRead { reader, sequence },
            Request::Withdraw { author, message } => {
                Self::Withdraw { author, message: MessageId::new(message) }
            }
            Request::MarkSeen { author } => Self::MarkSeen { author },
            Request::Open { author, attachment, asks_slot } => Self::Open { author, attachment, asks_slot },
            Request::Leave { author, attachment } => Self::Leave { author, attachment },
            Request::Fork { author, id, name, at } => Self::Fork { author, id: SessionId::new(id), name, at },
            Request::Import { author, id, document } => {
                Self::Import { author, id: SessionId::new(id), document }
            }
            Request::Delete { author } => Self::Delete { author },
            Request::ChangeSettings { author, changes } => Self::ChangeSettings { author, changes },
            Request::SetInstructions { author, scope, text, source, expected } => {
                Self::SetInstructions { author, scope: scope.into(), text, source: source.into(), expected }
            }
            Request::AddRule { author, command, arguments, session, denies, lasts, times, agents } => {
                Self::AddRule {
                    author,
                    new: NewRule {
                        command,
                        arguments: arguments.into_iter().map(|(name, is)| (name, is.into())).collect(),
                        session: session.map(SessionId::new),
                        denies,
                        lasts: lasts.map(Millis),
                        times,
                        agents,
                    },
                }
            }
            Request::RevokeRule { author, rule } => Self::RevokeRule { author, rule },
            Request::CreateAutomation { author, new } => Self::CreateAutomation { author, new: new.into() },
            Request::EditAutomation { author, automation, change } => Self::EditAutomation {
                author,
                automation: AutomationId::new(automation),
                change: change.into(),
            },
            Request::DeleteAutomation { author, automation } => {
                Self::DeleteAutomation { author, automation: AutomationId::new(automation) }
            }
            Request::RunAutomation { author, automation, session, event } => Self::RunAutomation {
                author,
                automation: AutomationId::new(automation),
                session: SessionId::new(session),
                event,
            },
            Request::Task { task, mail } => Self::Task { task: TaskId::new(task), mail: mail.into() },
        }
    }
}
