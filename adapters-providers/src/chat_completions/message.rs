//! The model's message while it grows, in one piece or in many.
//!
//! Pure. Calls are merged by index. If a server leaves out the index, or uses one index for several calls, the calls
//! are distinguished by their ids.

use entracte_application::ports::NativeCall;
use entracte_domain::message::ProviderTurn;
use serde_json::Value;
use serde_json::value::RawValue;

use super::wire::{Assistant, CallPiece, Function, Message, Piece, ToolCall};
use crate::call_id_format::{CallIdFormat, have_valid_ids};
use crate::dialect::ReplyStreamDelta as Shown;
use crate::profiles::ProviderProfile;
use crate::text::{is_blank, raw_object};

/// The message received so far.
#[derive(Debug, Default)]
pub(super) struct PartialMessage {
    pub(super) text: String,
    pub(super) refusal: String,
    reasoning: String,
    reasoning_content: String,
    calls: Vec<PartialToolCall>,
}

#[derive(Debug, Default)]
struct PartialToolCall {
    index: Option<u32>,
    id: String,
    name: String,
    arguments: String,
    extra_content: Option<Box<RawValue>>,
}

impl PartialMessage {
    /// Appends the next piece; returns the text to show, if any.
    pub(super) fn extend(&mut self, piece: Piece) -> Option<Shown> {
        let words = piece.content.as_ref().map(words).unwrap_or_default();
        // Servers use one of two fields for reasoning.
        let thought = format!("{}{}", piece.reasoning, piece.reasoning_content);
        self.text.push_str(&words);
        self.refusal.push_str(&piece.refusal);
        self.reasoning.push_str(&piece.reasoning);
        self.reasoning_content.push_str(&piece.reasoning_content);
        for call in piece.tool_calls {
            self.extend_call(call);
        }
        Shown::text(&words).or_else(|| Shown::thought(&thought))
    }

    /// The calls, each with an id; a missing id is derived from the position.
    pub(super) fn calls(&self) -> Vec<NativeCall> {
        let calls = self.calls.iter().enumerate().map(|(place, call)| NativeCall {
            provider_call_id: if call.id.is_empty() { format!("call_{place}") } else { call.id.clone() },
            name: call.name.clone(),
            arguments: if is_blank(&call.arguments) { "{}".to_owned() } else { call.arguments.clone() },
        });
        calls.collect()
    }

    /// The message to send back; `None` if it must be rebuilt, because servers do not accept all of their own output.
    /// Reasoning is included only with calls: servers want it inside a tool turn, if at all.
    pub(super) fn raw_turn(&self, profile: &ProviderProfile) -> Option<ProviderTurn> {
        let calls = self.calls();
        if self.text.is_empty() && calls.is_empty() || !can_be_resent(&calls, profile.call_ids) {
            return None;
        }
        let kept = |text: &'_ str| !text.is_empty() && !calls.is_empty();
        let message = Message::Assistant(Assistant {
            content: (!self.text.is_empty()).then_some(&self.text),
            reasoning: Some(self.reasoning.as_str()).filter(|text| kept(text)),
            reasoning_content: Some(self.reasoning_content.as_str()).filter(|text| kept(text)),
            tool_calls: calls.iter().zip(&self.calls).map(|(call, open)| tool_call(call, open)).collect(),
        });
        let bytes = serde_json::to_string(&[message]).ok()?;
        Some(ProviderTurn { dialect: profile.raw_dialect.to_owned(), bytes })
    }

    fn extend_call(&mut self, piece: CallPiece) {
        let call = match self.calls.iter().rposition(|call| call.continues(&piece)) {
            Some(place) => &mut self.calls[place],
            None => {
                self.calls.push(PartialToolCall {
                    index: piece.index,
                    id: piece.id,
                    ..PartialToolCall::default()
                });
                let last = self.calls.len() - 1;
                &mut self.calls[last]
            }
        };
        if call.name.is_empty() {
            call.name = piece.function.name;
        }
        call.arguments.push_str(&piece.function.arguments.as_deref().map(arguments).unwrap_or_default());
        call.extra_content = piece.extra_content.or(call.extra_content.take());
    }
}

impl PartialToolCall {
    fn continues(&self, piece: &CallPiece) -> bool {
        let same_id = piece.id.is_empty() || self.id.is_empty() || piece.id == self.id;
        match piece.index {
            Some(_) => piece.index == self.index && same_id,
            // Without an index, a piece continues a call only if it has no function name of its own.
            None => same_id && piece.function.name.is_empty(),
        }
    }
}

/// Whether servers accept these calls in a later request: valid names, arguments that are an object (templates of local
/// models read them), and no id twice, because results could not be matched to calls.
fn can_be_resent(calls: &[NativeCall], ids: CallIdFormat) -> bool {
    let is_good =
        |call: &NativeCall| ids.accepts_id(&call.provider_call_id) && raw_object(&call.arguments).is_some();
    have_valid_ids(calls) && calls.iter().all(is_good)
}

fn tool_call<'a>(call: &'a NativeCall, open: &'a PartialToolCall) -> ToolCall<'a> {
    ToolCall {
        id: &call.provider_call_id,
        kind: "function",
        function: Function { name: &call.name, arguments: &call.arguments },
        extra_content: open.extra_content.as_deref(),
    }
}

/// Arguments are a JSON string; some servers send the object itself.
fn arguments(raw: &RawValue) -> String {
    match serde_json::from_str::<Option<String>>(raw.get()) {
        Ok(text) => text.unwrap_or_default(),
        Err(_) => raw.get().to_owned(),
    }
}

/// Content is a string; some servers send a list of parts.
fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect()
        }
        _ => String::new(),
    }
}
