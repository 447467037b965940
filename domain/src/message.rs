//! The entries of a conversation: one structure, five kinds of bodies.

use std::borrow::Cow;

use crate::agent::{MissionExit, PrincipalQuestion};
use crate::call::CallStatus;
use crate::command::Command;
use crate::file::{FileReference, append_file_lines};
use crate::id::{CallId, MessageId};
use crate::localizable_text::LocalizableText;
use crate::question::Question;
use crate::time::Timestamp;
use crate::value::JsonValue;

/// One entry of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// Id derived from the input that created the message.
    pub id: MessageId,
    /// When it was stored; the model reads this timestamp.
    pub at: Timestamp,
    /// The author of the message.
    pub author: Author,
    /// Content of the message.
    pub body: MessageBody,
    /// True if only people see it. Never changes after the message was sent to a model.
    pub exclude_from_prompt: bool,
}

/// The author of a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Author {
    /// A person, by name.
    Person(String),
    /// The model.
    Model,
    /// Entracte itself.
    System,
}

/// The content of a message.
#[expect(
    clippy::large_enum_variant,
    reason = "a message is kept for a moment, and most are what a model said"
)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MessageBody {
    /// A user message of segments.
    Rich(UserMessage),
    /// Plain text: an answer to a question, or the text shown after actions succeeded.
    Text(LocalizableText),
    /// A reply of the model.
    Ai(AiMessage),
    /// A message of the state machine.
    System(SystemMessage),
    /// The trigger and occurrence of a run.
    Execution(ExecutionMetadata),
}

/// A user message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UserMessage {
    /// Its parts in order.
    pub segments: Vec<Segment>,
}

/// A part of a user message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// Plain text, without references.
    Text(String),
    /// A reference that becomes queries.
    Enrichment(Enrichment),
    /// A file that the person attached.
    File(FileReference),
}

/// A reference in a user message that becomes queries, never an action.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Enrichment {
    /// The kind of enrichment.
    pub kind: EnrichmentKind,
    /// Reference of the enrichment, an object that the owner of the resource reads. Its period is absolute once the
    /// message is sent.
    pub config: JsonValue,
    /// Text that the model reads instead, with names as of sending.
    pub summary: String,
}

crate::words! {
    /// The four kinds of enrichment.
    pub enum EnrichmentKind {
        /// Points at a resource.
        Pointer = "POINTER",
        /// Uses a resource: configuration, schemas, data and statistics.
        Use = "USE",
        /// Creates a resource: the schemas of its type.
        Create = "CREATE",
        /// Changes a configuration: its schema and current state.
        ModifyConfig = "MODIFY_CONFIG",
    }
}

impl UserMessage {
    /// Creates a message of one text segment.
    pub fn text(text: impl Into<String>) -> Self {
        Self { segments: vec![Segment::Text(text.into())] }
    }

    /// The whole message as one text: enrichments as their summaries, files as lines of their own.
    pub fn linear_text(&self) -> String {
        let mut text = String::new();
        let mut follows_file = false;
        for segment in &self.segments {
            match segment {
                Segment::Text(words) => push_words(&mut text, words, follows_file),
                Segment::Enrichment(enrichment) => push_words(&mut text, &enrichment.summary, follows_file),
                Segment::File(file) => append_file_lines(&mut text, std::slice::from_ref(file)),
            }
            follows_file = matches!(segment, Segment::File(_));
        }
        text
    }

    /// What the person wrote, enrichments as their summaries, without files.
    pub fn written_text(&self) -> String {
        self.segments
            .iter()
            .map(|segment| match segment {
                Segment::Text(text) => text.as_str(),
                Segment::Enrichment(enrichment) => enrichment.summary.as_str(),
                Segment::File(_) => "",
            })
            .collect()
    }

    /// The files of the message, in order.
    pub fn files(&self) -> impl Iterator<Item = &FileReference> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::File(file) => Some(file),
            Segment::Text(_) | Segment::Enrichment(_) => None,
        })
    }
}

