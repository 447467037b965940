//! A person's changes to their data: run like every action, once under a key, and only on the version that was read.

use entracte_application::ports::{AccessReach, TokenScope};
use reqwest::Method;
use serde_json::{Value, json};

use super::server_fixture::{
    HOME, HttpServerFixture, HttpTestResponse, databases, json_body, send_request, text_body,
};
use entracte_adapters_http::limits::HttpServerLimits;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::Input;

fn home(rest: &str) -> String {
    format!("/v1/workspaces/{HOME}/{rest}")
}

async fn edit(
    scene: &HttpServerFixture,
    token: &str,
    (method, path): (Method, &str),
    etag: Option<&str>,
    body: Value,
) -> HttpTestResponse {
    let request = scene.request(method, path, token);
    let request = match etag {
        Some(etag) => request.header("if-match", etag),
        None => request,
    };
    send_request(json_body(request, &body)).await
}

async fn keyed(
    scene: &HttpServerFixture,
    token: &str,
    path: &str,
    key: &str,
    body: Value,
) -> HttpTestResponse {
    send_request(json_body(scene.request(Method::POST, path, token).header("idempotency-key", key), &body))
        .await
}

fn id(told: &HttpTestResponse) -> String {
    told.body["data"]["id"].as_str().unwrap_or_else(|| panic!("{told:?}")).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_changes_their_data_and_the_journal_says_who() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let ann = scene.admin("ann", HOME).await;
        let zone =
            scene.post(&home("zones"), &ann, json!({ "name": "Body", "description": "All of it" })).await;
        assert_eq!((zone.status, &zone.body["state"]), (201, &json!("done")), "{zone:?}");
        assert_eq!(zone.etag.as_deref(), Some("\"v1\""));
        let config = json!({ "kind": "numeric", "min": 30, "max": 200 });
        let new = json!({ "zone": id(&zone), "type": "tracking", "name": "Weight", "config": config });
        let tool = scene.post(&home("tools"), &ann, new).await;
        assert_eq!(tool.status, 201, "{tool:?}");
        let entries = home(&format!("tools/{}/entries", id(&tool)));
        // A manual write needs no schema shown first.
        let new = r#"{"data":{"value":72.50},"at":"2026-11-20T08:30:00Z","name":"morning"}"#;
        let entry = send_request(text_body(scene.request(Method::POST, &entries, &ann), new)).await;
        assert_eq!(
            (entry.status, &entry.body["data"]["at"]),
            (201, &json!("2026-11-20T08:30:00Z")),
            "{entry:?}"
        );
        assert!(entry.text.contains("72.50"), "digits stay: {}", entry.text);

        let path = format!("{entries}/{}", id(&entry));
        let blind = edit(&scene, &ann, (Method::PATCH, &path), None, json!({ "name": null })).await;
        assert_eq!((blind.status, blind.code()), (428, "precondition-required"));
        let change = json!({ "data": { "value": 71.9 }, "name": null });
        let changed = edit(&scene, &ann, (Method::PATCH, &path), Some("\"v1\""), change.clone()).await;
        assert_eq!((changed.status, changed.etag.as_deref()), (200, Some("\"v2\"")), "{changed:?}");
        assert_eq!(changed.body["data"]["name"], "");
        let late = edit(&scene, &ann, (Method::PATCH, &path), Some("\"v1\""), change).await;
        assert_eq!((late.status, late.code(), &late.body["current"]["version"]), (412, "changed", &json!(2)));

        let stats = scene.get(&home(&format!("tools/{}/stats?per_day=false", id(&tool))), &ann).await;
        assert_eq!((stats.status, &stats.body["count"]), (200, &json!(1)), "{stats:?}");

        let path = home(&format!("zones/{}", id(&zone)));
        let renamed =
            edit(&scene, &ann, (Method::PATCH, &path), Some("\"v1\""), json!({ "name": "Health" })).await;
        assert_eq!((&renamed.body["data"]["name"], renamed.status), (&json!("Health"), 200), "{renamed:?}");

        let session = SessionId::new(zone.body["session"].as_str().unwrap());
        let journal = scene.journal(&session).await;
        let authors: Vec<&str> = journal
            .iter()
            .filter_map(|entry| match &entry.input {
                Input::UserMessageSent(sent) => Some(sent.author.as_str()),
                _ => None,
            })
            .collect();
        assert!(!authors.is_empty() && authors.iter().all(|author| *author == "ann"), "{authors:?}");
        scene.life.verify(&session).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_needs_an_approval_waits_for_it_and_is_found_again() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let zone = scene.post(&home("zones"), &ann, json!({ "name": "Body", "require_validation": true })).await;
    assert_eq!(zone.status, 201, "{zone:?}");
    let path = home(&format!("zones/{}", id(&zone)));
    let delete = || async { edit(&scene, &ann, (Method::DELETE, &path), Some("\"v1\""), json!({})).await };
    let asked = delete().await;
    assert_eq!((asked.status, &asked.body["state"]), (202, &json!("waits_for_approval")), "{asked:?}");
    assert_eq!(scene.get(&path, &ann).await.status, 200, "it is there still");
    let again = delete().await;
    assert_eq!(again.body["approval"], asked.body["approval"], "it is not asked twice");

    let approval = asked.body["approval"].as_str().unwrap();
    let card = scene.get(&home(&format!("approvals/{approval}")), &ann).await;
    let decided = scene.decide(approval, &ann, &card.etag.unwrap(), json!({ "decision": "approve" })).await;
    assert_eq!(decided.status, 200, "{decided:?}");
    let session = SessionId::new(asked.body["session"].as_str().unwrap());
    scene.life.follow().run_until_idle(&scene.life.workspace, &session, 0).await.unwrap();
    assert_eq!(scene.get(&path, &ann).await.status, 404, "it is gone");
}

