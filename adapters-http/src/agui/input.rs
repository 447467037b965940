//! Request body of an AG-UI client. Unused fields are ignored, because the protocol grows.

use entracte_application::json_value::ExactJson;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

/// Most characters of the id of a thread, a run or a message.
const NAME_MAX: usize = 255;

/// A run of a thread: `RunAgentInput` of AG-UI 1.0. Tools, context, state and forwarded properties of the client are not
/// used: what a session may do is decided here.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunAgentInput {
    /// The conversation: the id of a session, or a name that the client draws for a new chat and finds it again by.
    pub(crate) thread_id: String,
    /// The run, as the client names it; told again with its events.
    pub(crate) run_id: String,
    /// The conversation as the client knows it. The last message is sent, where a person says it and it is new.
    #[serde(default)]
    pub(crate) messages: Vec<InputMessage>,
    /// The answers to what the run before waited for: all of it, each once.
    #[serde(default)]
    pub(crate) resume: Option<Vec<ResumeEntry>>,
}

/// A message, as a client keeps it.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct InputMessage {
    /// Drawn by whoever made it.
    pub(crate) id: String,
    /// `user`, `assistant`, `tool`, …
    pub(crate) role: String,
    /// A text, or parts of which only those of text are taken.
    #[serde(default)]
    content: Option<Value>,
}

/// An answer to one interrupt.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResumeEntry {
    /// The interrupt, as it was told.
    pub(crate) interrupt_id: String,
    /// Whether it was answered or given up.
    pub(crate) status: ResumeStatus,
    /// The answer, as the interrupt's schema asks for it.
    #[serde(default)]
    #[schema(value_type = Option<Value>)]
    pub(crate) payload: Option<ExactJson>,
}

/// Whether an interrupt was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ResumeStatus {
    /// It was.
    Resolved,
    /// It was given up: what asks is rejected.
    Cancelled,
}

impl RunAgentInput {
    /// The first invalid field and the reason, if any.
    pub(crate) fn find_invalid_field(&self) -> Option<(String, String)> {
        let ids = [("threadId".to_owned(), &self.thread_id), ("runId".to_owned(), &self.run_id)];
        let messages = self.messages.iter().enumerate();
        let messages = messages.map(|(at, message)| (format!("messages[{at}].id"), &message.id));
        let is_wrong = |id: &str| id.is_empty() || id.chars().count() > NAME_MAX;
        let wrong = ids.into_iter().chain(messages).find(|(_, id)| is_wrong(id));
        wrong.map(|(path, _)| (path, format!("must have 1 to {NAME_MAX} characters")))
    }

    /// The new message of a person: the last message, if its role is `user`.
    pub(crate) fn new_user_message(&self) -> Option<&InputMessage> {
        self.messages.last().filter(|message| message.role == "user")
    }

    /// The ids of the messages that both sides store, in order.
    pub(crate) fn known_message_ids(&self) -> Vec<&str> {
        let kept = |message: &&InputMessage| {
            matches!(message.role.as_str(), "user" | "assistant" | "tool" | "system")
        };
        self.messages.iter().filter(kept).map(|message| message.id.as_str()).collect()
    }

    /// The answers to interrupts.
    pub(crate) fn resume(&self) -> &[ResumeEntry] {
        self.resume.as_deref().unwrap_or_default()
    }
}

impl InputMessage {
    /// The text of the message.
    ///
    /// # Errors
    /// If a part of the message is not text.
    pub(crate) fn text(&self) -> Result<String, String> {
        match &self.content {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(Value::Array(parts)) => {
                let text = |part: &Value| match (part["type"].as_str(), part["text"].as_str()) {
                    (Some("text"), Some(text)) => Ok(text.to_owned()),
                    (kind, _) => {
                        let kind = kind.unwrap_or("without a type").to_owned();
                        Err(format!("a part is {kind}; only text can be sent"))
                    }
                };
                parts.iter().map(text).collect()
            }
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => {
                Err("must be a text, or parts of text".to_owned())
            }
        }
    }
}
