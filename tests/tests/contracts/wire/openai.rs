//! The protocol of OpenAI's server for the Responses API.

use std::sync::Arc;

use entracte_application::ports::Provider;
use entracte_tests::contracts::wire::{WireFixture, WireReplyBytes, WireReplyEnding, WireReplySpec};
use serde_json::{Value, json};

use super::{event, provider};

struct OpenAiWireFixture;

pub(super) async fn open() -> Arc<dyn WireFixture> {
    Arc::new(OpenAiWireFixture)
}

impl WireFixture for OpenAiWireFixture {
    fn provider(&self, address: &str, key: &str) -> Arc<dyn Provider> {
        provider("kind = \"openai\"", address, key)
    }

    fn reconfigured_provider(&self, address: &str, key: &str) -> Option<Arc<dyn Provider>> {
        Some(provider("kind = \"openai\"\nmax_output_tokens = 77", address, key))
    }

    fn mid_reply_error(&self) -> Option<Vec<u8>> {
        let error =
            json!({ "type": "error", "code": "server_error", "message": "It failed.", "param": null });
        Some(event("error", &error))
    }

    fn encode_reply(&self, said: &WireReplySpec) -> Option<WireReplyBytes> {
        let named = |kind: &str, fields: Value| {
            let mut event_of = json!({ "type": kind });
            let fields = fields.as_object().cloned().unwrap_or_default();
            event_of.as_object_mut().into_iter().for_each(|all| all.extend(fields.clone()));
            event(kind, &event_of)
        };
        let response = |status: &str, more: Value| {
            let mut response = json!({ "id": "resp_1", "object": "response", "model": said.model,
                "status": status, "output": [], "error": null, "incomplete_details": null });
            let more = more.as_object().cloned().unwrap_or_default();
            response.as_object_mut().into_iter().for_each(|all| all.extend(more.clone()));
            json!({ "response": response })
        };
        let mut pieces = vec![named("response.created", response("in_progress", json!({})))];
        pieces.extend(said.text.iter().map(|text| {
            let delta = json!({ "item_id": "msg_1", "output_index": 1, "content_index": 0, "delta": text });
            named("response.output_text.delta", delta)
        }));
        pieces.extend(items(said).into_iter().enumerate().map(|(index, item)| {
            named("response.output_item.done", json!({ "output_index": index, "item": item }))
        }));
        let usage = json!({ "usage": { "input_tokens": said.usage.input + said.usage.cache_read,
            "input_tokens_details": { "cached_tokens": said.usage.cache_read },
            "output_tokens": said.usage.output } });
        let (kind, status, why) = match said.ending {
            WireReplyEnding::Done | WireReplyEnding::Refused => {
                ("response.completed", "completed", Value::Null)
            }
            WireReplyEnding::Length => {
                ("response.incomplete", "incomplete", json!({ "reason": "max_output_tokens" }))
            }
        };
        let mut last = usage;
        last["incomplete_details"] = why;
        pieces.push(named(kind, response(status, last)));
        Some(WireReplyBytes { pieces, end: Vec::new() })
    }
}

fn items(said: &WireReplySpec) -> Vec<Value> {
    let thought = said.opaque.iter().map(
        |opaque| json!({ "id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": opaque }),
    );
    let part = match said.ending {
        WireReplyEnding::Refused => json!({ "type": "refusal", "refusal": said.text.concat() }),
        WireReplyEnding::Done | WireReplyEnding::Length => {
            json!({ "type": "output_text", "text": said.text.concat(), "annotations": [] })
        }
    };
    let status = if said.ending == WireReplyEnding::Length { "incomplete" } else { "completed" };
    let message = json!({ "id": "msg_1", "type": "message", "status": status, "role": "assistant",
        "content": [part] });
    let calls = said.calls.iter().enumerate().map(|(number, call)| {
        json!({ "id": format!("fc_{number}"), "type": "function_call", "status": "completed",
            "call_id": call.provider_call_id, "name": call.name, "arguments": call.arguments })
    });
    thought.chain([message]).chain(calls).collect()
}