/// Appends words to a text; words behind a file begin a line.
fn push_words(text: &mut String, words: &str, follows_file: bool) {
    if follows_file && !words.is_empty() && !words.starts_with('\n') {
        text.push('\n');
    }
    text.push_str(words);
}

/// The parsed reply of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AiMessage {
    /// Text shown before any command runs.
    pub pre_text: String,
    /// Requested queries.
    pub queries: Vec<Command>,
    /// Requested actions.
    pub actions: Vec<Command>,
    /// The model requests an approval of its actions.
    pub validation_request: bool,
    /// Text shown after all actions succeeded.
    pub post_text: Option<String>,
    /// The model wants another round after its actions succeeded.
    pub keep_control: bool,
    /// Question to the user, if any.
    pub question: Option<Question>,
    /// The model declares the work completed.
    pub completed: bool,
    /// The reply's text as received; sent back in later requests.
    pub original: String,
    /// The provider's own blocks, byte for byte, if it needs them back.
    pub provider_turn: Option<ProviderTurn>,
    /// Calls of built-in tools (`tools` dialect); they are answered in the conversation and never run.
    pub own_calls: Vec<BuiltinToolCall>,
    /// Planned steps to show; empty if the model gives none.
    pub plan: Vec<String>,
    /// The exit of an agent that ends its mission.
    pub exit: Option<MissionExit>,
    /// The question of an agent to its caller or the user.
    pub asks: Option<PrincipalQuestion>,
}

impl AiMessage {
    /// Whether the reply has no visible content: no text, question, plan or command. Reasoning alone is not an answer.
    pub fn is_empty(&self) -> bool {
        let has_words = [Some(&self.pre_text), self.post_text.as_ref()]
            .into_iter()
            .flatten()
            .chain(&self.plan)
            .any(|words| !words.trim().is_empty());
        let asks = !self.queries.is_empty() || !self.actions.is_empty() || self.question.is_some();
        let asks = asks || self.exit.is_some() || self.asks.is_some();
        !has_words && !asks && !self.completed && self.own_calls.is_empty()
    }
}

/// A call of a built-in tool, through which a model asks, completes and plans in the `tools` dialect.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BuiltinToolCall {
    /// Id the model gave the call.
    pub provider_call_id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments of the call.
    pub arguments: JsonValue,
    /// Immediate answer, and whether it is an error; `None` if a person answers.
    pub answer: Option<(String, bool)>,
}

/// Prefix of a stored reply that could not be read.
pub const INVALID_FORMAT_PREFIX: &str = "ai_response_invalid_format";

/// A provider's raw turn, sent back byte for byte within its generation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProviderTurn {
    /// Wire dialect and version that produced the turn.
    pub dialect: String,
    /// Raw blocks, JSON.
    pub bytes: String,
}

/// A message of the state machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SystemMessage {
    /// Type of the message.
    pub kind: SystemKind,
    /// Results of calls, one per call.
    pub results: Vec<CommandResult>,
    /// One or a few sentences. If there are results, the first part counts them and remarks follow.
    pub summary: LocalizableText,
    /// Data for the model (for example in `DATA_ADDED`), if any.
    pub formatted_data: Option<LocalizableText>,
}

impl SystemMessage {
    /// The results as data for the model.
    pub fn format_results(results: &[CommandResult]) -> LocalizableText {
        let mut data = LocalizableText::default();
        for (index, result) in results.iter().enumerate() {
            let gap = if index == 0 { "" } else { "\n\n" };
            data.push_words(&format!("{gap}## {}\n", result.command));
            data.push(&result.content);
        }
        data
    }

    /// Its data, unless they only repeat its results.
    pub fn data_without_results(&self) -> Option<&LocalizableText> {
        self.formatted_data.as_ref().filter(|_| self.results.is_empty())
    }
}

/// The result of one call inside a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CommandResult {
    /// The call that has this result.
    pub call: CallId,
    /// Id the model gave the call.
    pub provider_call_id: Option<String>,
    /// Name of the command.
    pub command: String,
    /// Status of the call.
    pub status: CallStatus,
    /// Code for the model.
    pub code: Option<String>,
    /// Content that the model reads.
    pub content: LocalizableText,
    /// Files that the call brought, which follow the content.
    pub files: Vec<FileReference>,
}

