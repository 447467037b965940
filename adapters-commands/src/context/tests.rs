use entracte_application::ports::{EmptyPersonSecretStore, SecretError, SecretReference};
use entracte_domain::id::{SessionId, WorkspaceKey};
use serde_json::json;

use super::*;
use crate::egress::EgressSettings;
use crate::egress::fake_peer::{FakeHttpPeer, answer, crypto, json as says};

struct ContextSecretStoreFixture;

impl SecretStore for ContextSecretStoreFixture {
    fn secret(&self, _: &SecretReference) -> Result<secrecy::SecretString, SecretError> {
        Ok("hush-4f19c7".into())
    }
}

fn config(url: &str, properties: serde_json::Value) -> HttpToolConfig {
    let required: Vec<&String> = properties.as_object().unwrap().keys().collect();
    let declared = json!({
        "name": "crm.context",
        "method": "GET",
        "url": url,
        "headers": { "authorization": { "secret_env": "CRM_KEY" } },
        "arguments": {
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        },
        "doc": "The user context.",
    });
    serde_json::from_value(declared).unwrap()
}

fn source(config: HttpToolConfig, allowed: EgressSettings) -> Result<HttpContext, HttpToolFault> {
    HttpContext::new(
        config,
        Arc::new(EgressClient::new(allowed, crypto())),
        Arc::new(ContextSecretStoreFixture),
        Arc::new(EmptyPersonSecretStore),
    )
}

#[test]
fn action_or_unknown_argument_is_refused() {
    let url = "https://crm.example/context?q={q}";
    let text = json!({ "q": { "type": "string" } });
    let fault = source(config(url, text), EgressSettings::default()).err().unwrap();
    assert_eq!((fault.tool.as_str(), fault.key.as_str()), ("crm.context", "arguments"));
    let acts = HttpToolConfig {
        method: crate::http::HttpMethod::Post,
        ..config("https://crm.example/context", json!({}))
    };
    let fault = source(acts, EgressSettings::default()).err().unwrap();
    assert_eq!(fault.key, "kind");
    let asks = HttpToolConfig { approval: Some(true), ..config("https://crm.example/context", json!({})) };
    assert_eq!(source(asks, EgressSettings::default()).err().unwrap().key, "kind");
}

fn of() -> UserContextQuery {
    UserContextQuery {
        workspace: WorkspaceKey::new("ann:home"),
        session: SessionId::new("ses_1"),
        person: Some("ann".into()),
    }
}

fn allowed() -> EgressSettings {
    EgressSettings { allowed: vec!["127.0.0.1".parse().unwrap()], ..EgressSettings::default() }
}

/// Input: the response of the source; expected: the context or the error, without any secret in it.
#[tokio::test]
async fn source_response_becomes_context() {
    let good = r#"{"company_name": "Dupont SA", "year_end": 12.50}"#;
    let peer = FakeHttpPeer::new(vec![
        says(200, good),
        says(200, r#"["no", "object"]"#),
        says(503, r#"{"error": "hush-4f19c7"}"#),
        answer(200, &["content-type: image/png"], "x"),
    ])
    .await;
    let text = json!({ "session": { "type": "string" }, "person": { "type": "string" } });
    let url = peer.url("127.0.0.1", "/context/{person}?session={session}");
    let source = source(config(&url, text), allowed()).unwrap();
    let of = of();
    let read = || source.read(&of, Language::En);
    assert_eq!(read().await.unwrap().text(), r#"{"company_name":"Dupont SA","year_end":12.50}"#);
    let sent = peer.requests();
    assert!(sent[0].starts_with("GET /context/ann?session=ses_1 "), "{}", sent[0]);
    assert!(sent[0].contains("authorization: hush-4f19c7"), "{}", sent[0]);
    for expected in ["not a JSON object", "503", "crm.context"] {
        let UserContextUnavailable(why) = read().await.unwrap_err();
        assert!(why.contains(expected) && !why.contains("hush-4f19c7"), "{why}");
    }
}

/// A private address is called only if its host is allowed by name, as for every HTTP tool.
#[tokio::test]
async fn private_host_is_called_only_if_allowed() {
    let peer = FakeHttpPeer::new(vec![says(200, "{}")]).await;
    let source = source(config(&peer.url("127.0.0.1", "/"), json!({})), EgressSettings::default()).unwrap();
    assert!(source.read(&of(), Language::En).await.is_err());
    assert_eq!(peer.requests(), [] as [String; 0]);
}
