//! The bytes of a body: `body` returns exactly what a server receives, and a generation's stored encoding preserves
//! them if the entry changes. The server is a plain TCP server of this process.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_adapters_providers::config::{ProviderConfig, ProviderKind, StructuredOutput};
use entracte_adapters_providers::registry::ConfigProviderRegistry;
use entracte_application::ports::{
    CommandRequestPolicy, EncodedRequestCache, MockClock, MockReplySink, MockSecretStore, ModelReply,
    ModelRequest, OutputShape, PromptTurn, Provider, ProviderFailure, ProviderRegistry, ToolDeclaration,
    UserTurnPart,
};
use entracte_application::system::sha256;
use entracte_domain::id::SessionId;
use entracte_domain::session::failure::FailureClass;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A server that takes one request, answers this JSON, and returns path and body of the request.
async fn peer(answer: &Value) -> (String, JoinHandle<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answer = answer.to_string();
    let received = tokio::spawn(async move {
        let (line, _) = listener.accept().await.unwrap();
        let mut line = BufReader::new(line);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            line.read_line(&mut head).await.unwrap();
        }
        let length = head.to_lowercase().split_once("content-length: ").unwrap().1.to_owned();
        let mut body = vec![0; length.lines().next().unwrap().parse().unwrap()];
        line.read_exact(&mut body).await.unwrap();
        let reply =
            format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{answer}");
        line.write_all(reply.as_bytes()).await.unwrap();
        (head.split(' ').nth(1).unwrap().to_owned(), body)
    });
    (url, received)
}

fn provider(config: ProviderConfig) -> Arc<dyn Provider> {
    let mut secrets = MockSecretStore::new();
    secrets.expect_secret().returning(|_| Ok("sk-test-1".into()));
    let entries = BTreeMap::from([("x".to_owned(), config)]);
    let crypto = Arc::new(rustls::crypto::ring::default_provider());
    let registry =
        ConfigProviderRegistry::new(entries, Arc::new(secrets), Arc::new(MockClock::new()), crypto);
    registry.provider("x").unwrap()
}

fn request(encoding: &Arc<str>) -> ModelRequest {
    ModelRequest {
        session: SessionId::new("ses_1"),
        model: String::new(),
        encoding: Arc::clone(encoding),
        system: vec!["You help.".into(), "Zones: health.".into()],
        turns: vec![Arc::new(PromptTurn::User(vec![UserTurnPart::Text("I weigh 71 kg".to_owned())]))],
        tools: Arc::new([ToolDeclaration {
            name: "tool_data_create".to_owned(),
            description: "Creates an entry.".to_owned(),
            schema: json!({"type": "object"}).into(),
        }]),
        commands: CommandRequestPolicy::Allowed,
        relaunch: false,
        output_tokens: None,
        output: OutputShape::Json {
            name: "reply".to_owned(),
            schema: Arc::new(json!({"type": "object"}).into()),
        },
        files: Default::default(),
        written: EncodedRequestCache::default(),
    }
}

async fn call(provider: &Arc<dyn Provider>, request: ModelRequest) -> Result<ModelReply, ProviderFailure> {
    let mut sink = MockReplySink::new();
    sink.expect_text().return_const(());
    sink.expect_keep_alive().return_const(());
    provider.call(request, Arc::new(sink)).await
}

/// Entries of every wire dialect, each before and after a change of everything that bodies contain.
fn entries() -> [(&'static str, Value, ProviderConfig, ProviderConfig); 4] {
    let before = |kind, model: &str| ProviderConfig {
        model: Some(model.to_owned()),
        max_output_tokens: Some(1000),
        ..ProviderConfig::new(kind)
    };
    let changed = |entry: &ProviderConfig, tier: &str| ProviderConfig {
        max_output_tokens: Some(2000),
        effort: Some("low".to_owned()),
        service_tier: Some(tier.to_owned()),
        structured_output: Some(StructuredOutput::None),
        stream: false,
        ..entry.clone()
    };
    let sampled = |entry: ProviderConfig| ProviderConfig { temperature: Some(0.7), ..entry };
    let claude = before(ProviderKind::Claude, "claude-opus-5-5");
    let openai = before(ProviderKind::Openai, "gpt-6-sol");
    let groq = sampled(before(ProviderKind::Groq, "openai/gpt-oss-120b"));
    let local = sampled(before(ProviderKind::Compatible, "qwen3:8b"));
    let chat = json!({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]});
    let message = json!({"content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn"});
    let item = json!({"type": "message", "content": [{"type": "output_text", "text": "hi"}]});
    let response = json!({"status": "completed", "output": [item]});
    let local_after = ProviderConfig { temperature: Some(0.1), ..changed(&local, "mine") };
    [
        ("/v1/messages", message, claude.clone(), changed(&claude, "auto")),
        ("/responses", response, openai.clone(), changed(&openai, "flex")),
        ("/chat/completions", chat.clone(), groq.clone(), changed(&groq, "flex")),
        ("/chat/completions", chat, local, local_after),
    ]
}

