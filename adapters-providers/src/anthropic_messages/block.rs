//! A content block of a stream while it grows.
//!
//! Pure. The block starts as the server sent it; its grown fields are inserted at the end. Every other field keeps its
//! bytes and its position, known or not.

use entracte_application::ports::NativeCall;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::wire::{Delta, ReadBlock};
use crate::dialect::ReplyStreamDelta;
use crate::failure::WireFailure;
use crate::text::{array_of, empty_object, is_blank, raw};

/// A content block to which deltas may still be appended.
#[derive(Debug)]
pub(super) struct PartialBlock {
    start: Box<RawValue>,
    text: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    input: Option<String>,
    citations: Vec<Box<RawValue>>,
    /// Fields that a delta replaced as a whole.
    replaced: Vec<(String, Box<RawValue>)>,
    /// Whether a delta arrived that this version does not know, so that the block is not whole.
    is_partial: bool,
}

/// Kinds of blocks that are whole with the content this version knows: what a later one adds goes beside it.
const KNOWN_KINDS: [&str; 4] = ["text", "thinking", "redacted_thinking", "tool_use"];

/// A block of a stream at its end.
#[derive(Debug)]
pub(super) enum ClosedBlock {
    /// The whole block.
    Whole(Box<RawValue>),
    /// A call whose arguments are not JSON: cut, or invalid from the model.
    Garbled(NativeCall),
    /// A block of which some content is unknown: it must not be sent back as if it were whole. With its id, if any.
    Partial(String),
}

impl PartialBlock {
    /// A block from the `content_block` of its `content_block_start` event.
    pub(super) fn new(start: Box<RawValue>) -> Self {
        Self {
            start,
            text: None,
            thinking: None,
            signature: None,
            input: None,
            citations: Vec::new(),
            replaced: Vec::new(),
            is_partial: false,
        }
    }

    /// Records that a delta of the block could not be read.
    pub(super) fn mark_partial(&mut self) {
        self.is_partial = true;
    }

    /// Whether this is a block of text.
    pub(super) fn is_text(&self) -> bool {
        serde_json::from_str::<ReadBlock>(self.start.get()).is_ok_and(|start| start.kind == "text")
    }

    /// Appends a delta; returns the text to show, if any.
    pub(super) fn extend(&mut self, delta: Delta) -> Option<ReplyStreamDelta> {
        match delta.kind.as_str() {
            "text_delta" => {
                self.text.get_or_insert_default().push_str(&delta.text);
                return ReplyStreamDelta::text(&delta.text);
            }
            "thinking_delta" => {
                self.thinking.get_or_insert_default().push_str(&delta.thinking);
                return ReplyStreamDelta::thought(&delta.thinking);
            }
            "signature_delta" => self.signature.get_or_insert_default().push_str(&delta.signature),
            "input_json_delta" => self.input.get_or_insert_default().push_str(&delta.partial_json),
            "citations_delta" => self.citations.extend(delta.citation),
            // The summary comes as a whole; a later delta replaces it.
            "compaction_delta" => {
                let fields = [("content", delta.content), ("encrypted_content", delta.encrypted_content)];
                let told = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
                self.replaced.extend(told);
            }
            _ => self.is_partial = true,
        }
        None
    }

    /// Returns the block at the end of the stream.
    pub(super) fn close(self) -> Result<ClosedBlock, WireFailure> {
        let mut fields: RawObjectFields =
            serde_json::from_str(self.start.get()).map_err(WireFailure::garbled)?;
        let start: ReadBlock = serde_json::from_str(self.start.get()).map_err(WireFailure::garbled)?;
        if self.is_partial && !KNOWN_KINDS.contains(&start.kind.as_str()) {
            return Ok(ClosedBlock::Partial(start.id));
        }
        self.replaced.into_iter().for_each(|(name, value)| fields.set(&name, value));
        if let Some(text) = &self.text {
            fields.set_text("text", &(start.text + text));
        }
        if let Some(thinking) = &self.thinking {
            fields.set_text("thinking", thinking);
        }
        if let Some(signature) = &self.signature {
            fields.set_text("signature", signature);
        }
        if !self.citations.is_empty() {
            fields.set("citations", raw(&array_of(&self.citations)).unwrap_or_default());
        }
        match self.input {
            Some(arguments) if !is_blank(&arguments) => match raw(&arguments) {
                Some(input) => fields.set("input", input),
                None => {
                    let call = NativeCall { provider_call_id: start.id, name: start.name, arguments };
                    return Ok(ClosedBlock::Garbled(call));
                }
            },
            _ if start.kind == "tool_use" && start.input.is_none() => fields.set("input", empty_object()),
            _ => {}
        }
        Ok(ClosedBlock::Whole(fields.object()))
    }
}

/// The fields of an object in their order, values as raw text.
#[derive(Debug)]
struct RawObjectFields(Vec<(String, Box<RawValue>)>);

impl RawObjectFields {
    fn set_text(&mut self, name: &str, text: &str) {
        let quoted = serde_json::Value::from(text).to_string();
        self.set(name, raw(&quoted).unwrap_or_default());
    }

    fn set(&mut self, name: &str, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(existing, _)| existing == name) {
            Some((_, existing)) => *existing = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    fn object(&self) -> Box<RawValue> {
        let fields: Vec<String> = self
            .0
            .iter()
            .map(|(name, value)| format!("{}:{}", serde_json::Value::from(name.as_str()), value.get()))
            .collect();
        raw(&format!("{{{}}}", fields.join(","))).unwrap_or_default()
    }
}

impl<'de> Deserialize<'de> for RawObjectFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldOrderVisitor;
        impl<'de> Visitor<'de> for FieldOrderVisitor {
            type Value = RawObjectFields;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a content block")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawObjectFields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(RawObjectFields(fields))
            }
        }
        deserializer.deserialize_map(FieldOrderVisitor)
    }
}
