//! Wire types of Chat Completions: serde only. Almost every field of an answer is optional.

use std::borrow::Cow;

use entracte_application::schema::SchemaDocument;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::text::{or_default, text_or_none};

/// The request fields before the messages.
#[derive(Debug, Serialize)]
pub(super) struct Head<'a> {
    pub(super) model: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) response_format: Option<Format<'a>>,
}

/// The request fields after the messages; its declarations are empty where they stand before the messages.
#[derive(Debug, Serialize)]
pub(super) struct Rest<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) response_format: Option<Format<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) service_tier: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) top_p: Option<f64>,
    pub(super) stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) prompt_cache_key: Option<Cow<'a, str>>,
}

/// Requests token counts in the stream.
#[derive(Debug, Serialize)]
pub(super) struct StreamOptions {
    pub(super) include_usage: bool,
}

/// A message of one role.
#[derive(Debug, Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub(super) enum Message<'a> {
    System {
        content: String,
    },
    User {
        content: UserContent<'a>,
    },
    Assistant(Assistant<'a>),
    Tool {
        tool_call_id: &'a str,
        content: Cow<'a, str>,
    },
    /// A message of an earlier answer, byte for byte.
    #[serde(untagged)]
    Raw(&'a RawValue),
}

/// The content of a user message: a text, or texts and images.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum UserContent<'a> {
    Text(String),
    Parts(Vec<UserPart<'a>>),
}

/// A part of a user message.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum UserPart<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ImageUrl },
}

/// The address of an image, which is the image itself.
#[derive(Debug, Serialize)]
pub(super) struct ImageUrl {
    pub(super) url: String,
}

/// A message of the model.
#[derive(Debug, Serialize)]
pub(super) struct Assistant<'a> {
    pub(super) content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_content: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_calls: Vec<ToolCall<'a>>,
}

/// A call of the model.
#[derive(Debug, Serialize)]
pub(super) struct ToolCall<'a> {
    pub(super) id: &'a str,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) function: Function<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) extra_content: Option<&'a RawValue>,
}

/// The name and arguments of a called function.
#[derive(Debug, Serialize)]
pub(super) struct Function<'a> {
    pub(super) name: &'a str,
    pub(super) arguments: &'a str,
}

/// A declared tool.
#[derive(Debug, Serialize)]
pub(super) struct Tool<'a> {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) function: Declaration<'a>,
}

/// A declared function.
#[derive(Debug, Serialize)]
pub(super) struct Declaration<'a> {
    pub(super) name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) description: Cow<'a, str>,
    pub(super) parameters: Cow<'a, SchemaDocument>,
}

/// The format the answer must have.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Format<'a> {
    JsonSchema { json_schema: JsonSchema<'a> },
    JsonObject,
}

/// A named schema.
#[derive(Debug, Serialize)]
pub(super) struct JsonSchema<'a> {
    pub(super) name: &'a str,
    pub(super) schema: Cow<'a, SchemaDocument>,
    pub(super) strict: bool,
}

/// An answer in one piece, or a chunk of a stream.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Answer {
    #[serde(deserialize_with = "text_or_none")]
    pub(super) object: String,
    pub(super) id: Option<String>,
    pub(super) model: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(super) choices: Vec<Choice>,
    pub(super) usage: Option<Usage>,
    pub(super) service_tier: Option<String>,
    pub(super) x_groq: Option<Groq>,
    pub(super) error: Option<Value>,
}

/// One alternative answer. Only the first is read, since one is requested.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice {
    pub(super) message: Option<Piece>,
    pub(super) delta: Option<Piece>,
    pub(super) finish_reason: Option<String>,
}

/// A message, or the next piece of one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Piece {
    pub(super) content: Option<Value>,
    #[serde(deserialize_with = "or_default")]
    pub(super) refusal: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) reasoning: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) reasoning_content: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) tool_calls: Vec<CallPiece>,
}

/// A call, or the next piece of one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CallPiece {
    pub(super) index: Option<u32>,
    #[serde(deserialize_with = "or_default")]
    pub(super) id: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) function: FunctionPiece,
    pub(super) extra_content: Option<Box<RawValue>>,
}

/// A function's name and arguments, or the next piece of them. Some servers give arguments as an object.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FunctionPiece {
    #[serde(deserialize_with = "or_default")]
    pub(super) name: String,
    pub(super) arguments: Option<Box<RawValue>>,
}

/// Tokens; `prompt_tokens` counts the cached ones too.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    pub(super) prompt_tokens: Option<u64>,
    #[serde(deserialize_with = "or_default")]
    pub(super) prompt_tokens_details: PromptDetails,
    pub(super) completion_tokens: Option<u64>,
    /// All tokens; if reasoning is counted beside the output, only this total includes it.
    pub(super) total_tokens: Option<u64>,
    /// DeepSeek's name for the cached tokens.
    pub(super) prompt_cache_hit_tokens: Option<u64>,
    /// Moonshot's name for the cached tokens.
    pub(super) cached_tokens: Option<u64>,
    /// Mistral's name for the cached tokens; most of its answers have no other.
    pub(super) num_cached_tokens: Option<u64>,
    /// Mistral's second name for the details of the prompt.
    #[serde(deserialize_with = "or_default")]
    pub(super) prompt_token_details: PromptDetails,
    /// Seconds of sound in the prompt, which Mistral bills beside the tokens.
    #[serde(deserialize_with = "or_default")]
    pub(super) prompt_audio_seconds: Value,
    /// The tier that answered, where Mistral reports it.
    pub(super) service_tier: Option<String>,
    /// Searched sources, which xAI bills beside the tokens.
    pub(super) num_sources_used: Option<u64>,
    /// The cached tokens as gateways in front of Claude report them.
    pub(super) cache_read_input_tokens: Option<u64>,
    /// The tokens written to the cache as gateways in front of Claude report them.
    pub(super) cache_creation_input_tokens: Option<u64>,
    #[serde(deserialize_with = "or_default")]
    pub(super) completion_tokens_details: CompletionDetails,
    /// Parts of the cost.
    #[serde(deserialize_with = "or_default")]
    pub(super) cost_details: CostDetails,
    /// The cost of the answer, if the server reports it.
    #[serde(deserialize_with = "or_default")]
    pub(super) cost: Value,
    /// Whether another provider bills the tokens to the user's own account.
    #[serde(deserialize_with = "or_default")]
    pub(super) is_byok: bool,
}

/// The prompt tokens read from and written to the cache.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PromptDetails {
    #[serde(deserialize_with = "or_default")]
    pub(super) cached_tokens: u64,
    #[serde(deserialize_with = "or_default")]
    pub(super) cache_write_tokens: u64,
    /// The same as gateways in front of Claude report it.
    #[serde(deserialize_with = "or_default")]
    pub(super) cache_creation_tokens: u64,
    #[serde(deserialize_with = "or_default")]
    pub(super) audio_tokens: u64,
    #[serde(deserialize_with = "or_default")]
    pub(super) image_tokens: u64,
}

/// The output tokens that are not text.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CompletionDetails {
    #[serde(deserialize_with = "or_default")]
    pub(super) audio_tokens: u64,
    #[serde(deserialize_with = "or_default")]
    pub(super) image_tokens: u64,
}

/// Parts of a reported cost.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CostDetails {
    /// The bill of the provider of the user's own account, in US dollars.
    pub(super) upstream_inference_cost: Option<f64>,
}

/// Groq's additions.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Groq {
    pub(super) id: Option<String>,
    pub(super) usage: Option<Usage>,
    pub(super) error: Option<Value>,
}