fn at(url: &str, entry: &ProviderConfig) -> ProviderConfig {
    ProviderConfig { base_url: Some(url.to_owned()), ..entry.clone() }
}

#[tokio::test]
async fn body_equals_received_bytes() {
    for (path, answer, before, after) in entries() {
        for entry in [before, after] {
            let (url, received) = peer(&answer).await;
            let provider = provider(at(&url, &entry));
            check_no_encoding(&provider);
            let asked = request(&provider.encoding());
            let body = provider.body(&asked).unwrap();
            let reply = call(&provider, asked).await.unwrap();
            let (called, bytes) = received.await.unwrap();
            assert_eq!((called.as_str(), bytes.as_slice()), (path, body.as_slice()));
            assert_eq!((reply.text.as_str(), reply.body_digest), ("hi", Some(sha256(&bytes).to_string())));
            let sent: Value = serde_json::from_slice(&bytes).unwrap();
            assert_eq!(sent["model"], json!(entry.model), "the default model is settled first");
        }
    }
}

/// Checks that an empty encoding means the current entry.
fn check_no_encoding(provider: &Arc<dyn Provider>) {
    let now = provider.body(&request(&provider.encoding())).unwrap();
    assert_eq!(provider.body(&request(&"".into())).unwrap(), now);
}

#[tokio::test]
async fn old_encoding_preserves_bytes_after_entry_change() {
    for (path, answer, before, after) in entries() {
        let began = provider(at("http://127.0.0.1:9", &before));
        let asked = request(&began.encoding());
        let old = began.body(&asked).unwrap();

        let (url, received) = peer(&answer).await;
        let changed = provider(at(&url, &after));
        assert_ne!(changed.encoding(), began.encoding(), "{path}");
        assert_ne!(
            changed.body(&request(&"".into())).unwrap(),
            old,
            "{path}: the change shows in new sessions"
        );
        assert_eq!(changed.body(&asked).unwrap(), old, "{path}");
        // The address is that of the current entry; the bytes are those of the stored encoding.
        let reply = call(&changed, asked).await.unwrap();
        assert_eq!(received.await.unwrap(), (path.to_owned(), old.clone()));
        assert_eq!(reply.body_digest, Some(sha256(&old).to_string()));
    }
}

#[tokio::test]
async fn encoding_of_other_version_is_misconfigured() {
    let (_, _, claude, _) = entries()[0].clone();
    let provider = provider(at("http://127.0.0.1:9", &claude));
    for (encoding, expected) in [
        ("{\"version\":9}", "its encoding has version 9, but this Entracte writes version 7"),
        ("nonsense", "its encoding cannot be read"),
    ] {
        let asked = request(&encoding.into());
        let failure = provider.body(&asked).unwrap_err();
        assert_eq!(failure.class, FailureClass::Misconfigured);
        assert!(
            failure.message.contains(expected)
                && failure.message.ends_with("Start a new session, or set providers.x back to what it was."),
            "{failure}"
        );
        assert_eq!(call(&provider, asked).await.unwrap_err(), failure);
    }
}

#[tokio::test]
async fn other_dialect_rebuilds_bytes_but_sends_nothing() {
    let [(_, _, claude, _), (_, _, openai, _), ..] = entries();
    let began = provider(at("http://127.0.0.1:9", &claude));
    let asked = request(&began.encoding());
    let asked = ModelRequest { model: "claude-opus-5-5".to_owned(), ..asked };
    let now = provider(at("http://127.0.0.1:9", &openai));
    assert_eq!(now.body(&asked).unwrap(), began.body(&asked).unwrap());
    let failure = call(&now, asked).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Misconfigured, "{failure}");
    assert!(
        failure.message.contains("was started with kind “claude”, but the entry is now “openai”"),
        "{failure}"
    );
}

#[tokio::test]
async fn rehearsal_digest_matches_body() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "[[turn]]\ntext = \"hi\"").unwrap();
    let script = Some(file.path().display().to_string());
    let rehearsal = provider(ProviderConfig {
        script,
        context_tokens: Some(9000),
        max_output_tokens: Some(500),
        ..ProviderConfig::new(ProviderKind::Rehearsal)
    });
    let asked = request(&rehearsal.encoding());
    let body = rehearsal.body(&asked).unwrap();
    let reply = call(&rehearsal, asked.clone()).await.unwrap();
    assert_eq!(reply.body_digest, Some(sha256(&body).to_string()));
    let expected = r#"{"session":"ses_1","model":"rehearsal","system":["You help.","Zones: health."],"turns":[{"user":[{"text":"I weigh 71 kg"}]}],"tools":[["tool_data_create","Creates an entry.",{"type":"object"}]],"commands":true,"output":{"name":"reply","schema":{"type":"object"}}}"#;
    assert_eq!(String::from_utf8(body).unwrap(), expected);
    let info = rehearsal.info();
    assert_eq!((info.context_tokens, info.max_output_tokens), (Some(9000), Some(500)));
}
