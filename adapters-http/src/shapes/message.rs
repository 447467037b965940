//! Shapes of messages.

use std::borrow::Cow;

use entracte_application::journal::ConversationMessage;
use entracte_application::json_value::ExactJson;
use entracte_domain::agent::{MissionExit, PrincipalQuestion};
use entracte_domain::command::Command;
use entracte_domain::message::{
    AiMessage, Author, BuiltinToolCall, CommandResult, Enrichment, ExecutionMetadata, MessageBody, Segment,
};
use entracte_domain::session::SessionFacts;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::card::QuestionShape;
use super::file::FileShape;
use super::iso;

/// A message of a conversation. Texts of models, tools and files are quoted; whoever shows them keeps them text.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct MessageShape {
    /// `msg_…`.
    pub id: String,
    /// The session's sequence after its entry; marking this as read covers it.
    pub sequence: u64,
    /// When.
    pub at: String,
    /// `user`, `ai` or `system`.
    pub role: Cow<'static, str>,
    /// Who.
    pub author: String,
    /// `rich`, `text`, `ai`, `execution`, or the kind of a message of the system.
    #[serde(rename = "type")]
    pub kind: Cow<'static, str>,
    /// Whether the reader has not read it; null in a stream, which has no reader.
    pub unread: Option<bool>,
    /// What it says.
    pub text: String,
    /// The parts of a person's message, in order; `text` joins them.
    pub segments: Vec<SegmentShape>,
    /// The queries that an AI requests.
    pub queries: Vec<RequestedCommandShape>,
    /// The actions that an AI requests.
    pub actions: Vec<RequestedCommandShape>,
    /// An AI requests an approval of its actions.
    pub validation_request: bool,
    /// What an AI says after its calls.
    pub post_text: Option<String>,
    /// An AI wants another round after its actions.
    pub keep_control: bool,
    /// What an AI asks.
    pub question: Option<QuestionShape>,
    /// An AI declares its work completed.
    pub completed: bool,
    /// The plan of an AI.
    pub plan: Vec<String>,
    /// How an agent ends its mission.
    pub exit: Option<AgentExitShape>,
    /// What an agent asks whoever called it, or the user.
    pub asks: Option<AgentQuestionShape>,
    /// Calls of built-in tools, which are answered in the conversation and never run.
    pub own_calls: Vec<BuiltinCallShape>,
    /// The wire of the blocks that the provider gets back byte for byte; they are never shown.
    pub provider_turn: Option<String>,
    /// The reply as the model wrote it, where it could not be read.
    pub original: Option<String>,
    /// The results that a message of the system brings.
    pub results: Vec<CommandResultShape>,
    /// The data that a message of the system brings, such as those of an event.
    pub data: Option<String>,
    /// What started the run that the message begins: `manual`, `scheduled` or `event`.
    pub trigger: Option<String>,
    /// The automation of that run.
    pub automation: Option<String>,
    /// Its version.
    pub automation_version: Option<u32>,
    /// The instant that the run is for.
    pub occurrence: Option<String>,
    /// The model reads it.
    pub in_prompt: bool,
    /// What the reader of a list is told beside the message: that the model in use does not read a kind of files that it is
    /// the first to bring. Missing where there is nothing to tell, and in a stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// A part of a person's message: text, a reference, or a file.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SegmentShape {
    /// `text`, `file`, or the kind of the reference, as `GET …/enrichments` says.
    #[serde(rename = "type")]
    pub kind: Cow<'static, str>,
    /// The text; of a reference its sentence, of a file the line that names it.
    pub text: String,
    /// What the reference refers to; null for text and files.
    #[schema(value_type = Option<Object>)]
    pub config: Option<ExactJson>,
    /// The file; null for text and references.
    pub file: Option<FileShape>,
}

/// A command that a reply requests.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RequestedCommandShape {
    /// Its name.
    pub command: String,
    /// Its arguments, an object.
    #[schema(value_type = Object)]
    pub arguments: ExactJson,
}

/// How an agent ends its mission.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AgentExitShape {
    /// Why.
    pub reason: String,
    /// What came of it, as its declaration wants it.
    #[schema(value_type = Value)]
    pub result: ExactJson,
    /// The same in words.
    pub conclusion: String,
}

/// A question of an agent.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AgentQuestionShape {
    /// The question.
    pub question: String,
    /// It is for the user, not for the session that called the agent.
    pub user: bool,
}