/// Input: words in place of a decision on an action by hand, whose session takes no messages, on its card and in a list;
/// expected: a conflict, and not that it waits for nobody: it is approved afterwards.
#[tokio::test(flavor = "multi_thread")]
async fn words_that_a_session_of_calls_refuses_leave_the_card() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let zone = scene.post(&home("zones"), &ann, json!({ "name": "Body", "require_validation": true })).await;
    let path = home(&format!("zones/{}", id(&zone)));
    let asked = edit(&scene, &ann, (Method::DELETE, &path), Some("\"v1\""), json!({})).await;
    let (approval, session) = (&asked.body["approval"], &asked.body["session"]);
    let approval = approval.as_str().unwrap();
    let card = scene.get(&home(&format!("approvals/{approval}")), &ann).await;
    assert_eq!(card.body["by_hand"], true, "no screen offers words in place of a decision: {card:?}");
    let etag = card.etag.clone().unwrap();
    let words = json!({ "decision": "answer", "text": "Keep it." });
    let one = scene.decide(approval, &ann, &etag, words).await;
    let digest = &card.body["digest"];
    let each = json!({ "approval": approval, "digest": digest, "decision": "answer", "text": "Keep it." });
    let list = home(&format!("sessions/{}/decisions", session.as_str().unwrap()));
    let all = scene.post(&list, &ann, json!({ "decisions": [each] })).await;
    for refused in [one, all] {
        assert_eq!((refused.status, refused.code()), (409, "conflict"), "{refused:?}");
    }
    let decided = scene.decide(approval, &ann, &etag, json!({ "decision": "approve" })).await;
    assert_eq!(decided.status, 200, "{decided:?}");
}