impl CommandResult {
    /// The content as plain text, with a line for each file.
    pub fn to_plain_text(&self) -> Cow<'_, str> {
        let content = self.content.to_plain_text();
        if self.files.is_empty() {
            return content;
        }
        let mut text = content.into_owned();
        append_file_lines(&mut text, &self.files);
        Cow::Owned(text)
    }
}

crate::words! {
    /// The types of system messages.
    #[expect(missing_docs, reason = "the words of the table in docs/INVARIANTS.md")]
    pub enum SystemKind {
        DataAdded = "DATA_ADDED",
        ActionsExecuted = "ACTIONS_EXECUTED",
        LimitReached = "LIMIT_REACHED",
        FormatError = "FORMAT_ERROR",
        Continuation = "CONTINUATION",
        RulesChanged = "RULES_CHANGED",
        ValidationCancelled = "VALIDATION_CANCELLED",
        CommunicationCancelled = "COMMUNICATION_CANCELLED",
        NetworkError = "NETWORK_ERROR",
        ProviderError = "PROVIDER_ERROR",
        SessionTimeout = "SESSION_TIMEOUT",
        TaskResult = "TASK_RESULT",
        EventPayload = "EVENT_PAYLOAD",
        ContextSummary = "CONTEXT_SUMMARY",
        Mission = "MISSION",
        MissionAnswer = "MISSION_ANSWER",
        /// A person stopped the reply before it.
        ReplyStopped = "REPLY_STOPPED",
        /// A person is asked whether more of a cap may be used.
        SpendingQuestion = "SPENDING_QUESTION",
    }
}

impl SystemKind {
    /// Whether the model reads messages of this type. Errors of providers and the network are shown to people only.
    pub const fn goes_to_prompt(self) -> bool {
        match self {
            SystemKind::DataAdded
            | SystemKind::ActionsExecuted
            | SystemKind::LimitReached
            | SystemKind::FormatError
            | SystemKind::Continuation
            | SystemKind::RulesChanged
            | SystemKind::ValidationCancelled
            | SystemKind::TaskResult
            | SystemKind::EventPayload
            | SystemKind::ContextSummary
            | SystemKind::Mission
            | SystemKind::MissionAnswer
            | SystemKind::ReplyStopped => true,
            SystemKind::CommunicationCancelled
            | SystemKind::NetworkError
            | SystemKind::ProviderError
            | SystemKind::SessionTimeout
            | SystemKind::SpendingQuestion => false,
        }
    }
}

/// The trigger and occurrence of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExecutionMetadata {
    /// `manual`, `scheduled` or `event`.
    pub trigger: String,
    /// The occurrence; relative periods refer to it.
    pub scheduled_at: Option<Timestamp>,
    /// Version of the automation that started the run.
    pub automation_version: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Digest;

    fn photo() -> FileReference {
        FileReference {
            digest: Digest::new("d1"),
            media_type: "image/jpeg".into(),
            name: "photo.jpg".into(),
            bytes: 9,
            dimensions: None,
            pages: None,
            model_form: None,
        }
    }

    #[test]
    fn files_stand_on_lines_of_their_own() {
        let segments = vec![
            Segment::Text("Look: ".into()),
            Segment::File(photo()),
            Segment::File(photo()),
            Segment::Text("Which breed?".into()),
        ];
        let message = UserMessage { segments };
        let line = photo().line();
        assert_eq!(message.linear_text(), format!("Look: \n{line}\n{line}\nWhich breed?"));
        assert_eq!(message.written_text(), "Look: Which breed?");
        assert_eq!(message.files().count(), 2);
    }

    #[test]
    fn text_without_files_is_joined_as_written() {
        let segments = vec![Segment::Text("How ".into()), Segment::Text("much?".into())];
        assert_eq!(UserMessage { segments }.linear_text(), "How much?");
    }
}
