//! Continuation of a conversation after the configuration or the code of its provider has changed.

use std::sync::Arc;

use entracte_application::ports::ModelRequest;

use super::requests::{plain_request, with_tools};
use super::{KEY, WireConnectionFixture, WireFixture};

/// A running conversation keeps the encoding it started with, whatever the configuration says now.
pub async fn a_changed_entry_changes_no_conversation(wire: Arc<dyn WireFixture>) {
    let line = WireConnectionFixture::with_responses(wire, []).await;
    let Some(changed) = line.wire.reconfigured_provider(line.server.address(), KEY) else { return };
    let now = plain_request("Hello.");
    let frozen = ModelRequest { encoding: line.provider.encoding(), ..now.clone() };
    let body = |provider: &dyn entracte_application::ports::Provider, request: &ModelRequest| {
        String::from_utf8(provider.body(request).unwrap_or_else(|failure| panic!("{failure}")))
    };
    let before = body(line.provider.as_ref(), &frozen);
    assert_eq!(before, body(line.provider.as_ref(), &now), "the encoding of now is how it writes now");
    assert_eq!(body(changed.as_ref(), &frozen), before, "the conversation goes on as it began");
    assert_ne!(body(changed.as_ref(), &now), before, "a new one is written as the entry says now");
    let asks = with_tools("Hello.");
    let frozen = ModelRequest { encoding: line.provider.encoding(), ..asks.clone() };
    assert_eq!(body(changed.as_ref(), &frozen), body(line.provider.as_ref(), &asks));
}

/// Byte for byte, because sent bodies are identified by their hash.
pub async fn former_encodings_are_written_as_they_were(wire: Arc<dyn WireFixture>) {
    let line = WireConnectionFixture::with_responses(wire, []).await;
    for former in line.wire.legacy_encodings() {
        let request = ModelRequest { encoding: former.encoding.as_str().into(), ..plain_request("Hello.") };
        assert_eq!(line.body(&request), former.body, "as {} wrote it", former.encoding);
    }
}
