//! The server side of the plain wire.

use std::sync::Arc;

use entracte_application::ports::Provider;
use entracte_tests::contracts::wire::{
    LegacyEncodingSample, WireFixture, WireReplyBytes, WireReplyEnding, WireReplySpec,
};
use serde_json::{Value, json};

use super::plain_provider::{EVENT_MAX_BYTES, PlainProvider, ProviderFault};

/// The plain wire, with or without a fault.
pub(crate) struct PlainWireFixture(pub(crate) Option<ProviderFault>);

impl PlainWireFixture {
    fn toned(&self, address: &str, key: &str, tone: &str) -> Arc<dyn Provider> {
        let [address, key, tone] = [address, key, tone].map(str::to_owned);
        Arc::new(PlainProvider { address, key, tone, fault: self.0 })
    }
}

impl WireFixture for PlainWireFixture {
    fn provider(&self, address: &str, key: &str) -> Arc<dyn Provider> {
        self.toned(address, key, "friendly")
    }

    fn reconfigured_provider(&self, address: &str, key: &str) -> Option<Arc<dyn Provider>> {
        Some(self.toned(address, key, "stern"))
    }

    fn legacy_encodings(&self) -> Vec<LegacyEncodingSample> {
        let body = r#"{"shape":null,"system":["You answer in one sentence."],"tone":"calm","tools":[],"version":1,"turns":[{"user":[{"said":"Hello."}]}]}"#;
        vec![LegacyEncodingSample { encoding: r#"{"v":1,"tone":"calm"}"#.to_owned(), body: body.to_owned() }]
    }

    fn limit_bytes(&self) -> usize {
        EVENT_MAX_BYTES * 8
    }

    fn mid_reply_error(&self) -> Option<Vec<u8>> {
        Some(b"data: {\"error\":\"too much to do\"}\n\n".to_vec())
    }

    fn encode_reply(&self, said: &WireReplySpec) -> Option<WireReplyBytes> {
        let event = |event: Value| format!("data: {event}\n\n").into_bytes();
        let signed = said.opaque.iter().map(|opaque| event(json!({ "signed": opaque })));
        let words = said.text.iter().map(|text| event(json!({ "say": text })));
        let calls = said.calls.iter().map(|call| {
            let (id, name, with) = (&call.provider_call_id, &call.name, &call.arguments);
            event(json!({ "call": { "id": id, "name": name, "with": with } }))
        });
        let end = match said.ending {
            WireReplyEnding::Done => "done",
            WireReplyEnding::Length => "limit",
            WireReplyEnding::Refused => "refused",
        };
        let tokens =
            json!({ "in": said.usage.input, "cached": said.usage.cache_read, "out": said.usage.output });
        let last = event(json!({ "end": end, "tokens": tokens, "model": said.model }));
        Some(WireReplyBytes {
            pieces: signed.chain(words).chain(calls).chain([last]).collect(),
            end: Vec::new(),
        })
    }
}
