//! What a model says, without the secrets of the configuration: before it is shown, read or stored.

use std::sync::Arc;

use entracte_domain::value::JsonValue;

use crate::json_value;
use crate::ports::{ModelReply, NativeCall, ProviderFailure, Scrubber};

/// A reply without secrets. Raw blocks that hold one are not kept: the turn is written anew in later requests.
pub(super) fn scrub_reply(scrubber: &dyn Scrubber, reply: ModelReply) -> ModelReply {
    let text = scrub_text(scrubber, &reply.text);
    let calls: Vec<NativeCall> = reply
        .calls
        .iter()
        .map(|call| NativeCall {
            provider_call_id: scrubber.scrub_text(&call.provider_call_id),
            name: scrubber.scrub_text(&call.name),
            arguments: scrub_text(scrubber, &call.arguments),
        })
        .collect();
    // Raw blocks may hold the same once more in JSON, and reasoning.
    let as_it_was = text == reply.text && calls == reply.calls;
    let raw = reply.raw.filter(|raw| as_it_was && scrub_text(scrubber, &raw.bytes) == raw.bytes);
    ModelReply {
        text,
        calls,
        model: reply.model.map(|model| scrubber.scrub_text(&model)),
        raw,
        request_id: reply.request_id.map(|id| scrubber.scrub_text(&id)),
        ..reply
    }
}

/// A failure without secrets.
pub(super) fn scrub_failure(scrubber: &dyn Scrubber, failure: ProviderFailure) -> ProviderFailure {
    ProviderFailure { message: scrubber.scrub_text(&failure.message), ..failure }
}

/// A text without secrets. Where it is JSON, also without those whose characters are escaped there.
fn scrub_text(scrubber: &dyn Scrubber, text: &str) -> String {
    let plain = scrubber.scrub_text(text);
    if !plain.contains("\\u") {
        return plain;
    }
    let (Some(from), Some(to)) = (plain.find(['{', '[']), plain.rfind(['}', ']'])) else { return plain };
    let Some(Ok(value)) = plain.get(from..=to).map(json_value::parse) else { return plain };
    let clean = scrubbed_value(scrubber, &value);
    if clean == value {
        return plain;
    }
    format!("{}{}{}", &plain[..from], json_value::to_serde(&clean), &plain[to + 1..])
}

fn scrubbed_value(scrubber: &dyn Scrubber, value: &JsonValue) -> JsonValue {
    match value {
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) => value.clone(),
        JsonValue::Text(text) => JsonValue::Text(scrubber.scrub_text(text)),
        JsonValue::List(items) => {
            JsonValue::List(items.iter().map(|item| scrubbed_value(scrubber, item)).collect())
        }
        JsonValue::Object(members) => JsonValue::Object(
            members
                .iter()
                .map(|(name, member)| (scrubber.scrub_text(name), scrubbed_value(scrubber, member)))
                .collect(),
        ),
    }
}

/// Words that come piece by piece. The end that may be the beginning of a secret is held back until it is known.
pub(super) struct StreamScrubber {
    scrubber: Arc<dyn Scrubber>,
    held: String,
}

impl StreamScrubber {
    pub(super) fn new(scrubber: Arc<dyn Scrubber>) -> Self {
        Self { scrubber, held: String::new() }
    }

    /// The next words that may be shown.
    pub(super) fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let known = self.held.len().saturating_sub(self.scrubber.partial_secret_len(&self.held));
        let rest = self.held.split_off(known);
        self.scrubber.scrub_text(&std::mem::replace(&mut self.held, rest))
    }

    /// What is left when nothing follows.
    pub(super) fn finish(&mut self) -> String {
        self.scrubber.scrub_text(&std::mem::take(&mut self.held))
    }
}
