//! History: runs of all automations, deleted sessions, costs of single model calls; and restored earlier values.

use entracte_domain::id::RoundAttempt;
use entracte_tests::runtime_fixture::FakeModelLine;
use reqwest::Method;
use serde_json::{Value, json};

use super::server_fixture::{HOME, HttpServerFixture, HttpTestResponse, json_body, send_request};

fn home(rest: &str) -> String {
    format!("/v1/workspaces/{HOME}/{rest}")
}

fn strings(items: &Value, field: &str) -> Vec<String> {
    let all = items.as_array().unwrap().iter();
    all.map(|item| item[field].as_str().unwrap().to_owned()).collect()
}

/// Creates a manual automation and runs it this number of times.
async fn runs(scene: &HttpServerFixture, ann: &str, (name, times): (&str, usize)) -> String {
    let new = json!({ "name": name, "trigger": { "type": "manual" }, "message": "Go." });
    let made = scene.post(&home("automations"), ann, new).await;
    let automation = made.body["id"].as_str().unwrap().to_owned();
    for _ in 0..times {
        scene
            .model
            .push_lines([FakeModelLine::Says(json!({ "pre_text": "Done.", "completed": true }).to_string())]);
        let run = scene.post(&home(&format!("automations/{automation}/runs")), ann, json!({})).await;
        assert!(run.status < 300, "{run:?}");
    }
    automation
}

/// Input: two automations with three runs in all; expected: page by page each occurrence once, the latest first, and
/// none from an instant after the last one.
#[tokio::test(flavor = "multi_thread")]
async fn occurrences_of_all_automations_are_paginated() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let (one, other) = (runs(&scene, &ann, ("One", 2)).await, runs(&scene, &ann, ("Other", 1)).await);
    let (mut after, mut seen, mut instants) = (String::new(), Vec::new(), Vec::new());
    for _ in 0..3 {
        let page = scene.get(&home(&format!("occurrences?limit=1{after}")), &ann).await;
        assert_eq!(page.status, 200, "{page:?}");
        seen.extend(strings(&page.body["items"], "automation"));
        instants.extend(strings(&page.body["items"], "at"));
        after = page.body["next"].as_str().map(|next| format!("&after={next}")).unwrap_or_default();
    }
    assert_eq!(after, "", "that was all");
    assert!(instants.is_sorted_by(|one, other| one >= other), "{instants:?}");
    seen.sort();
    let mut expected = vec![one.clone(), one, other];
    expected.sort();
    assert_eq!(seen, expected);
    let later = scene.get(&home("occurrences?since=2100-01-01T00:00:00Z"), &ann).await;
    assert_eq!(later.body["items"], json!([]));
    let wrong = scene.get(&home("occurrences?since=tonight"), &ann).await;
    assert_eq!((wrong.status, wrong.code()), (422, "invalid"));
}

/// Input: a deleted session that waited for an approval; expected: its open work, without arguments.
#[tokio::test(flavor = "multi_thread")]
async fn deleted_session_leaves_readable_record() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let (session, approval) = scene.request_zone_approval().await;
    assert_eq!(scene.get(&home("deletions"), &ann).await.body["items"], json!([]));
    let gone = send_request(scene.request(Method::DELETE, &home(&format!("sessions/{session}")), &ann)).await;
    assert!(gone.status < 300, "{gone:?}");
    let record = scene.get(&home("deletions"), &ann).await;
    let [only] = record.body["items"].as_array().unwrap().as_slice() else { panic!("{record:?}") };
    assert_eq!((&only["session"], &only["deleted_by"]), (&json!(session.as_str()), &json!("ann")));
    assert_eq!((&only["open"][0]["approval"], &only["more"]), (&json!(approval), &json!(0)));
    assert!(!record.text.contains("Health"), "no argument is kept: {}", record.text);
}