/// A call of a built-in tool, through which a model asks, completes and plans.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct BuiltinCallShape {
    /// The provider's id of the call.
    pub provider_call: String,
    /// The tool.
    pub name: String,
    /// Its arguments.
    #[schema(value_type = Value)]
    pub arguments: ExactJson,
    /// What it was answered at once; null where a person answers.
    pub answer: Option<String>,
    /// The answer is an error; null where there is none.
    pub is_error: Option<bool>,
}

/// A result.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CommandResultShape {
    /// The call.
    pub call: String,
    /// The provider's id of the call.
    pub provider_call: Option<String>,
    /// The command.
    pub command: String,
    /// What became of it.
    pub status: Cow<'static, str>,
    /// The code for the model.
    pub code: Option<String>,
    /// What the model reads.
    pub content: String,
    /// The files that follow the content.
    pub files: Vec<FileShape>,
}

// Every field is destructured, so that a new one fails to compile until it is shown.

impl From<&CommandResult> for CommandResultShape {
    fn from(result: &CommandResult) -> Self {
        let CommandResult { call, provider_call_id, command, status, code, content, files } = result;
        Self {
            call: call.to_string(),
            provider_call: provider_call_id.clone(),
            command: command.clone(),
            status: status.word().into(),
            code: code.clone(),
            content: content.to_plain_text().into_owned(),
            files: files.iter().map(FileShape::from).collect(),
        }
    }
}

impl From<&Segment> for SegmentShape {
    fn from(segment: &Segment) -> Self {
        match segment {
            Segment::Text(text) => Self { kind: "text".into(), text: text.clone(), config: None, file: None },
            Segment::Enrichment(Enrichment { kind, config, summary }) => Self {
                kind: kind.word().into(),
                text: summary.clone(),
                config: Some(ExactJson::sorted(config)),
                file: None,
            },
            Segment::File(file) => {
                Self { kind: "file".into(), text: file.line(), config: None, file: Some(file.into()) }
            }
        }
    }
}

impl From<&Command> for RequestedCommandShape {
    fn from(Command { name, arguments }: &Command) -> Self {
        Self { command: name.clone(), arguments: ExactJson::sorted(arguments) }
    }
}

impl From<&MissionExit> for AgentExitShape {
    fn from(MissionExit { reason, result, conclusion }: &MissionExit) -> Self {
        Self { reason: reason.clone(), result: ExactJson::sorted(result), conclusion: conclusion.clone() }
    }
}

impl From<&PrincipalQuestion> for AgentQuestionShape {
    fn from(PrincipalQuestion { question, user }: &PrincipalQuestion) -> Self {
        Self { question: question.clone(), user: *user }
    }
}

impl From<&BuiltinToolCall> for BuiltinCallShape {
    fn from(BuiltinToolCall { provider_call_id, name, arguments, answer }: &BuiltinToolCall) -> Self {
        Self {
            provider_call: provider_call_id.clone(),
            name: name.clone(),
            arguments: ExactJson::sorted(arguments),
            answer: answer.as_ref().map(|(text, _)| text.clone()),
            is_error: answer.as_ref().map(|(_, is_error)| *is_error),
        }
    }
}

impl MessageShape {
    /// The shape of a message for a reader of its session.
    pub fn for_reader(message: &ConversationMessage, reader: &str, facts: &SessionFacts) -> Self {
        Self { unread: Some(message.is_unread_by(reader, facts)), ..Self::from(message) }
    }

    /// Adds what a reply says.
    fn with_reply(self, reply: &AiMessage) -> Self {
        let AiMessage {
            pre_text,
            // With native calls they stand in the entry, not in the reply.
            queries: _,
            actions: _,
            validation_request,
            post_text,
            keep_control,
            question,
            completed,
            // Shown where the reply could not be read; otherwise the other fields say it.
            original: _,
            provider_turn,
            own_calls,
            plan,
            exit,
            asks,
        } = reply;
        Self {
            kind: "ai".into(),
            text: pre_text.clone(),
            validation_request: *validation_request,
            post_text: post_text.clone(),
            keep_control: *keep_control,
            question: question.as_ref().map(QuestionShape::from),
            completed: *completed,
            provider_turn: provider_turn.as_ref().map(|turn| turn.dialect.clone()),
            own_calls: own_calls.iter().map(BuiltinCallShape::from).collect(),
            plan: plan.clone(),
            exit: exit.as_ref().map(AgentExitShape::from),
            asks: asks.as_ref().map(AgentQuestionShape::from),
            ..self
        }
    }

