//! Request body of an AG-UI client. Unused fields are ignored, because the protocol grows.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use entracte_application::json_value::ExactJson;
use entracte_application::terminal_text::one_line;
use entracte_application::texts::{LocalizedMessage, LocalizedValue, saying};
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
    /// A text, or parts: `text`, and `binary` with `data` in base64, or with the digest of a stored file as `id`.
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
    pub(crate) fn find_invalid_field(&self) -> Option<(String, LocalizedMessage)> {
        let ids = [("threadId".to_owned(), &self.thread_id), ("runId".to_owned(), &self.run_id)];
        let messages = self.messages.iter().enumerate();
        let messages = messages.map(|(at, message)| (format!("messages[{at}].id"), &message.id));
        let is_wrong = |id: &str| id.is_empty() || id.chars().count() > NAME_MAX;
        let wrong = ids.into_iter().chain(messages).find(|(_, id)| is_wrong(id));
        wrong.map(|(path, _)| (path, saying!("refusal-id-length", most = NAME_MAX)))
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
    /// The text and the files of the message.
    ///
    /// # Errors
    /// If a part of the message is neither text nor a file that can be read.
    pub(crate) fn content(&self) -> Result<InputContent, LocalizedMessage> {
        match &self.content {
            Some(Value::String(text)) => Ok(InputContent { text: text.clone(), files: Vec::new() }),
            Some(Value::Array(parts)) => {
                let mut content = InputContent::default();
                for part in parts {
                    content.add(part)?;
                }
                Ok(content)
            }
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => {
                Err(saying!("refusal-message-text"))
            }
        }
    }
}

/// The parts of a message.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct InputContent {
    /// Its texts, joined.
    pub(crate) text: String,
    /// Its files, in order.
    pub(crate) files: Vec<InputFile>,
}

/// A file of a message. Its type is decided by its content, not by what the client calls it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum InputFile {
    /// A file that was stored before, by its digest.
    Stored(String),
    /// A file to be stored.
    Uploaded {
        /// Its name; empty without one.
        name: String,
        /// Its content.
        bytes: Vec<u8>,
    },
}

impl InputContent {
    fn add(&mut self, part: &Value) -> Result<(), LocalizedMessage> {
        match (part["type"].as_str(), part["text"].as_str()) {
            (Some("text"), Some(text)) => self.text.push_str(text),
            (Some("binary"), _) => self.files.push(InputFile::from_part(part)?),
            (Some(kind), _) => return Err(saying!("refusal-part-kind", kind = one_line(kind))),
            (None, _) => return Err(saying!("refusal-part-untyped")),
        }
        Ok(())
    }
}

impl InputFile {
    fn from_part(part: &Value) -> Result<Self, LocalizedMessage> {
        let name = part["filename"].as_str().unwrap_or_default().to_owned();
        let unnamed = saying!("refusal-part-unnamed");
        let shown = match name.is_empty() {
            true => LocalizedValue::from(unnamed),
            false => one_line(&name).into(),
        };
        match (part["data"].as_str(), part["id"].as_str()) {
            (Some(data), _) => match BASE64.decode(data) {
                Ok(bytes) => Ok(Self::Uploaded { name, bytes }),
                Err(_) => Err(saying!("refusal-part-base64", name = shown)),
            },
            (None, Some(digest)) => Ok(Self::Stored(digest.to_owned())),
            (None, None) => Err(saying!("refusal-part-without-bytes", name = shown)),
        }
    }
}
