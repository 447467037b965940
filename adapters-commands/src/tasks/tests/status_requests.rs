//! Accepted tasks: polling, cancelling, callbacks.

use entracte_application::ports::{CallbackVerifier as _, SignedMessage, TaskGateway as _};
use entracte_domain::task::TaskUpdate;
use serde_json::json;

use super::{BOOKS, NOW, OTHER, about, config, egress, servers};
use crate::egress::fake_peer::{FakeHttpPeer, PeerAction, answer, json as in_json};
use crate::tasks::TaskServerExecutor;

fn said(arrival: &TaskUpdate) -> String {
    match arrival {
        TaskUpdate::Final { outcome, content, .. } => format!("{}: {content}", outcome.word()),
        TaskUpdate::Progress { text, poll_after, .. } => {
            format!("progress {text} {}", poll_after.map_or(-1, |after| after.0))
        }
        TaskUpdate::CancelAnswered(answer) => answer.word().to_owned(),
        other => format!("{other:?}"),
    }
}

#[tokio::test]
async fn poll_is_signed_and_each_response_mapped() {
    let cases = [
        (
            in_json(200, r#"{"status":"running","progress":"3 of 15","poll_after_s":9}"#),
            "progress 3 of 15 9000",
        ),
        (
            in_json(200, r#"{"status":"completed","result":{"summary":"15"}}"#),
            r#"completed: {"summary":"15"}"#,
        ),
        (in_json(200, r#"{"status":"failed","error":"no"}"#), "failed: no"),
        (in_json(200, r#"{"status":"expired"}"#), "failed: "),
        (in_json(200, r#"{"status":"cancelled"}"#), "cancelled: "),
        (in_json(200, r#"{"status":"completed","task_id":"tsk_other"}"#), "Unreachable"),
        (answer(404, &[], ""), "Gone"),
        (answer(410, &[], ""), "Gone"),
        (answer(307, &["location: http://127.0.0.1/b"], ""), "Unreachable"),
        (answer(200, &[], "<html>"), "Unreachable"),
        (answer(500, &[], ""), "Unreachable"),
        (PeerAction::Answer(String::new()), "Unreachable"),
    ];
    for (act, expected) in cases {
        let peer = FakeHttpPeer::new(vec![act]).await;
        let remote = peer.url("127.0.0.1", "/tasks/77");
        let heard = servers(&peer, json!({})).poll(about(Some(remote))).await;
        assert_eq!(said(&heard), expected);
        let request = peer.requests().remove(0);
        assert!(request.starts_with("GET /tasks/77 HTTP"), "{request}");
        let id = format!("tsk_7Q.p{}", NOW.0);
        let library = standardwebhooks::Webhook::new(BOOKS).unwrap();
        let signature = library.sign(&id, NOW.0 / 1_000_000, b"").unwrap();
        assert!(request.contains(&format!("webhook-id: {id}\r\n")), "{request}");
        assert!(request.contains(&format!("webhook-signature: {signature}\r\n")), "{request}");
    }
}

#[tokio::test]
async fn each_cancel_response_is_mapped() {
    let cases = [
        (answer(200, &[], ""), "confirmed"),
        (answer(204, &[], ""), "confirmed"),
        (in_json(200, r#"{"status":"cancelled"}"#), "confirmed"),
        (
            in_json(200, r#"{"status":"completed","result":{"summary":"15"}}"#),
            r#"completed: {"summary":"15"}"#,
        ),
        (answer(202, &[], ""), "pending"),
        (answer(404, &[], ""), "unconfirmed"),
        (answer(500, &[], ""), "unconfirmed"),
        (PeerAction::Answer(String::new()), "unconfirmed"),
    ];
    for (act, expected) in cases {
        let peer = FakeHttpPeer::new(vec![act]).await;
        let remote = peer.url("127.0.0.1", "/tasks/77");
        assert_eq!(said(&servers(&peer, json!({})).cancel(about(Some(remote))).await), expected);
        assert!(peer.requests()[0].starts_with("DELETE /tasks/77 HTTP"));
    }
}

#[tokio::test]
async fn what_cannot_be_asked_is_said_and_nothing_is_sent() {
    let peer = FakeHttpPeer::new(vec![]).await;
    let known = servers(&peer, json!({}));
    assert_eq!(said(&known.poll(about(None)).await), "Unreachable");
    assert_eq!(said(&known.cancel(about(None)).await), "unconfirmed");
    assert_eq!(said(&known.poll(about(Some("http://127.0.0.2:1/x".into()))).await), "Unreachable");
    let forgotten =
        TaskServerExecutor::new(Vec::new(), egress(), std::sync::Arc::new(super::TaskSecretStoreFixture))
            .unwrap();
    assert_eq!(said(&forgotten.cancel(about(Some("/x".into()))).await), "unconfirmed");
    assert!(peer.requests().is_empty());
}

/// Input: a callback and its signature; expected: only the executor's own secrets verify it.
#[test]
fn a_callback_is_proved_by_the_secrets_of_its_own_task() {
    let url = "https://books.example/tasks";
    let banker = json!({ "name": "bank.pay", "secrets": [{ "secret_env": "BANK" }] });
    let rotating =
        json!({ "name": "books.open", "secrets": [{ "secret_env": "BANK" }, { "secret_env": "BOOKS" }] });
    let unset = json!({ "name": "books.lost", "secrets": [{ "secret_env": "NOT_SET" }] });
    let all = [json!({}), banker, rotating, unset].map(|declared| config(url, declared));
    let servers =
        TaskServerExecutor::new(all.into(), egress(), std::sync::Arc::new(super::TaskSecretStoreFixture))
            .unwrap();
    let message = |secret: &str| {
        let library = standardwebhooks::Webhook::new(secret).unwrap();
        let signature = library.sign("msg_1", NOW.0 / 1_000_000, b"{}").unwrap();
        let timestamp = (NOW.0 / 1_000_000).to_string();
        SignedMessage { id: "msg_1".into(), timestamp, signature, body: b"{}".to_vec() }
    };
    let proves = |command: &str, secret: &str| servers.verify(Some(command.into()), &message(secret), NOW);
    assert!(proves("books.close", BOOKS));
    assert!(!proves("books.close", OTHER), "the secret of another task");
    assert!(proves("bank.pay", OTHER));
    assert!(
        proves("books.open", BOOKS) && proves("books.open", OTHER),
        "both count while they are exchanged"
    );
    assert!(!proves("books.lost", BOOKS), "a secret that cannot be read proves nothing");
    assert!(!proves("books.unknown", BOOKS));
    assert!(!servers.verify(None, &message(BOOKS), NOW), "nobody");
}
