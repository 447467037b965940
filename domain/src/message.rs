//! The entries of a conversation. One structure, five bodies.

use crate::agent::{MissionExit, PrincipalQuestion};
use crate::call::CallStatus;
use crate::command::Command;
use crate::id::{CallId, MessageId};
use crate::localizable_text::LocalizableText;
use crate::question::Question;
use crate::time::Timestamp;
use crate::value::JsonValue;

/// One entry of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// Derived from the input that made it.
    pub id: MessageId,
    /// When it was stored; stamped into what the model reads.
    pub at: Timestamp,
    /// Who speaks.
    pub author: Author,
    /// What is said.
    pub body: MessageBody,
    /// Shown to people only. Never changes after the message was sent to a model.
    pub exclude_from_prompt: bool,
}

/// Who speaks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Author {
    /// A person, by name.
    Person(String),
    /// The model.
    Model,
    /// Entracte itself.
    System,
}

/// The five bodies.
#[expect(
    clippy::large_enum_variant,
    reason = "a message is kept for a moment, and most are what a model said"
)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MessageBody {
    /// A user message of segments.
    Rich(UserMessage),
    /// Plain text: an answer to a question, or the text after actions succeeded.
    Text(LocalizableText),
    /// What the model said.
    Ai(AiMessage),
    /// What the machine says.
    System(SystemMessage),
    /// Why and for when a run was started.
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
}

/// A reference in a user message that becomes queries, never an action.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Enrichment {
    /// Which of the four kinds.
    pub kind: EnrichmentKind,
    /// What it refers to, an object; the application reads it into a [`Reference`](crate::enrichment::Reference).
    /// Once it is sent its period is absolute.
    pub config: JsonValue,
    /// What the model reads in its place, as things were named when it was sent.
    pub summary: String,
}

crate::words! {
    /// The four kinds of enrichment.
    pub enum EnrichmentKind {
        /// Points at a zone or a tool.
        Pointer = "POINTER",
        /// Uses a tool: configuration, schemas, data and statistics.
        Use = "USE",
        /// Creates something: the schemas of a tool type.
        Create = "CREATE",
        /// Changes a configuration: its schema and its present state.
        ModifyConfig = "MODIFY_CONFIG",
    }
}

impl UserMessage {
    /// A message of one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { segments: vec![Segment::Text(text.into())] }
    }

    /// All of it as one text, enrichments as their summaries.
    pub fn linear_text(&self) -> String {
        self.segments
            .iter()
            .map(|segment| match segment {
                Segment::Text(text) => text.as_str(),
                Segment::Enrichment(enrichment) => enrichment.summary.as_str(),
            })
            .collect()
    }
}

/// What the model said, as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AiMessage {
    /// Text before anything is run.
    pub pre_text: String,
    /// Queries asked for.
    pub queries: Vec<Command>,
    /// Actions asked for.
    pub actions: Vec<Command>,
    /// The model wants a person to be asked before its actions.
    pub validation_request: bool,
    /// Text to show once all actions succeeded.
    pub post_text: Option<String>,
    /// The model wants to speak again after its actions succeeded.
    pub keep_control: bool,
    /// A question to the user.
    pub question: Option<Question>,
    /// The model says the work is done.
    pub completed: bool,
    /// The reply as it came (text of the reply); sent back in later requests.
    pub original: String,
    /// The provider's own blocks, byte for byte.
    pub provider_turn: Option<ProviderTurn>,
    /// Calls of our own tools (`tools` dialect); they are answered in the conversation and never run.
    pub own_calls: Vec<BuiltinToolCall>,
    /// The steps that the model plans, to be shown; empty when it says none.
    pub plan: Vec<String>,
    /// An agent says that its mission is over.
    pub exit: Option<MissionExit>,
    /// An agent asks whoever called it, or the user.
    pub asks: Option<PrincipalQuestion>,
}

impl AiMessage {
    /// Whether it says nothing to anybody: no words, no question, no plan, and nothing asked for. What a model only
    /// thought is no answer.
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

/// A call of one of our own tools, by which a model asks, completes and plans where there is no envelope.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BuiltinToolCall {
    /// As the model named it.
    pub provider_call_id: String,
    /// The tool's name.
    pub name: String,
    /// Its arguments.
    pub arguments: JsonValue,
    /// What it is answered at once, and whether that is an error; none where a person answers.
    pub answer: Option<(String, bool)>,
}

/// The mark put before a reply that could not be read.
pub const INVALID_FORMAT_PREFIX: &str = "ai_response_invalid_format";

/// A provider's raw turn, sent back byte for byte within its generation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProviderTurn {
    /// Which wire dialect and version made it.
    pub dialect: String,
    /// The raw blocks, JSON.
    pub bytes: String,
}

/// What the machine says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SystemMessage {
    /// What it is about.
    pub kind: SystemKind,
    /// The results it brings, one per call.
    pub results: Vec<CommandResult>,
    /// One or a few sentences. Where there are results, its first part says how many, and remarks follow.
    pub summary: LocalizableText,
    /// Data for the model (`DATA_ADDED` and its like), else none.
    pub formatted_data: Option<LocalizableText>,
}

/// The result of one call, as a message brings it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CommandResult {
    /// The call.
    pub call: CallId,
    /// As the model named the call.
    pub provider_call_id: Option<String>,
    /// Name of the command.
    pub command: String,
    /// What became of it.
    pub status: CallStatus,
    /// Code for the model.
    pub code: Option<String>,
    /// What the model reads.
    pub content: LocalizableText,
}

crate::words! {
    /// The types of system messages.
    #[expect(missing_docs, reason = "the words of the table in docs/ARCHITECTURE.md")]
    pub enum SystemKind {
        DataAdded = "DATA_ADDED",
        ActionsExecuted = "ACTIONS_EXECUTED",
        SchemaRequired = "SCHEMA_REQUIRED",
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
    }
}

impl SystemKind {
    /// Whether the model reads it. Errors of providers and the network are shown to people and never put into
    /// the prompt.
    pub const fn goes_to_prompt(self) -> bool {
        match self {
            SystemKind::DataAdded
            | SystemKind::ActionsExecuted
            | SystemKind::SchemaRequired
            | SystemKind::LimitReached
            | SystemKind::FormatError
            | SystemKind::Continuation
            | SystemKind::RulesChanged
            | SystemKind::ValidationCancelled
            | SystemKind::TaskResult
            | SystemKind::EventPayload
            | SystemKind::ContextSummary
            | SystemKind::Mission
            | SystemKind::MissionAnswer => true,
            SystemKind::CommunicationCancelled
            | SystemKind::NetworkError
            | SystemKind::ProviderError
            | SystemKind::SessionTimeout => false,
        }
    }
}

/// Why and for when a run was started.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExecutionMetadata {
    /// `manual`, `scheduled` or `event`.
    pub trigger: String,
    /// The occurrence; the reference of relative periods.
    pub scheduled_at: Option<Timestamp>,
    /// Version of the automation it was started from.
    pub automation_version: u32,
}
