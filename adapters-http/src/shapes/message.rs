//! Shapes of messages.

use entracte_domain::message::{Author, CommandResult, Message, MessageBody};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::card::QuestionShape;
use super::iso;

/// A message of a conversation. Texts of models, tools and files are quoted; whoever shows them keeps them text.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MessageShape {
    /// `msg_…`.
    pub id: String,
    /// When.
    pub at: String,
    /// `user`, `ai` or `system`.
    pub role: &'static str,
    /// Who.
    pub author: String,
    /// `rich`, `text`, `ai`, `execution`, or the kind of a message of the system.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// What it says.
    pub text: String,
    /// What an AI says after its calls.
    pub post_text: Option<String>,
    /// What an AI asks.
    pub question: Option<QuestionShape>,
    /// The plan of an AI.
    pub plan: Vec<String>,
    /// The results that a message of the system brings.
    pub results: Vec<CommandResultShape>,
    /// The model reads it.
    pub in_prompt: bool,
}

/// A result.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CommandResultShape {
    /// The call.
    pub call: String,
    /// The command.
    pub command: String,
    /// What became of it.
    pub status: &'static str,
    /// The code for the model.
    pub code: Option<String>,
    /// What the model reads.
    pub content: String,
}

impl From<&CommandResult> for CommandResultShape {
    fn from(result: &CommandResult) -> Self {
        Self {
            call: result.call.to_string(),
            command: result.command.clone(),
            status: result.status.word(),
            code: result.code.clone(),
            content: result.content.to_plain_text().into_owned(),
        }
    }
}

impl From<&Message> for MessageShape {
    fn from(message: &Message) -> Self {
        let (role, author) = match &message.author {
            Author::Person(name) => ("user", name.clone()),
            Author::Model => ("ai", "model".to_owned()),
            Author::System => ("system", "entracte".to_owned()),
        };
        let mut shape = Self {
            id: message.id.to_string(),
            at: iso(message.at),
            role,
            author,
            kind: "text",
            text: String::new(),
            post_text: None,
            question: None,
            plan: Vec::new(),
            results: Vec::new(),
            in_prompt: !message.exclude_from_prompt,
        };
        match &message.body {
            MessageBody::Rich(said) => (shape.kind, shape.text) = ("rich", said.linear_text()),
            MessageBody::Text(text) => shape.text = text.to_plain_text().into_owned(),
            MessageBody::Ai(said) => {
                (shape.kind, shape.text) = ("ai", said.pre_text.clone());
                shape.post_text = said.post_text.clone();
                shape.question = said.question.as_ref().map(QuestionShape::from);
                shape.plan = said.plan.clone();
            }
            MessageBody::System(system) => {
                (shape.kind, shape.text) = (system.kind.word(), system.summary.to_plain_text().into_owned());
                shape.results = system.results.iter().map(CommandResultShape::from).collect();
                shape.in_prompt &= system.kind.goes_to_prompt();
            }
            MessageBody::Execution(started) => {
                (shape.kind, shape.text) = ("execution", started.trigger.clone())
            }
        }
        shape
    }
}

/// A message to be sent.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewMessage {
    /// What it says.
    pub text: String,
    /// What it refers to, as `GET …/enrichments` says. Each stands where the text has its number in braces, `{1}` for the
    /// first; those that it has no place for follow, a line each.
    #[serde(default)]
    #[schema(value_type = Vec<Object>)]
    pub enrichments: Vec<serde_json::Value>,
    /// A message of a key that was sent before is not sent again: its first answer is given.
    pub client_key: Option<String>,
}

/// An answer to a question.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerShape {
    /// What is answered.
    pub text: String,
}
