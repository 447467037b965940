//! The protocol of a Chat Completions server.

use std::sync::Arc;

use entracte_application::ports::Provider;
use entracte_tests::contracts::wire::{WireFixture, WireReplyBytes, WireReplyEnding, WireReplySpec};
use serde_json::{Value, json};

use super::{data, provider};

struct ChatCompletionsWireFixture;

pub(super) async fn open() -> Arc<dyn WireFixture> {
    Arc::new(ChatCompletionsWireFixture)
}

impl WireFixture for ChatCompletionsWireFixture {
    fn provider(&self, address: &str, key: &str) -> Arc<dyn Provider> {
        let entry = "kind = \"compatible\"\nstructured_output = \"schema\"\napi_key_env = \"KEY_OF_THE_KIT\"";
        provider(entry, address, key)
    }

    fn reconfigured_provider(&self, address: &str, key: &str) -> Option<Arc<dyn Provider>> {
        let entry = "kind = \"compatible\"\napi_key_env = \"KEY_OF_THE_KIT\"\nmax_output_tokens = 77";
        Some(provider(entry, address, key))
    }

    fn mid_reply_error(&self) -> Option<Vec<u8>> {
        Some(data(&json!({ "error": { "code": 502, "message": "The upstream failed." } })))
    }

    fn encode_reply(&self, said: &WireReplySpec) -> Option<WireReplyBytes> {
        let chunk = |delta: Value, reason: Option<&str>| {
            data(&json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "model": said.model,
                "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] }))
        };
        let reason = match said.ending {
            WireReplyEnding::Done if said.calls.is_empty() => "stop",
            WireReplyEnding::Done => "tool_calls",
            WireReplyEnding::Length => "length",
            WireReplyEnding::Refused => "content_filter",
        };
        let mut pieces = vec![chunk(json!({ "role": "assistant", "content": "" }), None)];
        pieces.extend(said.text.iter().map(|text| chunk(json!({ "content": text }), None)));
        for (index, call) in said.calls.iter().enumerate() {
            let mut opening = json!({ "index": index, "id": call.provider_call_id, "type": "function",
                "function": { "name": call.name, "arguments": "" } });
            if let Some(opaque) = &said.opaque {
                opening["extra_content"] = json!({ "of_the_server": { "thought_signature": opaque } });
            }
            pieces.push(chunk(json!({ "tool_calls": [opening] }), None));
            let more = json!({ "index": index, "function": { "arguments": call.arguments } });
            pieces.push(chunk(json!({ "tool_calls": [more] }), None));
        }
        pieces.push(chunk(json!({}), Some(reason)));
        let usage = json!({ "prompt_tokens": said.usage.input + said.usage.cache_read,
            "completion_tokens": said.usage.output,
            "prompt_tokens_details": { "cached_tokens": said.usage.cache_read } });
        let tokens = data(&json!({ "id": "chatcmpl-1", "choices": [], "usage": usage }));
        Some(WireReplyBytes { pieces, end: vec![tokens, b"data: [DONE]\n\n".to_vec()] })
    }
}
