//! The Messages API on the wire: serde types only.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::text::{or_default, present, text_or_none};

/// The parts of a request before the messages of a call.
#[derive(Debug, Serialize)]
pub(super) struct Head<'a> {
    pub(super) model: &'a str,
    pub(super) max_tokens: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) system: Vec<Block<'a>>,
}

/// What follows them.
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

/// One message.
#[derive(Debug, Serialize)]
pub(super) struct Message<'a> {
    pub(super) role: Role,
    pub(super) content: Vec<Block<'a>>,
}

/// The role of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    User,
    Assistant,
}

/// A content block that is sent.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block<'a> {
    Text {
        text: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    ToolResult {
        tool_use_id: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        content: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
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

/// A cache breakpoint, of the default life unless it says another.
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
    pub(super) description: &'a str,
    pub(super) input_schema: Cow<'a, Value>,
}

/// Whether tools may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ToolChoice {
    None,
    /// As without a choice, one call at a time.
    Auto {
        disable_parallel_tool_use: bool,
    },
}

/// How hard to think and which shape to answer in.
#[derive(Debug, Serialize)]
pub(super) struct OutputConfig<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) format: Option<Format<'a>>,
}

/// The shape of the answer.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Format<'a> {
    JsonSchema { schema: Cow<'a, Value> },
}

/// An answer in one piece, and `message_start`'s message.
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

/// Why an answer was refused.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct StopDetails {
    pub(super) category: Option<String>,
    pub(super) explanation: Option<String>,
}

/// Tokens. Absent is not zero: in streams later numbers replace earlier ones.
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
}

/// How long what was written to the cache is kept.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CacheCreation {
    pub(super) ephemeral_1h_input_tokens: Option<u64>,
}

/// The parts of an answered block that are read.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ReadBlock {
    #[serde(rename = "type", deserialize_with = "text_or_none")]
    pub(super) kind: String,
    // Blocks of kinds that are not known may have anything under these names.
    #[serde(deserialize_with = "text_or_none")]
    pub(super) text: String,
    #[serde(deserialize_with = "text_or_none")]
    pub(super) id: String,
    #[serde(deserialize_with = "text_or_none")]
    pub(super) name: String,
    /// None when there is none; `null` is an input, and a wrong one.
    #[serde(deserialize_with = "present")]
    pub(super) input: Option<Box<RawValue>>,
}

/// A stream event; which fields are there depends on `kind`.
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

/// What a stream event adds.
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
    pub(super) stop_reason: Option<String>,
    pub(super) stop_details: Option<StopDetails>,
}
