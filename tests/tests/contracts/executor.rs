//! The executor of configured HTTP tools fulfils the contract of the executor port, against a scripted server.

#![expect(clippy::unwrap_used, reason = "a test that cannot make its executor has failed")]

use std::collections::BTreeSet;
use std::sync::Arc;

use entracte_adapters_commands::HttpToolExecutor;
use entracte_adapters_commands::egress::{EgressClient, EgressSettings};
use entracte_adapters_commands::http::HttpToolConfig;
use entracte_application::ports::MockSecretStore;
use entracte_domain::value::JsonValue;
use entracte_tests::contracts::executor::{ExecutorFixture, ExternalEffectsProbe, no_rows, request};
use entracte_tests::contracts::wire::server::{
    ScriptedBodyStep, ScriptedResponse, ScriptedWireServer, WireServerRequest,
};
use entracte_tests::cryptography::crypto;
use serde_json::json;

/// Observes the requests of the server.
struct HttpToolServerProbe(Arc<ScriptedWireServer>);

impl ExternalEffectsProbe for HttpToolServerProbe {
    /// Number of sent letters, each counted once per key.
    fn changes(&self) -> usize {
        let received = self.0.received();
        let sent = received.iter().filter(|request| request.target == "/send/Bob");
        let key = |request: &WireServerRequest| {
            request.headers.iter().find(|(name, _)| name == "idempotency-key").cloned()
        };
        sent.map(key).collect::<BTreeSet<_>>().len()
    }

    fn request_count(&self) -> usize {
        self.0.counts().requests
    }

    fn running_calls(&self) -> usize {
        let counts = self.0.counts();
        counts.requests - counts.finished - counts.left
    }
}

fn answer(received: &WireServerRequest) -> Option<ScriptedResponse> {
    let json = |text: &str| ScriptedResponse::from_pieces("application/json", [text.as_bytes().to_vec()]);
    Some(match received.target.as_str() {
        "/letters" => json("[]"),
        "/send/Bob" => json(r#"{"sent":true}"#),
        "/send/nobody" => {
            ScriptedResponse::from_pieces("application/json", []).with_step(ScriptedBodyStep::Hold)
        }
        _ => json(r#"{"error":"nobody lives there"}"#).status(422),
    })
}

async fn open() -> ExecutorFixture {
    let server = Arc::new(ScriptedWireServer::answering(answer).await);
    let nothing = json!({ "type": "object", "additionalProperties": false });
    let to = json!({
        "type": "object", "properties": { "to": { "type": "string" } }, "required": ["to"],
        "additionalProperties": false,
    });
    let list = json!({ "name": "letters.list", "method": "GET", "url": format!("{}/letters", server.address()),
        "doc": "Lists letters.", "arguments": nothing });
    let send = json!({ "name": "letters.send", "method": "POST", "doc": "Sends a letter.", "arguments": to,
        "url": format!("{}/send/{{to}}", server.address()), "destructive": false,
        "effect": "idempotent", "idempotency_header": "Idempotency-Key" });
    let declared: Vec<HttpToolConfig> =
        [list, send].into_iter().map(|tool| serde_json::from_value(tool).unwrap()).collect();
    let allowed = vec!["127.0.0.1".parse().unwrap()];
    let egress =
        Arc::new(EgressClient::new(EgressSettings { allowed, ..EgressSettings::default() }, crypto()));
    let tools = HttpToolExecutor::new(declared, egress, Arc::new(MockSecretStore::new())).unwrap();
    let send = |to: &str| request("letters.send", JsonValue::from([("to", JsonValue::from(to))]));
    ExecutorFixture {
        executor: Arc::new(tools),
        query: Some(request("letters.list", JsonValue::Object(Vec::new()))),
        action: Some(send("Bob")),
        unanswered: Some(send("nobody")),
        refused: Some(send("moon")),
        rows: no_rows(),
        world: Box::new(HttpToolServerProbe(server)),
        keep: Box::new(()),
    }
}

entracte_tests::executor_contracts!(open);
