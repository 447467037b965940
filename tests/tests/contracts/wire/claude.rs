//! The protocol of Claude's server.

use std::sync::Arc;

use entracte_application::ports::Provider;
use entracte_tests::contracts::wire::{WireFixture, WireReplyBytes, WireReplyEnding, WireReplySpec};
use serde_json::{Value, json};

use super::{event, provider};

struct ClaudeWireFixture;

pub(super) async fn open() -> Arc<dyn WireFixture> {
    Arc::new(ClaudeWireFixture)
}

impl WireFixture for ClaudeWireFixture {
    fn provider(&self, address: &str, key: &str) -> Arc<dyn Provider> {
        provider("kind = \"claude\"", address, key)
    }

    fn reconfigured_provider(&self, address: &str, key: &str) -> Option<Arc<dyn Provider>> {
        Some(provider("kind = \"claude\"\nmax_output_tokens = 77", address, key))
    }

    fn mid_reply_error(&self) -> Option<Vec<u8>> {
        let error = json!({ "type": "overloaded_error", "message": "Overloaded" });
        Some(event("error", &json!({ "type": "error", "error": error })))
    }

    fn encode_reply(&self, said: &WireReplySpec) -> Option<WireReplyBytes> {
        let reason = match said.ending {
            WireReplyEnding::Done if said.calls.is_empty() => "end_turn",
            WireReplyEnding::Done => "tool_use",
            WireReplyEnding::Length => "max_tokens",
            WireReplyEnding::Refused => "refusal",
        };
        let usage = json!({ "input_tokens": said.usage.input, "cache_read_input_tokens": said.usage.cache_read,
            "cache_creation_input_tokens": 0, "output_tokens": 1 });
        let message = json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": said.model,
            "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage });
        let mut pieces =
            vec![event("message_start", &json!({ "type": "message_start", "message": message }))];
        for (index, (opening, deltas)) in blocks(said).into_iter().enumerate() {
            let start = json!({ "type": "content_block_start", "index": index, "content_block": opening });
            pieces.push(event("content_block_start", &start));
            pieces.extend(deltas.into_iter().map(|delta| {
                let delta = json!({ "type": "content_block_delta", "index": index, "delta": delta });
                event("content_block_delta", &delta)
            }));
            let stop = json!({ "type": "content_block_stop", "index": index });
            pieces.push(event("content_block_stop", &stop));
        }
        pieces.push(event(
            "message_delta",
            &json!({ "type": "message_delta", "delta": { "stop_reason": reason, "stop_sequence": null },
                "usage": { "output_tokens": said.usage.output } }),
        ));
        Some(WireReplyBytes { pieces, end: vec![event("message_stop", &json!({ "type": "message_stop" }))] })
    }
}

/// Each block: its start event, and its deltas.
fn blocks(said: &WireReplySpec) -> Vec<(Value, Vec<Value>)> {
    let thought = said.opaque.iter().map(|opaque| {
        let opening = json!({ "type": "thinking", "thinking": "", "signature": "" });
        (opening, vec![json!({ "type": "signature_delta", "signature": opaque })])
    });
    let words = said.text.iter().map(|text| json!({ "type": "text_delta", "text": text })).collect();
    let text = (json!({ "type": "text", "text": "" }), words);
    let calls = said.calls.iter().map(|call| {
        let opening =
            json!({ "type": "tool_use", "id": call.provider_call_id, "name": call.name, "input": {} });
        let (start, rest) = call.arguments.split_at(2);
        let delta = |part: &str| json!({ "type": "input_json_delta", "partial_json": part });
        (opening, vec![delta(start), delta(rest)])
    });
    thought.chain([text]).chain(calls).collect()
}