    /// Adds what started a run.
    fn with_run(self, metadata: &ExecutionMetadata) -> Self {
        let ExecutionMetadata { trigger, scheduled_at, automation_version } = metadata;
        Self {
            kind: "execution".into(),
            text: trigger.clone(),
            trigger: Some(trigger.clone()),
            automation_version: Some(*automation_version),
            occurrence: scheduled_at.map(iso),
            ..self
        }
    }
}

impl From<&ConversationMessage> for MessageShape {
    fn from(described: &ConversationMessage) -> Self {
        let message = &described.message;
        let (role, author) = match &message.author {
            Author::Person(name) => ("user", name.clone()),
            Author::Model => ("ai", "model".to_owned()),
            Author::System => ("system", "entracte".to_owned()),
        };
        let shape = Self {
            id: message.id.to_string(),
            sequence: described.sequence,
            at: iso(message.at),
            role: role.into(),
            author,
            kind: "text".into(),
            unread: None,
            text: String::new(),
            segments: Vec::new(),
            queries: described.queries.iter().map(RequestedCommandShape::from).collect(),
            actions: described.actions.iter().map(RequestedCommandShape::from).collect(),
            validation_request: false,
            post_text: None,
            keep_control: false,
            question: None,
            completed: false,
            plan: Vec::new(),
            exit: None,
            asks: None,
            own_calls: Vec::new(),
            provider_turn: None,
            original: described.unreadable_reply.clone(),
            results: Vec::new(),
            data: None,
            trigger: None,
            automation: described.automation.clone(),
            automation_version: None,
            occurrence: None,
            in_prompt: !message.exclude_from_prompt,
            notice: None,
        };
        match &message.body {
            MessageBody::Rich(said) => Self {
                kind: "rich".into(),
                text: said.linear_text(),
                segments: said.segments.iter().map(SegmentShape::from).collect(),
                ..shape
            },
            MessageBody::Text(text) => Self { text: text.to_plain_text().into_owned(), ..shape },
            MessageBody::Ai(reply) => shape.with_reply(reply),
            MessageBody::System(system) => Self {
                kind: system.kind.word().into(),
                text: system.summary.to_plain_text().into_owned(),
                results: system.results.iter().map(CommandResultShape::from).collect(),
                data: system.data_without_results().map(|data| data.to_plain_text().into_owned()),
                in_prompt: shape.in_prompt && system.kind.goes_to_prompt(),
                ..shape
            },
            MessageBody::Execution(metadata) => shape.with_run(metadata),
        }
    }
}

/// The conversation of a session.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ConversationShape {
    /// The session.
    pub session: String,
    /// Its messages, in order.
    pub messages: Vec<MessageShape>,
}

/// What a person has not read.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct UnreadShape {
    /// How many messages.
    pub count: usize,
    /// The messages, the latest first; of more than 200 the latest.
    pub messages: Vec<MessageShape>,
    /// What to mark to say that they were read: `PUT …/read`; 0 when there are none.
    pub up_to: u64,
}

/// Up to where a person has read.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadShape {
    /// The number of the last entry that was read.
    pub sequence: u64,
}

/// A message to be sent.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewMessage {
    /// What it says.
    pub text: String,
    /// What it refers to, as `GET …/enrichments` says. Each stands where the text has its number in braces, `{1}` for the
    /// first; those that it has no place for follow, a line each.
    #[serde(default)]
    #[schema(value_type = Vec<Object>)]
    pub enrichments: Vec<ExactJson>,
    /// The digests of stored files, as `POST …/files` gave them; they follow the text in this order.
    #[serde(default)]
    pub files: Vec<String>,
    /// Files that are not stored yet; they follow those of `files`. One of the largest size fits into the body of a message
    /// that is sent to a session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uploads: Vec<MessageUpload>,
    /// A message of a key that was sent before is not sent again: its first answer is given.
    pub client_key: Option<String>,
}

/// A file in a message that is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageUpload {
    /// Its name; only its last part is kept.
    pub name: String,
    /// Its bytes, in base64.
    pub data: String,
}

/// An answer to a question.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerShape {
    /// What is answered.
    pub text: String,
    /// The message that asks, as the session's messages have it: if another one asks by now, nothing is answered, and the
    /// answer is 409. Without it, whatever is asked is answered.
    pub message: Option<String>,
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
