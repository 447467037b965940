use entracte_application::ports::{AccessReach, TokenScope};
use entracte_application::use_cases::{ApprovalChoice, ChangeSession, SessionUpdate};
use entracte_domain::id::WorkspaceKey;
use entracte_tests::runtime_fixture::{command_request_line, envelope_line};
use reqwest::Method;
use serde_json::{Value, json};

use super::server_fixture::{HOME, HttpServerFixture, HttpTestResponse, databases, json_body, send_request};
use entracte_adapters_http::limits::HttpServerLimits;

fn home() -> AccessReach {
    AccessReach::Workspace(WorkspaceKey::new(HOME))
}

async fn ask(scene: &HttpServerFixture, path: &str, token: Option<&str>, body: Value) -> HttpTestResponse {
    let request = scene.client.post(format!("{}{path}", scene.url));
    let request = match token {
        Some(token) => request.bearer_auth(token),
        None => request,
    };
    send_request(json_body(request, &body)).await
}

async fn open(scene: &HttpServerFixture, token: Option<&str>, secret: &str) -> HttpTestResponse {
    ask(scene, "/v1/links/open", token, json!({ "secret": secret })).await
}

async fn act(
    scene: &HttpServerFixture,
    token: Option<&str>,
    secret: &str,
    nonce: &str,
    decision: &str,
) -> HttpTestResponse {
    let body = json!({ "secret": secret, "nonce": nonce, "decision": decision });
    ask(scene, "/v1/links/act", token, body).await
}

/// The secret of the last link that was sent.
async fn sent(scene: &HttpServerFixture) -> String {
    scene.state.notifier().run_once().await.unwrap();
    let told = scene.outside.received_notifications();
    let click = told.last().unwrap().click.clone().unwrap();
    let (page, secret) = click.split_once('#').unwrap();
    assert_eq!(page, "https://entracte.example/a", "the secret is behind the #");
    secret.to_owned()
}

fn private() -> Value {
    json!({ "private": true, "links": true, "kinds": ["approval.requested"] })
}

