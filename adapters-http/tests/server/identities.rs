//! Identities: tokens in the name of another person, and whose approval they give.

use entracte_adapters_http::limits::HttpServerLimits;
use entracte_application::ports::{AccessReach, TokenScope};
use entracte_application::use_cases::ChangeSettings;
use entracte_domain::id::WorkspaceKey;
use entracte_tests::runtime_fixture::command_request_line;
use reqwest::Method;
use serde_json::{Value, json};

use super::decisions::until;
use super::server_fixture::{HOME, HttpServerFixture, databases, json_body, send_request};

fn home() -> AccessReach {
    AccessReach::Workspace(WorkspaceKey::new(HOME))
}

fn path(rest: &str) -> String {
    format!("/v1/workspaces/{HOME}/{rest}")
}

async fn needs_four_eyes(scene: &HttpServerFixture) {
    let change = ChangeSettings::new(scene.life.mail_sender.clone());
    let changes = vec![("four_eyes".to_owned(), Some("true".to_owned()))];
    change.run(&scene.life.workspace, "ann".into(), changes).await.unwrap();
}

/// Input: a workspace administrator who wants a token in another person's name; expected: she gets none, not even by
/// creating the person or by accepting her own invitation; the person himself accepts it, once, and an operator may
/// create it.
#[tokio::test(flavor = "multi_thread")]
async fn token_for_other_person_needs_consent() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let ann = scene.admin("ann", HOME).await;
        let bob = scene.token("bob", home(), &[TokenScope::Read]).await;
        let root = scene.token("root", AccessReach::Everywhere, &[TokenScope::Admin]).await;
        let new = |person: &str| json!({ "person": person, "name": "desk", "scopes": ["read", "approve"] });
        let session = scene.life.chat(true).await;
        let mut embedded = new("bob");
        embedded["scopes"] = json!(["read", "chat"]);
        embedded["session"] = json!(session.as_str());
        embedded["origins"] = json!(["https://shop.example"]);
        for wanted in [new("bob"), new("carl"), embedded] {
            let refused = scene.post(&path("tokens"), &ann, wanted).await;
            assert_eq!((refused.status, refused.code()), (403, "consent-needed"), "{refused:?}");
        }
        let refused = scene.post(&path("people"), &ann, json!({ "name": "carl" })).await;
        assert_eq!((refused.status, refused.code()), (403, "scope-missing"), "{refused:?}");
        let own = scene.post(&path("tokens"), &ann, new("ann")).await;
        assert_eq!((own.status, &own.body["made_by"]), (201, &Value::Null), "{own:?}");

        let nobody = scene.post(&path("invitations"), &ann, new("carl")).await;
        assert_eq!((nobody.status, nobody.code()), (404, "not-found"), "{nobody:?}");
        let invited = scene.post(&path("invitations"), &ann, new("bob")).await;
        assert_eq!(invited.status, 201, "{invited:?}");
        let code = invited.body["code"].as_str().unwrap();
        let as_token = scene.get("/v1/me", code).await;
        assert_eq!(as_token.status, 401, "an invitation is no token: {as_token:?}");
        let accept = path("invitations/acceptance");
        let taken = scene.post(&accept, &ann, json!({ "code": code })).await;
        assert_eq!((taken.status, taken.code()), (410, "link-spent"), "it is not for her: {taken:?}");
        let taken = scene.post(&accept, &bob, json!({ "code": code })).await;
        assert_eq!((taken.status, &taken.body["person"]["name"]), (201, &json!("bob")), "{taken:?}");
        let secret = taken.body["secret"].as_str().unwrap();
        let me = scene.get("/v1/me", secret).await;
        assert_eq!(me.body["token"]["scopes"], json!(["read", "approve"]), "{me:?}");
        let again = scene.post(&accept, &bob, json!({ "code": code })).await;
        assert_eq!((again.status, again.code()), (410, "link-spent"), "{again:?}");

        let made = scene.post(&path("tokens"), &root, new("bob")).await;
        assert_eq!((made.status, &made.body["made_by"]), (201, &json!("root")), "{made:?}");
    }
}

