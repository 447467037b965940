use entracte_application::ports::{Reach, Scope};
use entracte_domain::id::WorkspaceKey;
use serde_json::{Value, json};

use super::scene::{HOME, Scene, databases};
use entracte_adapters_http::limits::Limits;

fn home() -> Reach {
    Reach::Workspace(WorkspaceKey::new(HOME))
}

#[tokio::test(flavor = "multi_thread")]
async fn second_decider_gets_409() {
    for database in databases() {
        let scene = Scene::on(database, Limits::default()).await;
        let (session, approval) = scene.asks().await;
        let ann = scene.token("ann", home(), &[Scope::Read, Scope::Approve]).await;
        let noe = scene.token("noe", home(), &[Scope::Approve]).await;
        let card = scene.get(&format!("/v1/workspaces/{HOME}/approvals/{approval}"), &ann).await;
        let etag = card.etag.clone().unwrap();
        assert_eq!(etag, format!("\"{}\"", card.body["digest"].as_str().unwrap()));

        let approve = json!({ "decision": "approve" });
        let first = scene.decide(&approval, &ann, &etag, approve.clone()).await;
        assert_eq!((first.status, &first.body["decided_by"]), (200, &json!("ann")), "{first:?}");
        let reject = json!({ "decision": "reject", "reason": "no" });
        let second = scene.decide(&approval, &noe, &etag, reject).await;
        assert_eq!((second.status, second.code()), (409, "already-decided"), "{second:?}");
        assert_eq!(second.body["current"]["decided_by"], "ann");
        assert_eq!(second.body["current"]["decision"], "approved");
        // Whoever says the same again is told the same.
        let again = scene.decide(&approval, &ann, &etag, approve).await;
        assert_eq!((again.status, &again.body["decided_by"]), (200, &json!("ann")), "{again:?}");
        scene.life.verify(&session).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_is_bound_to_the_card_that_was_read() {
    let scene = Scene::new().await;
    let (session, approval) = scene.asks().await;
    let ann = scene.admin("ann", HOME).await;
    let before = scene.journal(&session).await;
    let path = format!("/v1/workspaces/{HOME}/approvals/{approval}/decision");
    let approve = json!({ "decision": "approve" });
    let blind = scene.post(&path, &ann, approve.clone()).await;
    assert_eq!((blind.status, blind.code()), (428, "precondition-required"));
    for (etag, status) in [("*", 428), ("\"of another card\"", 412)] {
        let refused = scene.decide(&approval, &ann, etag, approve.clone()).await;
        assert_eq!(refused.status, status, "{refused:?}");
        if status == 412 {
            assert_eq!(refused.code(), "changed");
            assert_eq!(refused.body["current"]["id"], json!(approval));
        }
    }
    assert_eq!(scene.journal(&session).await, before, "nothing was decided");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_has_all_that_it_is_decided_by() {
    let scene = Scene::new().await;
    let (_, approval) = scene.asks().await;
    let ann = scene.admin("ann", HOME).await;
    let listed = scene.get(&format!("/v1/workspaces/{HOME}/approvals"), &ann).await;
    let card = scene.get(&format!("/v1/workspaces/{HOME}/approvals/{approval}"), &ann).await.body;
    assert_eq!(listed.body["items"], json!([card]));
    assert_eq!(card["command"], "zones.create");
    assert_eq!(card["arguments"], json!({ "name": "Health" }));
    assert_eq!(card["arguments_text"], r#"{"name":"Health"}"#);
    assert_eq!(card["effect"], "local");
    assert_eq!(card["requester"], "ann");
    assert_eq!(card["marks"], json!([]));
    for field in ["digest", "says", "asked_at", "expires_at"] {
        assert!(card[field].as_str().is_some_and(|text| !text.is_empty()), "{field}");
    }
    assert_eq!(card["reasons"][0]["level"], "session");
}

/// Two people, one chat: what one of them asks for and the other approves happens once, and says who did what.
#[tokio::test(flavor = "multi_thread")]
async fn a_chat_is_approved_over_http_and_its_effect_happens_once() {
    for database in databases() {
        let scene = Scene::on(database, Limits::default()).await;
        let ann = scene.token("ann", home(), &[Scope::Read, Scope::Chat]).await;
        let noe = scene.token("noe", home(), &[Scope::Read, Scope::Approve]).await;
        let home = format!("/v1/workspaces/{HOME}");
        let new = json!({ "name": "zones", "require_validation": true });
        let chat = scene.post(&format!("{home}/sessions"), &ann, new).await;
        assert_eq!(chat.status, 201, "{chat:?}");
        let session = chat.body["id"].as_str().unwrap().to_owned();

        let zone = ("CREATE_ZONE", json!({ "name": "Health" }));
        scene.model.will([entracte_tests::stage::asks("actions", &[zone])]);
        let message = json!({ "text": "Make the zone Health.", "client_key": "k1" });
        let messages = format!("{home}/sessions/{session}/messages");
        let sent = scene.post(&messages, &ann, message.clone()).await;
        assert_eq!(sent.status, 202, "{sent:?}");
        let again = scene.post(&messages, &ann, message).await;
        assert_eq!(again.body["message"], sent.body["message"], "the same key is the same message");

        let approvals = format!("{home}/approvals");
        let waits = until(&scene, &approvals, &noe, |body| !body["items"][0].is_null()).await;
        let card = &waits["items"][0];
        let (approval, digest) = (card["id"].as_str().unwrap(), card["digest"].as_str().unwrap());
        let approve = json!({ "decision": "approve" });
        let mine = scene.decide(approval, &ann, &format!("\"{digest}\""), approve.clone()).await;
        assert_eq!((mine.status, mine.code()), (403, "scope-missing"));
        let decided = scene.decide(approval, &noe, &format!("\"{digest}\""), approve).await;
        assert_eq!(decided.status, 200, "{decided:?}");

        let calls = format!("{home}/sessions/{session}/calls");
        let calls = until(&scene, &calls, &ann, |body| body["items"][0]["state"] == "succeeded").await;
        assert_eq!(calls["items"][0]["decided_by"], "noe");
        let zones = scene.post(&format!("{home}/commands/zones.list/runs"), &ann, json!({})).await;
        assert_eq!(zones.body.to_string().matches("\"Health\"").count(), 1, "{zones:?}");
        let said = scene.get(&messages, &ann).await;
        let first = said.body["items"].as_array().unwrap().last().unwrap().clone();
        assert_eq!((&first["role"], &first["author"]), (&json!("user"), &json!("ann")));
    }
}

/// Asks again until it is so.
async fn until(scene: &Scene, path: &str, token: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..500 {
        let told = scene.get(path, token).await;
        assert_eq!(told.status, 200, "{told:?}");
        if is_so(&told.body) {
            return told.body;
        }
        scene.life.follow().pause().await;
    }
    panic!("{path} never came to it")
}
