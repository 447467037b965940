use std::collections::BTreeMap;
use std::sync::Arc;

use data_encoding::BASE64;
use entracte_domain::file::FileReference;
use entracte_domain::id::{Digest, SessionId};
use entracte_domain::message::ProviderTurn;

use super::EncodedRequestCache;
use crate::schema::SchemaDocument;

/// One provider-neutral request to a model. It is a projection of committed rows: within a prompt generation the
/// request of a round begins with the request of the previous round.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    /// The session of the conversation; providers that route by cache key use it.
    pub session: SessionId,
    /// The model's name at the provider; empty selects the provider's default.
    pub model: String,
    /// The provider's encoding version when the generation began ([`Provider::encoding`](super::Provider::encoding));
    /// empty selects the current one.
    pub encoding: Arc<str>,
    /// The frozen prefix of the generation, one block each: level 1, then the instructions and the always-sent data,
    /// if any.
    pub system: Vec<Arc<str>>,
    /// The conversation. User and assistant turns alternate, and the first and last are user turns.
    pub turns: Vec<Arc<PromptTurn>>,
    /// The commands as native tools (`tools` dialect); empty in `envelope`.
    pub tools: Arc<[ToolDeclaration]>,
    /// Whether the model may request commands now. The tools stay in the request either way.
    pub commands: CommandRequestPolicy,
    /// Whether results of calls began the round instead of a person: a relaunch. A configuration entry may set another
    /// temperature and output limit for relaunches.
    pub relaunch: bool,
    /// The maximum tokens of the answer, if lower than the configured limit; `None` uses the configured limit.
    pub output_tokens: Option<u32>,
    /// The required shape of the answer.
    pub output: OutputShape,
    /// The bytes of the files in the conversation. A file whose bytes are missing stays the line of text that names it.
    pub files: FileContents,
    /// The adapter's cache of the encoded part of this conversation.
    pub written: EncodedRequestCache,
}

/// The bytes of files, by digest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileContents(BTreeMap<Digest, Arc<[u8]>>);

impl FileContents {
    /// Adds a file.
    pub fn insert(&mut self, digest: Digest, bytes: Vec<u8>) {
        self.0.insert(digest, bytes.into());
    }

    /// The bytes of a file, if they are here.
    pub fn get(&self, digest: &Digest) -> Option<&Arc<[u8]>> {
        self.0.get(digest)
    }

    /// The bytes of a file in base64, as every provider takes them.
    pub fn base64(&self, digest: &Digest) -> Option<String> {
        Some(BASE64.encode(self.get(digest)?))
    }
}

/// One turn of the conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum PromptTurn {
    /// The input of the model. Results of calls come first; the adapter preserves the order of the rest.
    User(Vec<UserTurnPart>),
    /// A reply of the model.
    Assistant(AssistantTurn),
}

/// One part of a user turn.
#[derive(Clone, Debug, PartialEq)]
pub enum UserTurnPart {
    /// Text of a person.
    Text(String),
    /// Text of Entracte itself, already marked as such; a provider with a system role inside the conversation may use
    /// that role.
    System(String),
    /// The result of a native call.
    Result {
        /// The call id that the model assigned.
        provider_call_id: String,
        /// The tool's name on the wire, as in the call; some servers match results to calls by it.
        name: String,
        /// The result text for the model.
        content: String,
        /// Whether the call failed.
        is_error: bool,
        /// The files that the call brought, for a model that can look at them; the content names each.
        files: Vec<FileReference>,
    },
    /// A file for a model that can look at it. The part before it names it.
    File(FileReference),
}

impl UserTurnPart {
    /// The text of this part for the model; empty for a file.
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::System(text) => text,
            Self::Result { content, .. } => content,
            Self::File(_) => "",
        }
    }
}

/// One reply of the model in the conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct AssistantTurn {
    /// The reply text; used when `raw` is of another dialect or generation.
    pub text: String,
    /// The native calls of the reply.
    pub calls: Vec<NativeCall>,
    /// The raw blocks of the reply, sent back byte for byte if they are of this adapter's dialect.
    pub raw: Option<ProviderTurn>,
}

/// A native tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct NativeCall {
    /// The id that the model assigned.
    pub provider_call_id: String,
    /// The tool's name on the wire.
    pub name: String,
    /// The arguments as received JSON text; may be invalid.
    pub arguments: String,
}

/// A command offered as a native tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDeclaration {
    /// The name on the wire, `^[a-zA-Z0-9_-]{1,64}$`.
    pub name: String,
    /// The documentation for the model.
    pub description: String,
    /// JSON Schema of the arguments.
    pub schema: SchemaDocument,
}

impl ToolDeclaration {
    /// The bytes by which it makes a prompt longer.
    pub fn bytes(&self) -> usize {
        self.name.len() + self.description.len() + schema_bytes(&self.schema)
    }
}

/// The bytes of a schema as JSON.
pub(crate) fn schema_bytes(schema: &SchemaDocument) -> usize {
    schema.to_string().len()
}

/// Whether the model may request commands in this answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandRequestPolicy {
    /// The model may request commands.
    Allowed,
    /// Only text is requested. The request to the server does not say so, because caches depend on its tool settings;
    /// a call is refused with a result.
    WordsOnly,
    /// The model may not request commands (`tool_choice: none` if there are tools).
    None,
}

impl CommandRequestPolicy {
    /// The policy of a round.
    pub const fn for_round(closing: bool, words_only: bool) -> Self {
        match (closing, words_only) {
            (true, _) => Self::None,
            (false, true) => Self::WordsOnly,
            (false, false) => Self::Allowed,
        }
    }
}

/// The required shape of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum OutputShape {
    /// Free text.
    Text,
    /// One JSON object. The schema is sent if the provider enforces schemas.
    Json {
        /// The name of the schema, `^[a-zA-Z0-9_-]{1,64}$`.
        name: String,
        /// The JSON Schema of the object.
        schema: Arc<SchemaDocument>,
    },
}