/// Input: an operator who makes a request, and approves it with a token that she created for another person; expected:
/// under four eyes it counts as her own approval. The same person counts with a token that is his own.
#[tokio::test(flavor = "multi_thread")]
async fn minted_token_counts_as_its_maker() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        needs_four_eyes(&scene).await;
        let ann = scene.token("ann", AccessReach::Everywhere, &[TokenScope::Admin]).await;
        let new = json!({ "person": "noe", "name": "desk", "scopes": ["admin"] });
        let minted = scene.post(&path("tokens"), &ann, new.clone()).await;
        assert_eq!(minted.status, 201, "{minted:?}");
        let minted = minted.body["secret"].as_str().unwrap().to_owned();
        // A token that this one creates counts as hers too.
        let second = scene.post(&path("tokens"), &minted, new).await;
        assert_eq!((second.status, &second.body["made_by"]), (201, &json!("ann")), "{second:?}");
        let second = second.body["secret"].as_str().unwrap().to_owned();

        let (session, approval) = scene.request_zone_approval().await;
        let card = scene.get(&path(&format!("approvals/{approval}")), &ann).await;
        let etag = card.etag.clone().unwrap();
        for token in [&minted, &second] {
            let refused = scene.decide(&approval, token, &etag, json!({ "decision": "approve" })).await;
            assert_eq!((refused.status, refused.code()), (403, "four-eyes"), "{refused:?}");
        }
        let own = scene.token("noe", home(), &[TokenScope::Read, TokenScope::Approve]).await;
        let decided = scene.decide(&approval, &own, &etag, json!({ "decision": "approve" })).await;
        assert_eq!((decided.status, &decided.body["decided_by"]), (200, &json!("noe")), "{decided:?}");
        scene.life.verify(&session).await;
    }
}

/// Input: an administrator of a four-eyes workspace, who wants to switch it off; expected: she is refused on every
/// route to the setting, and may change others; an operator switches it off.
#[tokio::test(flavor = "multi_thread")]
async fn administrator_alone_keeps_four_eyes_on() {
    let scene =
        HttpServerFixture::start_on(super::server_fixture::open_sqlite(), HttpServerLimits::default()).await;
    needs_four_eyes(&scene).await;
    let ann = scene.admin("ann", HOME).await;
    let root = scene.token("root", AccessReach::Everywhere, &[TokenScope::Admin]).await;
    let ask = async |method: Method, to: &str, token: &str, body: Value| {
        let read = scene.get(&path(to), token).await;
        let request = scene.request(method, &path(to), token).header("if-match", read.etag.unwrap());
        send_request(json_body(request, &body)).await
    };
    let off = || json!({ "settings": { "four_eyes": "false", "zone": "UTC" } });
    let tries = [
        (Method::PATCH, "settings", off()),
        (Method::DELETE, "settings", Value::Null),
        (Method::PATCH, "settings/four_eyes", json!({ "value": "false" })),
        (Method::DELETE, "settings/four_eyes", Value::Null),
    ];
    for (method, to, body) in tries {
        let refused = ask(method, to, &ann, body).await;
        assert_eq!((refused.status, refused.code()), (403, "scope-missing"), "{refused:?}");
    }
    let zone = ask(Method::PATCH, "settings", &ann, json!({ "settings": { "zone": "UTC" } })).await;
    assert_eq!(zone.status, 200, "{zone:?}");
    let lifted = ask(Method::PATCH, "settings", &root, off()).await;
    assert_eq!(lifted.status, 200, "{lifted:?}");
}

/// Input: an administrator of a workspace, who wants to approve in the place of others; expected: she may demand approvers
/// where nobody demands any, and from then on an operator alone changes them; the members of roles, and who stands in, are
/// an operator's from the start, because the server's policy may name a role.
#[tokio::test(flavor = "multi_thread")]
async fn administrator_alone_names_no_other_approvers() {
    let scene =
        HttpServerFixture::start_on(super::server_fixture::open_sqlite(), HttpServerLimits::default()).await;
    let ann = scene.admin("ann", HOME).await;
    let root = scene.token("root", AccessReach::Everywhere, &[TokenScope::Admin]).await;
    let set = async |token: &str, settings: Value| {
        let read = scene.get(&path("settings"), token).await;
        let request =
            scene.request(Method::PATCH, &path("settings"), token).header("if-match", read.etag.unwrap());
        send_request(json_body(request, &json!({ "settings": settings }))).await
    };
    let roles = || json!({ "roles": "finance: ann" });
    let others = [
        roles(),
        json!({ "away": "bob: ann until 2100-01-01T00:00:00Z" }),
        json!({ "escalate_to": "person:ann" }),
    ];
    for settings in others {
        let refused = set(&ann, settings).await;
        assert_eq!((refused.status, refused.code()), (403, "scope-missing"), "{refused:?}");
    }
    let tightened = set(&ann, json!({ "approvers": "person:bob", "quorum": "1" })).await;
    assert_eq!(tightened.status, 200, "{tightened:?}");
    let same = set(&ann, json!({ "approvers": "person:bob", "zone": "UTC" })).await;
    assert_eq!(same.status, 200, "{same:?}");
    for settings in [json!({ "approvers": "person:ann" }), json!({ "approvers": null })] {
        let refused = set(&ann, settings).await;
        assert_eq!((refused.status, refused.code()), (403, "scope-missing"), "{refused:?}");
    }
    let named = set(&root, roles()).await;
    assert_eq!(named.status, 200, "{named:?}");
}

