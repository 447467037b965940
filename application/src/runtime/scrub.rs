//! Removes the configured secrets from a model's text before it is shown, read or stored.

use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;
use entracte_domain::value::JsonValue;

use crate::json_value;
use crate::ports::{ModelReply, NativeCall, ProviderFailure, Scrubber, SecretOwner};

/// The people whose own secrets are removed from a model's text: the person whose rights the exchange has. No
/// other person's secrets were used for it, so the text must not lose words to them.
pub(super) fn secret_holders(workspace: &WorkspaceKey, acts_as: Option<String>) -> Vec<SecretOwner> {
    acts_as.map(|person| SecretOwner { workspace: workspace.clone(), person }).into_iter().collect()
}

/// A reply without secrets. Raw blocks that contain one are dropped: later requests then encode the turn again.
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
    // Raw blocks may contain the same text once more in JSON, and reasoning.
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

/// A text without secrets; in JSON, also without those whose characters are escaped.
fn scrub_text(scrubber: &dyn Scrubber, text: &str) -> String {
    let plain = scrubber.scrub_text(text);
    if !plain.contains("\\u") {
        return plain;
    }
    let (Some(from), Some(to)) = (plain.find(['{', '[']), plain.rfind(['}', ']'])) else { return plain };
    let Some(Ok(value)) = plain.get(from..=to).map(json_value::parse) else { return plain };
    let clean = scrub_value(scrubber, &value);
    if clean == value {
        return plain;
    }
    // Two names may have become one, which no reader of the text accepts.
    format!("{}{}{}", &plain[..from], clean.sorted().to_json(), &plain[to + 1..])
}

/// A value without secrets in its texts and names.
pub(super) fn scrub_value(scrubber: &dyn Scrubber, value: &JsonValue) -> JsonValue {
    match value {
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) => value.clone(),
        JsonValue::Text(text) => JsonValue::Text(scrubber.scrub_text(text)),
        JsonValue::List(items) => {
            JsonValue::List(items.iter().map(|item| scrub_value(scrubber, item)).collect())
        }
        JsonValue::Object(members) => JsonValue::Object(
            members
                .iter()
                .map(|(name, member)| (scrubber.scrub_text(name), scrub_value(scrubber, member)))
                .collect(),
        ),
    }
}

/// Scrubs streamed text. An end that may begin a secret is held back until the next piece decides.
pub(super) struct StreamScrubber {
    scrubber: Arc<dyn Scrubber>,
    held: String,
}

impl StreamScrubber {
    pub(super) fn new(scrubber: Arc<dyn Scrubber>) -> Self {
        Self { scrubber, held: String::new() }
    }

    /// Adds the next piece and returns the text that may be shown.
    pub(super) fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let known = self.held.len().saturating_sub(self.scrubber.partial_secret_len(&self.held));
        let rest = self.held.split_off(known);
        self.scrubber.scrub_text(&std::mem::replace(&mut self.held, rest))
    }

    /// The remaining text at the end of the stream.
    pub(super) fn finish(&mut self) -> String {
        self.scrubber.scrub_text(&std::mem::take(&mut self.held))
    }
}
