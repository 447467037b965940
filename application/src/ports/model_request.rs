use std::sync::Arc;

use entracte_domain::id::SessionId;
use entracte_domain::message::ProviderTurn;

use super::EncodedRequestCache;

/// One request to a model, in neutral terms. A projection of committed rows: within a prompt generation the
/// request of a round begins with the request of the round before.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    /// Whose conversation; providers that route by cache key use it.
    pub session: SessionId,
    /// The model's name at the provider; empty: the provider's default.
    pub model: String,
    /// How the provider wrote requests when the generation began
    /// ([`Provider::encoding`](super::Provider::encoding)); empty: as its entry says now.
    pub encoding: Arc<str>,
    /// The frozen prefix of the generation: level 1, then the instructions and the data that is always sent, where there are
    /// any. One block each.
    pub system: Vec<Arc<str>>,
    /// The conversation. User and assistant turns alternate and the first and last are user turns.
    pub turns: Vec<Arc<PromptTurn>>,
    /// Commands as native tools (`tools` dialect); empty in `envelope`.
    pub tools: Arc<[ToolDeclaration]>,
    /// Whether commands may be asked for now. The tools stay in the request either way.
    pub commands: CommandRequestPolicy,
    /// Whether the round was begun by the results of calls, and not by a person: a relaunch. An entry may have another
    /// temperature and output limit for it.
    pub relaunch: bool,
    /// The most tokens of the answer, where that is less than the entry says; none: as the entry says.
    pub output_tokens: Option<u32>,
    /// The shape the answer must have.
    pub output: OutputShape,
    /// What the adapter has written of this conversation.
    pub written: EncodedRequestCache,
}

/// One turn of the conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum PromptTurn {
    /// What the model reads. Results of calls come first; the adapter keeps the order of the rest.
    User(Vec<UserTurnPart>),
    /// What the model said.
    Assistant(AssistantTurn),
}

/// A part of a user turn.
#[derive(Clone, Debug, PartialEq)]
pub enum UserTurnPart {
    /// Text of a person.
    Text(String),
    /// Text of Entracte itself, already marked as such; a provider with a system role inside the conversation
    /// may use it.
    System(String),
    /// The result of a native call.
    Result {
        /// The call as the model named it.
        provider_call_id: String,
        /// The tool's name on the wire, as its call has it; some servers pair results with calls by it.
        name: String,
        /// What the model reads.
        content: String,
        /// Whether it went wrong.
        is_error: bool,
    },
}

impl UserTurnPart {
    /// What the model reads of it.
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::System(text) => text,
            Self::Result { content, .. } => content,
        }
    }
}

/// What the model said.
#[derive(Clone, Debug, PartialEq)]
pub struct AssistantTurn {
    /// Its text; used when `raw` is of another dialect or generation.
    pub text: String,
    /// Its native calls.
    pub calls: Vec<NativeCall>,
    /// Its raw blocks, to be sent back byte for byte when they are of this adapter's dialect.
    pub raw: Option<ProviderTurn>,
}

/// A native tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct NativeCall {
    /// As the model named it.
    pub provider_call_id: String,
    /// The tool's name on the wire.
    pub name: String,
    /// The arguments, JSON text as it came; may be invalid.
    pub arguments: String,
}

/// A command offered as a native tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDeclaration {
    /// Name on the wire, `^[a-zA-Z0-9_-]{1,64}$`.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments.
    pub schema: serde_json::Value,
}

/// Whether the model may ask for commands in this answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandRequestPolicy {
    /// It may.
    Allowed,
    /// It is asked for words alone. The server is told nothing of that, because caches depend on what it is told of
    /// tools; a call is refused with a result.
    WordsOnly,
    /// It may not (`tool_choice: none` where there are tools).
    None,
}

impl CommandRequestPolicy {
    /// What holds in a round.
    pub const fn for_round(closing: bool, words_only: bool) -> Self {
        match (closing, words_only) {
            (true, _) => Self::None,
            (false, true) => Self::WordsOnly,
            (false, false) => Self::Allowed,
        }
    }
}

/// The shape the answer must have.
#[derive(Clone, Debug, PartialEq)]
pub enum OutputShape {
    /// Free text.
    Text,
    /// One JSON object. The schema is sent where the provider enforces one.
    Json {
        /// A name for the schema, `^[a-zA-Z0-9_-]{1,64}$`.
        name: String,
        /// The JSON Schema.
        schema: Arc<serde_json::Value>,
    },
}
