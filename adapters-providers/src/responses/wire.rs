//! Wire types of the Responses API: serde only.

use std::borrow::Cow;

use entracte_application::schema::SchemaDocument;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::text::or_default;

/// The request fields before the input.
#[derive(Debug, Serialize)]
pub(super) struct Head<'a> {
    pub(super) model: &'a str,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) instructions: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<TextConfig<'a>>,
}

/// The request fields after the input; its declarations are empty where they stand before the input.
#[derive(Debug, Serialize)]
pub(super) struct Rest<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<TextConfig<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning: Option<Reasoning<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) service_tier: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) prompt_cache_key: Option<Cow<'a, str>>,
    pub(super) include: [&'static str; 1],
    pub(super) store: bool,
    pub(super) stream: bool,
}

/// An item of the input.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Item<'a> {
    /// An item of an earlier answer, byte for byte.
    Raw(&'a RawValue),
    /// A user message.
    User { role: &'static str, content: Vec<InputPart<'a>> },
    /// A message of the model, if its own items are not available.
    Assistant {
        #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
        kind: Option<&'static str>,
        role: &'static str,
        content: &'a str,
    },
    /// A call of the model, if its own item is not available.
    Call {
        #[serde(rename = "type")]
        kind: &'static str,
        call_id: &'a str,
        name: &'a str,
        arguments: &'a str,
    },
    /// The result of a call.
    Output {
        #[serde(rename = "type")]
        kind: &'static str,
        call_id: &'a str,
        output: CallOutput<'a>,
    },
}

/// A part of a user message or of a result.
#[derive(Debug, Serialize)]
#[serde(tag = "type")]
pub(super) enum InputPart<'a> {
    #[serde(rename = "input_text")]
    Text { text: Cow<'a, str> },
    #[serde(rename = "input_image")]
    Image { detail: &'static str, image_url: String },
    #[serde(rename = "input_file")]
    File { filename: &'a str, file_data: String },
}

/// The result of a call: its text, or its text and files.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum CallOutput<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<InputPart<'a>>),
}

/// A declared function.
#[derive(Debug, Serialize)]
pub(super) struct Tool<'a> {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) name: &'a str,
    pub(super) description: Cow<'a, str>,
    pub(super) parameters: Cow<'a, SchemaDocument>,
    pub(super) strict: bool,
}

/// The text options of a request.
#[derive(Debug, Serialize)]
pub(super) struct TextConfig<'a> {
    pub(super) format: Format<'a>,
}

/// The format the answer must have.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Format<'a> {
    JsonSchema { name: &'a str, schema: Cow<'a, SchemaDocument>, strict: bool },
    JsonObject,
}

/// The reasoning effort and the kind of summary.
#[derive(Debug, Serialize)]
pub(super) struct Reasoning<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) summary: Option<&'static str>,
}

/// An answer: in one piece, or inside the closing event of a stream.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Answer {
    pub(super) id: Option<String>,
    pub(super) conversation: Value,
    pub(super) model: Option<String>,
    pub(super) status: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(super) output: Vec<Box<RawValue>>,
    pub(super) error: Option<Value>,
    pub(super) incomplete_details: Option<IncompleteDetails>,
    pub(super) usage: Option<Usage>,
    pub(super) service_tier: Option<String>,
}

/// The reason why an answer is incomplete.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct IncompleteDetails {
    #[serde(deserialize_with = "or_default")]
    pub(super) reason: String,
}

/// Token counts; `input_tokens` includes the cached ones.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    pub(super) input_tokens: Option<u64>,
    #[serde(deserialize_with = "or_default")]
    pub(super) input_tokens_details: InputDetails,
    pub(super) output_tokens: Option<u64>,
    /// All tokens; if reasoning is counted beside the output, only this total includes it.
    pub(super) total_tokens: Option<u64>,
    /// Tools that xAI ran, which it bills beside the tokens.
    pub(super) num_server_side_tools_used: Option<u64>,
    /// The cost of the answer, if the server reports it.
    #[serde(deserialize_with = "or_default")]
    pub(super) cost: Value,
}

/// The input tokens read from and written to the cache.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct InputDetails {
    #[serde(deserialize_with = "or_default")]
    pub(super) cached_tokens: u64,
    #[serde(deserialize_with = "or_default")]
    pub(super) cache_write_tokens: u64,
    #[serde(deserialize_with = "or_default")]
    pub(super) cache_write_tokens_details: CacheWriteDetails,
}

/// The tokens written to the cache, by retention.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CacheWriteDetails {
    #[serde(deserialize_with = "or_default")]
    pub(super) ttl_12h_tokens: u64,
}

/// The fields that are read from an output item.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ReadItem {
    #[serde(rename = "type", deserialize_with = "or_default")]
    pub(super) kind: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) call_id: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) name: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) arguments: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) content: Vec<ReadPart>,
}

/// A part of a message item.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ReadPart {
    #[serde(rename = "type", deserialize_with = "or_default")]
    pub(super) kind: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) text: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) refusal: String,
}

/// A stream event; which fields are present depends on `kind`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Event {
    #[serde(rename = "type", deserialize_with = "or_default")]
    pub(super) kind: String,
    /// `None` if the server does not number its items.
    pub(super) output_index: Option<u32>,
    pub(super) item: Option<Box<RawValue>>,
    pub(super) response: Option<Answer>,
    pub(super) delta: Option<Value>,
    pub(super) error: Option<Value>,
}
