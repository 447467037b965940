use entracte_adapters_http::limits::HttpServerLimits;
use entracte_tests::runtime_fixture::envelope_line;
use reqwest::Method;
use serde_json::{Value, json};

use super::server_fixture::{HOME, HttpServerFixture, send_request};

/// Input: a message that refers to a zone; expected: the zone is read before the model is called, and is in the
/// message.
#[tokio::test(flavor = "multi_thread")]
async fn message_reference_is_resolved_before_model_call() {
    let scene =
        HttpServerFixture::start_on(super::server_fixture::open_sqlite(), HttpServerLimits::default()).await;
    let (zone, tool, _) = scene.data().await;
    let session = scene.life.chat(false).await;
    let ann = scene.admin("ann", HOME).await;
    let path = format!("/v1/workspaces/{HOME}/sessions/{session}/messages");
    scene.model.push_lines([envelope_line("It is there.")]);
    let refers = json!([{ "type": "POINTER", "target": "zone", "id": zone }, { "type": "USE", "id": tool, "period": "-1_WEEK" }]);
    let sent = scene.post(&path, &ann, json!({ "text": "What is in {1}?", "enrichments": refers })).await;
    assert_eq!(sent.status, 202, "{sent:?}");
    let read = scene.get(&path, &ann).await;
    let items = read.body["items"].as_array().unwrap();
    let said = items.iter().find(|item| item["role"] == "user").unwrap();
    let text = said["text"].as_str().unwrap();
    assert!(text.starts_with("What is in [the zone “") && text.contains("[the tool “"), "{text}");
    let segments = said["segments"].as_array().unwrap().iter();
    let named: Vec<&Value> = segments.filter_map(|segment| segment["config"].get("id")).collect();
    assert_eq!(named, [&json!(zone), &json!(tool)], "{said}");

    let gone = json!([{ "type": "USE", "id": "tool_gone_1_0" }]);
    let refused = scene.post(&path, &ann, json!({ "text": "And?", "enrichments": gone })).await;
    assert_eq!((refused.status, refused.code()), (404, "not-found"), "{refused:?}");
    let wrong = json!([{ "type": "USE", "id": "x" }, { "type": "POINTER" }]);
    let refused = scene.post(&path, &ann, json!({ "text": "And?", "enrichments": wrong })).await;
    assert_eq!(refused.status, 422, "{refused:?}");
    assert!(refused.body["fields"][0]["path"].as_str().unwrap().starts_with("/enrichments/1"), "{refused:?}");
}

/// Input: an already processed message is withdrawn; expected: refused, with the reason.
#[tokio::test(flavor = "multi_thread")]
async fn processed_message_cannot_be_withdrawn() {
    let scene =
        HttpServerFixture::start_on(super::server_fixture::open_sqlite(), HttpServerLimits::default()).await;
    let session = scene.life.chat(false).await;
    scene.model.push_lines([envelope_line("Yes.")]);
    scene.life.send_and_wait(&session, "Are you there?").await;
    let ann = scene.admin("ann", HOME).await;
    let messages = scene.get(&format!("/v1/workspaces/{HOME}/sessions/{session}/messages"), &ann).await;
    let first = messages.body["items"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/workspaces/{HOME}/sessions/{session}/queue/{first}");
    let refused = send_request(scene.request(Method::DELETE, &path, &ann)).await;
    assert_eq!(refused.status, 409, "{refused:?}");
}
