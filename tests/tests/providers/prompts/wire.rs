//! Rebuilt requests with the real adapters: they equal the bytes that a server received, despite later changes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use entracte_adapters_providers::config::{ProviderConfig, ProviderKind};
use entracte_adapters_providers::registry::ConfigProviderRegistry;
use entracte_application::ports::{MockClock, MockSecretStore, ProviderRegistry};
use entracte_application::use_cases::RequestDigestCheck;
use entracte_domain::time::Timestamp;
use entracte_tests::cryptography::crypto;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::fixture::{PromptFixture, set};

type ReceivedBodies = Arc<Mutex<Vec<Vec<u8>>>>;

/// A server that answers every request with this JSON, and the received bodies.
async fn peer(answer: &Value) -> (String, ReceivedBodies) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (bodies, answer) = (ReceivedBodies::default(), answer.to_string());
    let kept = bodies.clone();
    tokio::spawn(async move {
        while let Ok((line, _)) = listener.accept().await {
            let body = answered(line, &answer).await;
            kept.lock().unwrap().extend(body);
        }
    });
    (url, bodies)
}

/// Answers a request of a model; returns its body. The server answers nothing about its models.
async fn answered(line: TcpStream, answer: &str) -> Option<Vec<u8>> {
    let mut line = BufReader::new(line);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        line.read_line(&mut head).await.unwrap();
    }
    let head = head.to_lowercase();
    let length = head.split_once("content-length: ").map_or("0", |(_, rest)| rest.lines().next().unwrap());
    let mut body = vec![0; length.parse().unwrap()];
    line.read_exact(&mut body).await.unwrap();
    if body.is_empty() || head.starts_with("post /api/show") {
        let none = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        line.write_all(none.as_bytes()).await.unwrap();
        return None;
    }
    let length = answer.len();
    let reply = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{answer}"
    );
    line.write_all(reply.as_bytes()).await.unwrap();
    Some(body)
}

fn registry(config: &ProviderConfig) -> Arc<dyn ProviderRegistry> {
    let mut secrets = MockSecretStore::new();
    secrets.expect_secret().returning(|_| Ok("sk-test-1".into()));
    let mut clock = MockClock::new();
    clock.expect_now().return_const(Timestamp(0));
    let entries = BTreeMap::from([("fake".to_owned(), config.clone())]);
    Arc::new(ConfigProviderRegistry::new(entries, Arc::new(secrets), Arc::new(clock), crypto()))
}

fn answers() -> [(ProviderKind, &'static str, Value); 3] {
    let envelope = json!({ "pre_text": "hi" }).to_string();
    let message = json!({ "type": "message", "content": [{ "type": "output_text", "text": envelope }] });
    [
        (
            ProviderKind::Claude,
            "claude-opus-5-5",
            json!({ "content": [{ "type": "text", "text": envelope }], "stop_reason": "end_turn" }),
        ),
        (ProviderKind::Openai, "gpt-6-sol", json!({ "status": "completed", "output": [message] })),
        (
            ProviderKind::Compatible,
            "qwen3:8b",
            json!({ "choices": [{ "message": { "content": envelope }, "finish_reason": "stop" }] }),
        ),
    ]
}

#[tokio::test]
async fn received_request_is_rebuilt_after_all_changes() {
    for (kind, model, answer) in answers() {
        let (url, received) = peer(&answer).await;
        let before = ProviderConfig {
            model: Some(model.to_owned()),
            base_url: Some(url),
            max_output_tokens: Some(1000),
            stream: false,
            ..ProviderConfig::new(kind)
        };
        let after = ProviderConfig {
            max_output_tokens: Some(54_321),
            effort: Some("low".to_owned()),
            ..before.clone()
        };
        let scene = PromptFixture::new();
        let life = scene.life_with(registry(&before)).await;
        let session = life.chat(false).await;
        life.send_and_wait(&session, "one").await;
        life.send_and_wait(&session, "two").await;
        set(&life, &[("zone", "Asia/Tokyo"), ("language", "fr")]).await;
        life.send_and_wait(&session, "three").await;
        drop(life);
        let life = scene.life_with(registry(&after)).await;
        life.send_and_wait(&session, "four").await;
        drop(life);

        let rebuilt = scene.rebuild_all_calls(&session, registry(&after)).await;
        let bodies: Vec<Vec<u8>> = rebuilt.iter().map(|rebuilt| rebuilt.body.clone().unwrap()).collect();
        assert_eq!(bodies.len(), 4);
        let show = |bodies: &[Vec<u8>]| -> Vec<String> {
            bodies.iter().map(|body| String::from_utf8(body.clone()).unwrap()).collect()
        };
        assert_eq!(show(&bodies), show(&received.lock().unwrap()), "{model}");
        for rebuilt in &rebuilt {
            assert!(
                matches!(rebuilt.digests(), Some(RequestDigestCheck::Match(_))),
                "{model} {}",
                rebuilt.call.id
            );
        }
        assert!(!String::from_utf8_lossy(&bodies[2]).contains("54321"), "the old entry's number stays");
        assert!(String::from_utf8_lossy(&bodies[3]).contains("54321"), "a new generation has the new one");
    }
}

/// A round that starts with results of calls is sent with its own model parameters, and rebuilt with the same.
#[tokio::test]
async fn a_relaunch_is_rebuilt_with_its_own_numbers() {
    let asks =
        json!({ "pre_text": "I look.", "queries": [{ "type": "LIST_ZONES", "params": {} }] }).to_string();
    let answer = json!({ "choices": [{ "message": { "content": asks }, "finish_reason": "stop" }],
        "id": "chatcmpl-7" });
    let (url, received) = peer(&answer).await;
    let entry = ProviderConfig {
        model: Some("qwen3:8b".to_owned()),
        base_url: Some(url),
        temperature: Some(0.7),
        relaunch_temperature: Some(0.2),
        relaunch_max_output_tokens: Some(4000),
        stream: false,
        ..ProviderConfig::new(ProviderKind::Compatible)
    };
    let scene = PromptFixture::new();
    let life = scene.life_with(registry(&entry)).await;
    let session = life.chat(false).await;
    life.send_and_wait(&session, "what is there?").await;
    drop(life);

    let rebuilt = scene.rebuild_all_calls(&session, registry(&entry)).await;
    let bodies: Vec<Vec<u8>> = rebuilt.iter().map(|rebuilt| rebuilt.body.clone().unwrap()).collect();
    assert_eq!(bodies, *received.lock().unwrap());
    assert!(rebuilt.iter().all(|rebuilt| matches!(rebuilt.digests(), Some(RequestDigestCheck::Match(_)))));
    let read = |body: &Vec<u8>| serde_json::from_slice::<Value>(body).unwrap();
    let numbers: Vec<_> = bodies
        .iter()
        .map(read)
        .map(|body| (body["temperature"].as_f64(), body["max_tokens"].as_u64()))
        .collect();
    assert_eq!(numbers[0], (Some(0.7), None), "a person's message");
    assert_eq!(numbers[1], (Some(0.2), Some(4000)), "the results of its queries");
}