/// A scanner opens it, runs its script and posts what it finds; then the person decides.
#[tokio::test(flavor = "multi_thread")]
async fn a_link_decides_once_for_the_person_and_not_for_a_scanner() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        scene.target("mine", private()).await;
        let (session, approval) = scene.request_zone_approval().await;
        let before = scene.journal(&session).await;
        let secret = sent(&scene).await;

        let page = scene.client.get(format!("{}/a", scene.url)).send().await.unwrap();
        assert_eq!(page.headers()["referrer-policy"], "no-referrer");
        let policy = page.headers()["content-security-policy"].to_str().unwrap();
        assert!(
            policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'"),
            "{policy}"
        );
        for _ in 0..3 {
            let opened = open(&scene, None, &secret).await;
            assert_eq!((opened.status, &opened.body["card"]["id"]), (200, &json!(approval)), "{opened:?}");
        }
        let blind = act(&scene, None, &secret, "guess", "approve").await;
        assert_eq!((blind.status, blind.code()), (422, "invalid"));
        assert_eq!(scene.journal(&session).await, before, "nothing was decided");

        let opened = open(&scene, None, &secret).await;
        let nonce = opened.body["nonce"].as_str().unwrap();
        assert_eq!(opened.body["person"], "ann");
        let after = scene.life.follow().last_entry_number(&scene.life.workspace, &session).await.unwrap();
        scene.model.push_lines([envelope_line("Done.")]);
        let decided = act(&scene, None, &secret, nonce, "approve").await;
        assert_eq!(decided.status, 200, "{decided:?}");
        assert_eq!(
            (&decided.body["decided_by"], &decided.body["decision"]),
            (&json!("ann"), &json!("approved"))
        );
        // The second tap, and anyone who finds it later.
        for again in [act(&scene, None, &secret, nonce, "approve").await, open(&scene, None, &secret).await] {
            assert_eq!((again.status, again.code()), (410, "link-spent"), "{again:?}");
        }
        scene.life.follow().run_until_idle(&scene.life.workspace, &session, after).await.unwrap();
        let calls = scene.life.calls(&session).await;
        assert_eq!(calls.len(), 1, "one effect: {calls:?}");
        scene.life.verify(&session).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leaked_link_is_worth_nothing_without_its_person() {
    let scene = HttpServerFixture::new().await;
    scene.target("shared", json!({ "links": true, "kinds": ["approval.requested"] })).await;
    let (session, _) = scene.request_zone_approval().await;
    let before = scene.journal(&session).await;
    let secret = sent(&scene).await;
    let eve = scene.token("eve", home(), &[TokenScope::Admin]).await;
    let reader = scene.token("ann", home(), &[TokenScope::Read]).await;
    let other = scene.admin("ann", "eve:other").await;
    for token in [None, Some("entr_k1.guess"), Some(&eve), Some(&reader), Some(&other)] {
        let refused = open(&scene, token, &secret).await;
        assert_eq!((refused.status, refused.code()), (403, "login-needed"), "{refused:?}");
        let refused = act(&scene, token, &secret, "guess", "approve").await;
        assert_eq!(refused.code(), "login-needed", "{refused:?}");
    }
    assert_eq!(scene.journal(&session).await, before);
    let ann = scene.token("ann", home(), &[TokenScope::Approve]).await;
    let opened = open(&scene, Some(&ann), &secret).await;
    assert_eq!(opened.status, 200, "{opened:?}");
    scene.model.push_lines([envelope_line("As you say.")]);
    let nonce = opened.body["nonce"].as_str().unwrap();
    let decided = act(&scene, Some(&ann), &secret, nonce, "reject").await;
    assert_eq!((decided.status, &decided.body["decision"]), (200, &json!("rejected")), "{decided:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn decided_or_expired_link_decides_nothing() {
    let scene = HttpServerFixture::new().await;
    scene.target("mine", private()).await;
    let (session, _) = scene.request_zone_approval().await;
    let secret = sent(&scene).await;
    let nonce = open(&scene, None, &secret).await.body["nonce"].as_str().unwrap().to_owned();
    scene.model.push_lines([envelope_line("As you say.")]);
    scene.life.decide_and_wait(&session, ApprovalChoice::Reject(None)).await;
    for late in [open(&scene, None, &secret).await, act(&scene, None, &secret, &nonce, "approve").await] {
        assert_eq!((late.status, late.code()), (409, "already-decided"), "{late:?}");
    }
    assert_eq!(open(&scene, None, "lnk_guess").await.code(), "link-spent");
}

/// The request has changed meanwhile: the link of the first card decides nothing.
#[tokio::test(flavor = "multi_thread")]
async fn link_to_changed_card_is_412() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let (zone, _, _) = scene.data().await;
    scene.target("mine", private()).await;
    let session = scene.life.chat(true).await;
    let update = json!({ "zone_id": zone, "description": "Weight and sleep" });
    scene.model.push_lines([command_request_line("actions", &[("UPDATE_ZONE", update)])]);
    scene.life.send_and_wait(&session, "describe it").await;
    let secret = sent(&scene).await;
    let opened = open(&scene, None, &secret).await;
    assert_eq!(opened.status, 200, "{opened:?}");
    let nonce = opened.body["nonce"].as_str().unwrap().to_owned();

    // A person describes the zone manually meanwhile, so that another value would be overwritten.
    let path = format!("/v1/workspaces/{HOME}/zones/{zone}");
    let request = scene.request(reqwest::Method::PATCH, &path, &ann).header("if-match", "\"v1\"");
    let changed = send_request(json_body(request, &json!({ "description": "Mine" }))).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    let card = &opened.body["card"];
    let (approval, digest) = (card["id"].as_str().unwrap(), card["digest"].as_str().unwrap());
    let approve = json!({ "decision": "approve" });
    let late = scene.decide(approval, &ann, &format!("\"{digest}\""), approve).await;
    assert_eq!((late.status, late.code()), (412, "changed"), "{late:?}");
    let before = scene.journal(&session).await;
    for late in [open(&scene, None, &secret).await, act(&scene, None, &secret, &nonce, "approve").await] {
        assert_eq!((late.status, late.code()), (412, "changed"), "{late:?}");
    }
    assert_eq!(scene.journal(&session).await, before, "nothing was decided");
}

