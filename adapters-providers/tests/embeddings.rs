//! Embeddings through the public registry and a plain TCP server of this process: the request, and the failures of a
//! server that refuses, is busy, or is unreachable.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_adapters_providers::config::{ProviderConfig, ProviderKind};
use entracte_adapters_providers::embedder::EmbeddingsConfig;
use entracte_adapters_providers::registry::ConfigProviderRegistry;
use entracte_application::ports::{
    EmbeddingClient, EmbeddingError, EmbeddingKind, MockClock, MockSecretStore,
};
use entracte_domain::time::{Millis, Timestamp};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

const KEY: &str = "sk-secret-of-ann";

/// A server that answers one request and returns it.
async fn server(status: &str, more: &str, body: &str) -> (String, oneshot::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{more}\r\n{body}",
        body.len()
    );
    let (tell, told) = oneshot::channel();
    tokio::spawn(async move {
        let (mut line, _) = listener.accept().await.unwrap();
        let mut request = String::new();
        while !request.contains("\"input\"") || !request.ends_with('}') {
            let mut bytes = vec![0; 65_536];
            let count = line.read(&mut bytes).await.unwrap();
            request.push_str(std::str::from_utf8(&bytes[..count]).unwrap());
        }
        let _ = tell.send(request);
        line.write_all(answer.as_bytes()).await.unwrap();
    });
    (format!("http://{address}/v1"), told)
}

fn embeddings(url: &str, shorten: bool) -> Arc<dyn EmbeddingClient> {
    let mut secrets = MockSecretStore::new();
    secrets.expect_secret().returning(|_| Ok(KEY.into()));
    let mut clock = MockClock::new();
    clock.expect_now().return_const(Timestamp(1_795_168_800_000_000));
    let entry = ProviderConfig {
        model: Some("speaks".to_owned()),
        base_url: Some(url.to_owned()),
        api_key_env: Some("KEY_OF_ANN".to_owned()),
        ..ProviderConfig::new(ProviderKind::Openai)
    };
    let registry = ConfigProviderRegistry::new(
        BTreeMap::from([("x".to_owned(), entry)]),
        Arc::new(secrets),
        Arc::new(clock),
        Arc::new(rustls::crypto::ring::default_provider()),
    );
    let config = EmbeddingsConfig {
        provider: "x".into(),
        model: "text-embedding-3-small".into(),
        dims: 2,
        shorten,
        batch: 64,
        max_chars: 8_000,
        question_prefix: "query: ".into(),
        document_prefix: String::new(),
    };
    registry.embeddings(config).unwrap()
}

async fn refused(status: &str, more: &str, body: &str) -> EmbeddingError {
    let (url, _told) = server(status, more, body).await;
    embeddings(&url, false).embed(EmbeddingKind::Document, &["a".to_owned()]).await.unwrap_err()
}

#[tokio::test]
async fn texts_go_out_and_vectors_come_back() {
    let body = r#"{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[0,1]}]}"#;
    let (url, told) = server("200 OK", "", body).await;
    let texts = ["who?".to_owned(), "when?".to_owned()];
    let vectors = embeddings(&url, true).embed(EmbeddingKind::Question, &texts).await.unwrap();
    assert_eq!(vectors, [[1.0, 0.0], [0.0, 1.0]]);
    let asked = told.await.unwrap();
    assert!(asked.starts_with("POST /v1/embeddings HTTP/1.1"), "{asked}");
    assert!(asked.to_lowercase().contains(&format!("authorization: bearer {KEY}").to_lowercase()), "{asked}");
    let sent: serde_json::Value = serde_json::from_str(asked.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_eq!(sent["input"], serde_json::json!(["query: who?", "query: when?"]));
    assert_eq!((&sent["model"], &sent["dimensions"]), (&"text-embedding-3-small".into(), &2.into()));
}

/// Input: servers that refuse in different ways; expected: the cause, whether another text or a later call may succeed,
/// and never the key.
#[tokio::test]
async fn refusal_says_what_may_help() {
    let long =
        r#"{"error":{"message":"maximum context length is 8192 tokens","code":"context_length_exceeded"}}"#;
    let too_long = refused("400 Bad Request", "", long).await;
    assert!(too_long.is_about_text && !too_long.is_passing, "{too_long:?}");
    let busy =
        refused("429 Too Many Requests", "retry-after: 7\r\n", r#"{"error":{"message":"slow down"}}"#).await;
    assert_eq!((busy.is_passing, busy.retry_after), (true, Some(Millis::seconds(7))), "{busy:?}");
    let echo = format!(r#"{{"error":{{"message":"wrong key {KEY}"}}}}"#);
    let key = refused("401 Unauthorized", "", &echo).await;
    assert!(!key.is_about_text && !key.is_passing, "{key:?}");
    assert!(!key.message.contains(KEY) && key.message.contains("KEY_OF_ANN"), "{}", key.message);
    let other = refused("200 OK", "", r#"{"data":[{"embedding":[1,2,3]}]}"#).await;
    assert!(other.message.contains("embeddings.dims") && !other.is_about_text, "{other:?}");
    let full = refused("200 OK", "", r#"{"error":{"message":"all slots are taken","code":503}}"#).await;
    assert!(full.is_passing && full.message.contains("all slots are taken"), "{full:?}");
    let gone = embeddings("http://127.0.0.1:1/v1", false);
    let gone = gone.embed(EmbeddingKind::Document, &["a".to_owned()]).await.unwrap_err();
    assert!(gone.is_passing && gone.message.contains("cannot be reached"), "{gone:?}");
}