/// Input: an administrator who writes as a visitor, with the token of a page that he created; expected: his approval
/// does not count under four eyes, and another person's does.
#[tokio::test(flavor = "multi_thread")]
async fn visitor_words_count_as_token_makers() {
    let scene =
        HttpServerFixture::start_on(super::server_fixture::open_sqlite(), HttpServerLimits::default()).await;
    needs_four_eyes(&scene).await;
    let (noe, ann) = (scene.admin("noe", HOME).await, scene.admin("ann", HOME).await);
    let chat = scene.post(&path("sessions"), &noe, json!({ "require_validation": true })).await;
    let session = chat.body["id"].as_str().unwrap();
    let page = json!({
        "person": "visitor", "name": "shop", "scopes": ["read", "chat"], "session": session,
        "origins": ["https://shop.example"],
    });
    let page = scene.post(&path("tokens"), &noe, page).await;
    assert_eq!((page.status, &page.body["made_by"]), (201, &json!("noe")), "{page:?}");
    scene
        .model
        .push_lines([command_request_line("actions", &[("CREATE_ZONE", json!({ "name": "Health" }))])]);
    let said = json!({ "text": "Make the zone Health." });
    let messages = path(&format!("sessions/{session}/messages"));
    let sent = scene.post(&messages, page.body["secret"].as_str().unwrap(), said).await;
    assert_eq!(sent.status, 202, "{sent:?}");
    let waits = until(&scene, &path("approvals"), &noe, |body| !body["items"][0].is_null()).await;
    let card = &waits["items"][0];
    assert_eq!(card["asked_by"], json!(["visitor (by noe)"]));
    let (approval, etag) =
        (card["id"].as_str().unwrap(), format!("\"{}\"", card["digest"].as_str().unwrap()));
    let approve = json!({ "decision": "approve" });
    let refused = scene.decide(approval, &noe, &etag, approve.clone()).await;
    assert_eq!((refused.status, refused.code()), (403, "four-eyes"), "{refused:?}");
    let decided = scene.decide(approval, &ann, &etag, approve).await;
    assert_eq!(decided.status, 200, "{decided:?}");
}

/// Input: a person is removed, and another is added under the same name; expected: a new identity with another author;
/// and no name can be chosen that resembles one of those.
#[tokio::test(flavor = "multi_thread")]
async fn removed_name_becomes_another_identity() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, HttpServerLimits::default()).await;
        let (ann, root) = (
            scene.admin("ann", HOME).await,
            scene.token("root", AccessReach::Everywhere, &[TokenScope::Admin]).await,
        );
        scene.life.chat(true).await;
        let first = scene.post(&path("people"), &root, json!({ "name": "eve" })).await;
        assert_eq!(first.status, 201, "{first:?}");
        let id = first.body["id"].as_str().unwrap();
        let removed = send_request(scene.request(Method::DELETE, &path(&format!("people/{id}")), &ann)).await;
        assert_eq!(removed.status, 204, "{removed:?}");
        let second = scene.post(&path("people"), &root, json!({ "name": "eve" })).await;
        assert_eq!((second.status, &second.body["name"]), (201, &json!("eve (2)")), "{second:?}");
        assert_ne!(second.body["id"], first.body["id"]);
        let known = scene.get(&path(&format!("people/{id}")), &ann).await;
        assert!(known.body["removed_at"].is_string(), "{known:?}");
        for name in ["bob (by ann)", "eve (3)"] {
            let wrong = scene.post(&path("people"), &root, json!({ "name": name })).await;
            assert_eq!((wrong.status, wrong.code()), (422, "invalid"), "{wrong:?}");
        }
    }
}
