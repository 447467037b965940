//! Wire types of the Messages API: serde only.

use std::borrow::Cow;
use std::collections::BTreeMap;

use entracte_application::schema::SchemaDocument;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::text::{or_default, present, text_or_none};

/// The request fields before the messages.
#[derive(Debug, Serialize)]
pub(super) struct Head<'a> {
    pub(super) model: &'a str,
    pub(super) max_tokens: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) system: Vec<Block<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) output_config: Option<OutputConfig<'a>>,
}

/// The request fields after the messages; its declarations are empty where they stand before the messages.
#[derive(Debug, Serialize)]
pub(super) struct Rest<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_choice: Option<ToolChoice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) output_config: Option<OutputConfig<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) service_tier: Option<&'a str>,
    pub(super) stream: bool,
}

/// A message of one role.
#[derive(Debug, Serialize)]
pub(super) struct Message<'a> {
    pub(super) role: Role,
    pub(super) content: Vec<Block<'a>>,
}

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    User,
    Assistant,
}

/// A content block of a request.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block<'a> {
    Text {
        text: Cow<'a, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    ToolResult {
        tool_use_id: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        content: Option<ResultContent<'a>>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    Image {
        source: FileSource<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    Document {
        source: FileSource<'a>,
        title: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: Box<RawValue>,
    },
    /// A block of an earlier answer, byte for byte.
    #[serde(untagged)]
    Raw(&'a RawValue),
}

/// The content of a result: its text, or its text and files.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum ResultContent<'a> {
    Text(Cow<'a, str>),
    Blocks(Vec<Block<'a>>),
}

/// The bytes of a file.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum FileSource<'a> {
    Base64 { media_type: &'a str, data: String },
}

/// A cache breakpoint, with the default time to live unless another is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum CacheControl {
    Ephemeral {
        #[serde(skip_serializing_if = "Option::is_none")]
        ttl: Option<&'static str>,
    },
}

/// A declared tool.
#[derive(Debug, Serialize)]
pub(super) struct Tool<'a> {
    pub(super) name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) description: Cow<'a, str>,
    pub(super) input_schema: Cow<'a, SchemaDocument>,
}

/// Whether tools may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ToolChoice {
    None,
    /// The same as no choice, but one call at a time.
    Auto {
        disable_parallel_tool_use: bool,
    },
}

/// The effort and the output format.
#[derive(Debug, Serialize)]
pub(super) struct OutputConfig<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) format: Option<Format<'a>>,
}

/// The format the answer must have.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Format<'a> {
    JsonSchema { schema: Cow<'a, SchemaDocument> },
}

/// An answer in one piece, and the message of `message_start`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Answer {
    pub(super) model: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(super) content: Vec<Box<RawValue>>,
    pub(super) stop_reason: Option<String>,
    pub(super) stop_details: Option<StopDetails>,
    pub(super) usage: Option<Usage>,
    pub(super) error: Option<Box<RawValue>>,
}

/// The reason for a refusal.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct StopDetails {
    pub(super) category: Option<String>,
    pub(super) explanation: Option<String>,
}

/// Token counts. Absent is not zero: in streams a later count replaces an earlier one.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    pub(super) input_tokens: Option<u64>,
    pub(super) cache_creation_input_tokens: Option<u64>,
    pub(super) cache_read_input_tokens: Option<u64>,
    pub(super) output_tokens: Option<u64>,
    #[serde(deserialize_with = "or_default")]
    pub(super) cache_creation: CacheCreation,
    pub(super) service_tier: Option<String>,
    pub(super) speed: Option<String>,
    pub(super) inference_geo: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(super) server_tool_use: BTreeMap<String, Value>,
    /// The usage of each inference of the answer; the counts above contain those of `message` inferences only.
    #[serde(deserialize_with = "or_default")]
    pub(super) iterations: Vec<Iteration>,
    /// The cost of the answer, if a gateway reports it.
    #[serde(deserialize_with = "or_default")]
    pub(super) cost: Value,
}

/// The usage of one inference of an answer.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Iteration {
    #[serde(rename = "type", deserialize_with = "or_default")]
    pub(super) kind: String,
    pub(super) model: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub(super) input_tokens: u64,
    #[serde(deserialize_with = "or_default")]
    pub(super) cache_creation_input_tokens: u64,
    #[serde(deserialize_with = "or_default")]
    pub(super) cache_read_input_tokens: u64,
    #[serde(deserialize_with = "or_default")]
    pub(super) output_tokens: u64,
    #[serde(deserialize_with = "or_default")]
    pub(super) cache_creation: CacheCreation,
}

/// Tokens written to the cache, by time to live.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CacheCreation {
    pub(super) ephemeral_1h_input_tokens: Option<u64>,
}

/// The fields that are read from a content block.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ReadBlock {
    #[serde(rename = "type", deserialize_with = "text_or_none")]
    pub(super) kind: String,
    // Blocks of unknown kinds may have anything under these names.
    #[serde(deserialize_with = "text_or_none")]
    pub(super) text: String,
    #[serde(deserialize_with = "text_or_none")]
    pub(super) id: String,
    #[serde(deserialize_with = "text_or_none")]
    pub(super) name: String,
    /// The call of the server whose result this block is.
    #[serde(deserialize_with = "text_or_none")]
    pub(super) tool_use_id: String,
    /// `None` if the field is absent; `null` is an input, and an invalid one.
    #[serde(deserialize_with = "present")]
    pub(super) input: Option<Box<RawValue>>,
}

/// A stream event; which fields are present depends on `kind`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Event {
    #[serde(rename = "type", deserialize_with = "or_default")]
    pub(super) kind: String,
    pub(super) message: Option<Answer>,
    #[serde(deserialize_with = "or_default")]
    pub(super) index: u32,
    pub(super) content_block: Option<Box<RawValue>>,
    pub(super) delta: Option<Delta>,
    pub(super) usage: Option<Usage>,
    pub(super) error: Option<Box<RawValue>>,
}

/// The content that a stream event appends.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta {
    #[serde(rename = "type", deserialize_with = "or_default")]
    pub(super) kind: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) text: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) thinking: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) signature: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) partial_json: String,
    pub(super) citation: Option<Box<RawValue>>,
    /// The summary of a compaction; `null` is one that failed.
    #[serde(deserialize_with = "present")]
    pub(super) content: Option<Box<RawValue>>,
    #[serde(deserialize_with = "present")]
    pub(super) encrypted_content: Option<Box<RawValue>>,
    pub(super) stop_reason: Option<String>,
    pub(super) stop_details: Option<StopDetails>,
}
