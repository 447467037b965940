//! Properties of inputs that do not depend on the session: kind, author, message, and what they mean for a session.

use crate::command::Command;
use crate::id::{CallId, MessageId, SessionId};
use crate::message::{AiMessage, Author, INVALID_FORMAT_PREFIX, Message, MessageBody, UserMessage};
use crate::session::{AiResponse, CallLookup, Input, InputKind, RequestedCall, StoppedReply};
use crate::time::Timestamp;

/// The properties of one input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputProperties<'a> {
    /// The kind of the input.
    pub kind: InputKind,
    /// The group of the input in lists for people.
    pub category: InputCategory,
    /// What the input says about the session's activity.
    pub activity: InputActivity,
    /// The person who caused the input, if any.
    pub author: Option<&'a str>,
    /// The idempotency key that the client chose, if any.
    pub client_key: Option<&'a str>,
    /// The message that the input itself is, if any.
    pub message: Option<MessageSource<'a>>,
    /// What the input does to a running model call, beside answering it.
    pub impact: ModelCallImpact,
}

/// The group of an input in lists for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputCategory {
    /// A person says or decides something.
    PersonAct,
    /// A model replies.
    ModelReply,
    /// A model call, a summary or Entracte itself failed.
    Failure,
    /// A person stops work.
    Halt,
    /// A call or an agent ended.
    CallResult,
    /// Everything else.
    Housekeeping,
}

/// What an input says about the activity of its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputActivity {
    /// It only reports viewers of the session, which does not keep it busy.
    Observation,
    /// It keeps the session busy, without progress.
    Upkeep,
    /// It shows progress, so that crashes of earlier starts no longer count.
    Progress,
}

impl InputActivity {
    /// This activity, or only upkeep after a crash.
    pub(super) const fn unless(self, crashed: bool) -> Self {
        if crashed { Self::Upkeep } else { self }
    }
}

/// What an input does to a running model call, beside answering it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelCallImpact {
    /// The call goes on, or the input answers it.
    Continuation,
    /// The call is dropped.
    Interruption,
    /// The end of the call is unknown.
    Loss,
}

/// The content of the message that an input itself is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageSource<'a> {
    /// A user message.
    Person(&'a UserMessage),
    /// A person's answer to a question.
    Answer(&'a str),
    /// A model's reply.
    Model(&'a AiResponse),
    /// A model's reply that a person stopped.
    Stopped(&'a StoppedReply),
}

impl<'a> InputProperties<'a> {
    /// The properties of an input that no person caused and that is no message.
    pub(super) const fn new(kind: InputKind, category: InputCategory, activity: InputActivity) -> Self {
        let impact = ModelCallImpact::Continuation;
        Self { kind, category, activity, author: None, client_key: None, message: None, impact }
    }

    /// The properties of a person's act.
    pub(super) const fn of_person(kind: InputKind, author: &'a str) -> Self {
        Self::new(kind, InputCategory::PersonAct, InputActivity::Progress).by(author)
    }

    pub(super) const fn by(self, author: &'a str) -> Self {
        Self { author: Some(author), ..self }
    }

    pub(super) const fn of_category(self, category: InputCategory) -> Self {
        Self { category, ..self }
    }

    pub(super) const fn of_activity(self, activity: InputActivity) -> Self {
        Self { activity, ..self }
    }

    pub(super) const fn saying(self, message: MessageSource<'a>) -> Self {
        Self { message: Some(message), ..self }
    }

    pub(super) const fn saying_if(self, message: Option<MessageSource<'a>>) -> Self {
        Self { message, ..self }
    }

    pub(super) const fn under_key(self, client_key: Option<&'a str>) -> Self {
        Self { client_key, ..self }
    }

    pub(super) const fn ending_call(self, impact: ModelCallImpact) -> Self {
        Self { impact, ..self }
    }
}

impl Input {
    /// The kind of the input.
    pub fn kind(&self) -> InputKind {
        self.properties().kind
    }

    /// The name of the input in the journal.
    pub fn label(&self) -> &'static str {
        self.kind().word()
    }

    /// The message that this input itself is, as ordinal 0 of sequence `sequence`. A reply that could not be read is
    /// stored with a prefix.
    pub fn message(&self, session: &SessionId, sequence: u64, at: Timestamp) -> Option<Message> {
        let properties = self.properties();
        let person = || Author::Person(properties.author.unwrap_or_default().to_owned());
        let (author, body) = match properties.message? {
            MessageSource::Person(message) => (person(), MessageBody::Rich(message.clone())),
            MessageSource::Answer(answer) => (person(), MessageBody::Text(answer.into())),
            MessageSource::Model(response) => {
                let mut said = response.message.clone();
                if !response.faults.is_empty() {
                    said.pre_text = format!("{INVALID_FORMAT_PREFIX} {}", said.original);
                }
                (Author::Model, MessageBody::Ai(said))
            }
            MessageSource::Stopped(StoppedReply { text, original, .. }) => {
                let (pre_text, original) = (text.clone(), original.clone());
                let said = AiMessage { pre_text, original, ..AiMessage::default() };
                (Author::Model, MessageBody::Ai(said))
            }
        };
        let id: MessageId = session.message_id(sequence, 0);
        Some(Message { id, at, author, body, exclude_from_prompt: false })
    }
}

/// Replaces ids in an input, for a copy of its session.
pub trait InputIdVisitor {
    /// Visits the id of a call.
    fn call(&self, id: &mut CallId);

    /// Visits the id of a message.
    fn message(&self, id: &mut MessageId);

    /// Visits the id of a child session.
    fn child(&self, id: &mut SessionId);

    /// Visits a command, whose arguments may name a child session.
    fn command(&self, command: &mut Command);
}

/// Visits the identical earlier calls that these calls refer to.
pub(super) fn visit_twins(calls: &mut [RequestedCall], visitor: &impl InputIdVisitor) {
    for call in calls {
        if let CallLookup::Known { twin: Some(twin), .. } = &mut call.lookup {
            visitor.call(&mut twin.call);
        }
    }
}