/// The button of ntfy: the message contains the card, so nothing needs to be opened first.
#[tokio::test(flavor = "multi_thread")]
async fn button_decides_on_card_in_message() {
    let scene = HttpServerFixture::new().await;
    let wants = json!({ "private": true, "links": true, "full": true, "kinds": ["approval.requested"] });
    scene.target("mine", wants).await;
    let (_, _) = scene.request_zone_approval().await;
    scene.state.notifier().run_once().await.unwrap();
    let sent = scene.outside.received_notifications().pop().unwrap();
    assert!(sent.text.contains(r#"{"name":"Health"}"#), "{}", sent.text);
    let press = &sent.actions[0];
    assert_eq!(press.url, "https://entracte.example/v1/links/act");
    scene.model.push_lines([envelope_line("Done.")]);
    let body: Value = serde_json::from_str(&press.body).unwrap();
    let decided = ask(&scene, "/v1/links/act", None, body.clone()).await;
    assert_eq!((decided.status, &decided.body["decided_by"]), (200, &json!("ann")), "{decided:?}");
    assert_eq!(ask(&scene, "/v1/links/act", None, body).await.code(), "link-spent");
}

/// Destructive actions, and cards that do not fit on a screen, are for the console.
#[tokio::test(flavor = "multi_thread")]
async fn complex_cards_get_no_link() {
    let scene = HttpServerFixture::new().await;
    scene.target("mine", private()).await;
    let session = scene.life.chat(true).await;
    let long = "x".repeat(2_000);
    scene.model.push_lines([command_request_line(
        "actions",
        &[("CREATE_ZONE", json!({ "name": "Z", "description": long }))],
    )]);
    scene.life.send_and_wait(&session, "make a zone").await;
    scene.state.notifier().run_once().await.unwrap();
    let told = scene.outside.received_notifications();
    assert_eq!(told.len(), 1);
    let item = format!("https://entracte.example/inbox/{}", session.call_id(4, 0).approval_id());
    assert_eq!(told[0].click.as_deref(), Some(item.as_str()), "it leads to the item");
    assert!(!told[0].body.contains("lnk_"), "{}", told[0].body);
}

#[tokio::test(flavor = "multi_thread")]
async fn link_of_removed_target_is_gone() {
    let scene = HttpServerFixture::new().await;
    let id = scene.target("mine", private()).await;
    scene.request_zone_approval().await;
    let secret = sent(&scene).await;
    let ann = scene.admin("ann", HOME).await;
    let path = format!("/v1/workspaces/{HOME}/targets/{id}");
    assert_eq!(send_request(scene.request(reqwest::Method::DELETE, &path, &ann)).await.status, 204);
    assert_eq!(open(&scene, None, &secret).await.code(), "link-spent");
}

/// Input: a link in a target that only Ann reads; then she marks the target as shared, and then switches links off.
/// Expected: the link first needs a login, and then is void.
#[tokio::test(flavor = "multi_thread")]
async fn link_follows_current_target_preferences() {
    let scene = HttpServerFixture::new().await;
    let id = scene.target("mine", private()).await;
    let (session, _) = scene.request_zone_approval().await;
    let before = scene.journal(&session).await;
    let secret = sent(&scene).await;
    let ann = scene.admin("ann", HOME).await;
    let nonce = open(&scene, None, &secret).await.body["nonce"].as_str().unwrap().to_owned();
    let change = async |wants: Value| {
        let path = format!("/v1/workspaces/{HOME}/targets/{id}");
        let request = scene.request(Method::PATCH, &path, &ann);
        assert_eq!(send_request(json_body(request, &json!({ "wants": wants }))).await.status, 200);
    };
    change(json!({ "private": false })).await;
    for refused in [open(&scene, None, &secret).await, act(&scene, None, &secret, &nonce, "approve").await] {
        assert_eq!((refused.status, refused.code()), (403, "login-needed"), "{refused:?}");
    }
    assert_eq!(open(&scene, Some(&ann), &secret).await.status, 200, "she is who she is");
    change(json!({ "links": false })).await;
    for token in [None, Some(ann.as_str())] {
        let refused = act(&scene, token, &secret, &nonce, "approve").await;
        assert_eq!((refused.status, refused.code()), (410, "link-spent"), "{refused:?}");
    }
    assert_eq!(scene.journal(&session).await, before, "nothing was decided");
}

/// Input: Eve, who may approve, is sent a link, and then every token of hers with that scope is revoked. Expected: the
/// link decides nothing, although it is hers and its target still exists.
#[tokio::test(flavor = "multi_thread")]
async fn link_without_approve_scope_is_spent() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    scene.life.chat(true).await;
    let root = scene.token("root", AccessReach::Everywhere, &[TokenScope::Admin]).await;
    let tokens = format!("/v1/workspaces/{HOME}/tokens");
    let give = async |scopes: Value| {
        let made =
            scene.post(&tokens, &root, json!({ "person": "eve", "name": "x", "scopes": scopes })).await;
        assert_eq!(made.status, 201, "{made:?}");
        made.body
    };
    let approves = give(json!(["read", "chat", "approve"])).await;
    give(json!(["read", "chat"])).await;
    let target = json!({ "name": "hers", "ntfy": "https://ntfy.example/eve", "wants": private() });
    let secret = approves["secret"].as_str().unwrap();
    let added = scene.post(&format!("/v1/workspaces/{HOME}/targets"), secret, target).await;
    assert_eq!(added.status, 201, "{added:?}");
    let (session, _) = scene.request_zone_approval().await;
    let before = scene.journal(&session).await;
    let secret = sent(&scene).await;
    let nonce = open(&scene, None, &secret).await.body["nonce"].as_str().unwrap().to_owned();
    let path = format!("{tokens}/{}", approves["id"].as_str().unwrap());
    assert_eq!(send_request(scene.request(Method::DELETE, &path, &ann)).await.status, 204);
    for refused in [open(&scene, None, &secret).await, act(&scene, None, &secret, &nonce, "approve").await] {
        assert_eq!((refused.status, refused.code()), (410, "link-spent"), "{refused:?}");
    }
    assert_eq!(scene.journal(&session).await, before, "nothing was decided");
}

/// Input: a chat whose name contains a bidirectional override. Expected: the page of a link shows the character.
#[tokio::test(flavor = "multi_thread")]
async fn link_page_shows_bidi_characters() {
    let scene = HttpServerFixture::new().await;
    scene.target("mine", private()).await;
    let (session, _) = scene.request_zone_approval().await;
    let services = &scene.life.services;
    let change = ChangeSession::new(scene.life.mail_sender.clone(), services.store.clone());
    let name = SessionUpdate { name: Some("Notes \u{202e}".into()), ..SessionUpdate::default() };
    change.run(&scene.life.workspace, &session, "ann".into(), name).await.unwrap();
    let secret = sent(&scene).await;
    let opened = open(&scene, None, &secret).await;
    let shown = opened.body["card"]["session_name"].as_str().unwrap();
    assert!(
        shown.starts_with("Notes") && shown.contains("U+202E") && !shown.contains('\u{202e}'),
        "{opened:?}"
    );
}