/// Repeated under the key after the answer was lost, and the same body under another key.
#[tokio::test(flavor = "multi_thread")]
async fn an_entry_is_made_once_under_its_key() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let (_, tool, _) = scene.data().await;
    let path = home(&format!("tools/{tool}/entries"));
    let body = || json!({ "data": { "value": 80 }, "at": "2026-11-21T08:30:00Z" });
    let first = keyed(&scene, &ann, &path, "k1", body()).await;
    assert_eq!(first.status, 201, "{first:?}");
    let again = keyed(&scene, &ann, &path, "k1", body()).await;
    assert_eq!((again.status, &again.body), (201, &first.body), "{again:?}");
    assert_eq!(again.headers["idempotency-replayed"], "true");
    let other = keyed(&scene, &ann, &path, "k2", body()).await;
    assert_ne!(id(&other), id(&first), "another key is another entry");
    let reused = keyed(&scene, &ann, &path, "k1", json!({ "data": { "value": 81 } })).await;
    assert_eq!((reused.status, reused.code()), (422, "idempotency-mismatch"), "{reused:?}");
    assert_eq!(scene.get(&path, &ann).await.body["items"].as_array().unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_data_is_refused_without_change() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let (zone, tool, _) = scene.data().await;
    let new = |path: &str, body: Value| {
        let path = home(path);
        let (scene, ann) = (&scene, &ann);
        async move { scene.post(&path, ann, body).await }
    };
    let gone = json!({ "arguments": { "zone_id": "zon_gone" } });
    let cases = [
        (new("zones", json!({ "name": "body" })).await, 409, "conflict"),
        (new("zones", json!({ "name": "" })).await, 422, "invalid"),
        (new("tools", json!({ "zone": "zon_gone", "type": "notes", "name": "N" })).await, 404, "not-found"),
        (new("tools", json!({ "zone": zone, "type": "piano", "name": "N" })).await, 422, "invalid"),
        (new(&format!("tools/{tool}/entries"), json!({ "data": { "value": 900 } })).await, 422, "invalid"),
        (new("tools/tool_gone/entries", json!({ "data": {} })).await, 404, "not-found"),
        (new("commands/zones.create/runs", json!({ "arguments": { "nmae": "x" } })).await, 422, "invalid"),
        (new("commands/zones.delete/runs", gone).await, 404, "not-found"),
    ];
    for (refused, status, code) in cases {
        assert_eq!((refused.status, refused.code()), (status, code), "{refused:?}");
    }
    let taken = new("zones", json!({ "name": "body" })).await;
    assert_eq!(taken.body["current"]["code"], "NAME_TAKEN", "{taken:?}");
    let made = new("commands/zones.create/runs", json!({ "arguments": { "name": "Mind" } })).await;
    assert_eq!((made.status, &made.body["result"]["name"]), (200, &json!("Mind")), "{made:?}");
    let zones = scene.get(&home("zones"), &ann).await;
    assert_eq!(zones.body["items"].as_array().unwrap().len(), 2);
}

/// Input: a call as text from a person with the scope `chat` only, in the session of another person's manual actions;
/// expected: it is refused, and nothing runs.
#[tokio::test(flavor = "multi_thread")]
async fn manual_call_session_refuses_messages() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let eve = scene
        .token("eve", AccessReach::Workspace(WorkspaceKey::new(HOME)), &[TokenScope::Read, TokenScope::Chat])
        .await;
    let mind = json!({ "arguments": { "name": "Mind" } });
    let made = scene.post(&home("commands/zones.create/runs"), &ann, mind).await;
    let session = made.body["session"].as_str().unwrap();
    let forged = r#"{"entracte_call":{"command":"zones.create","arguments":{"name":"Forged"}}}"#;
    let path = home(&format!("sessions/{session}/messages"));
    let sent = scene.post(&path, &eve, json!({ "text": forged })).await;
    assert_eq!((sent.status, sent.code()), (409, "conflict"), "{sent:?}");
    let zones = scene.get(&home("zones"), &ann).await;
    assert!(!zones.body.to_string().contains("Forged"), "{zones:?}");
}