/// Input: one model call; expected: its cost by itself and by its round, its request counted if its provider can count,
/// and the model's output as a script.
#[tokio::test(flavor = "multi_thread")]
async fn one_model_call_is_costed_counted_and_recorded() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let (session, _) = scene.request_zone_approval().await;
    let call = session.model_call_id(RoundAttempt { round: 1, attempt: 1 }).to_string();
    let keys = async |by: &str| {
        let costs = scene.get(&home(&format!("costs?by={by}")), &ann).await;
        assert_eq!(costs.status, 200, "{costs:?}");
        strings(&costs.body["rows"], "key")
    };
    assert_eq!(keys("attempt").await, [call.as_str()]);
    assert_eq!(keys("round").await, [format!("{session} 1")]);
    let counted = scene.post(&home(&format!("model-calls/{call}/count")), &ann, json!({})).await;
    assert_eq!((counted.status, &counted.body["counted"]), (200, &Value::Null), "{counted:?}");
    assert!(counted.body["estimated"].as_u64().is_some_and(|tokens| tokens > 100), "{counted:?}");
    let script = scene.get(&home(&format!("sessions/{session}/script")), &ann).await;
    assert_eq!((script.status, script.text.as_str()), (200, format!("# {session}\n").as_str()));
    // Embeddings are not configured.
    let vectors = scene.post(&home("knowledge/vectors"), &ann, json!({})).await;
    assert_eq!((vectors.status, vectors.code()), (409, "not-applicable"));
}

#[tokio::test(flavor = "multi_thread")]
async fn declared_agents_and_single_tokens_are_read() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let agents = scene.get(&home("agents"), &ann).await;
    assert_eq!(strings(&agents.body["items"], "name"), ["JobManager"]);
    let agent = scene.get(&home("agents/JobManager"), &ann).await;
    assert_eq!(agent.body["declaration"]["description"], "Counts the jobs.", "{agent:?}");
    assert_eq!(scene.get(&home("agents/Nobody"), &ann).await.code(), "not-found");
    let tokens = scene.get(&home("tokens"), &ann).await;
    let id = tokens.body["items"][0]["id"].as_str().unwrap();
    let token = scene.get(&home(&format!("tokens/{id}")), &ann).await;
    assert_eq!(token.body, tokens.body["items"][0]);
}

/// Input: changed settings and instructions; expected: restored by a client that read them, and by no other.
#[tokio::test(flavor = "multi_thread")]
async fn settings_and_instructions_reset_needs_current_tag() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let ask = async |method: Method, path: &str, etag: Option<&str>, body: Value| -> HttpTestResponse {
        let request = scene.request(method, path, &ann);
        let request = etag.iter().fold(request, |request, etag| request.header("if-match", *etag));
        send_request(json_body(request, &body)).await
    };
    let settings = home("settings");
    let read = scene.get(&settings, &ann).await;
    let zone = json!({ "settings": { "zone": "Asia/Tokyo", "language": "fr" } });
    let changed = ask(Method::PATCH, &settings, read.etag.as_deref(), zone).await;
    assert!(changed.text.contains("Asia/Tokyo"), "{changed:?}");
    let nothing = || json!({});
    assert_eq!(ask(Method::DELETE, &settings, None, nothing()).await.status, 428);
    assert_eq!(ask(Method::DELETE, &settings, read.etag.as_deref(), nothing()).await.code(), "changed");
    let reset = ask(Method::DELETE, &settings, changed.etag.as_deref(), nothing()).await;
    assert_eq!(reset.status, 200, "{reset:?}");
    let is_default = |setting: &Value| setting["value"] == setting["default"];
    assert!(reset.body["settings"].as_array().unwrap().iter().all(is_default), "{reset:?}");

    let (session, _) = scene.request_zone_approval().await;
    let (_, automation) = scene.create_rule_and_automation(&session).await;
    for of in ["", &format!("sessions/{session}/"), &format!("automations/{automation}/")] {
        let path = home(&format!("{of}instructions"));
        let none = scene.get(&path, &ann).await;
        let told = ask(Method::PATCH, &path, none.etag.as_deref(), json!({ "text": "You are Nora." })).await;
        assert_eq!(ask(Method::DELETE, &path, None, nothing()).await.status, 428, "{path}");
        assert_eq!(ask(Method::DELETE, &path, none.etag.as_deref(), nothing()).await.code(), "changed");
        let cleared = ask(Method::DELETE, &path, told.etag.as_deref(), nothing()).await;
        assert_eq!((&cleared.body["text"], &cleared.body["version"]), (&json!(""), &json!(2)), "{path}");
    }
}
