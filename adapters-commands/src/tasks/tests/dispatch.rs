//! Dispatched tasks: the request, and the outcome of each response.

use std::sync::Arc;

use entracte_application::ports::{
    CallRequest, CommandExecutor as _, MockUserContextSource, UserContextUnavailable,
};
use entracte_application::settings::UserContext;
use entracte_domain::call::CallOutcome;
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::task::TaskHandle;
use entracte_domain::time::Millis;
use serde_json::{Value, json};

use super::{BOOKS, call, servers};
use crate::egress::fake_peer::{FakeHttpPeer, PeerAction, answer, json as in_json};
use crate::tasks::TaskServerExecutor;

/// The outcome of a call as a line.
fn said(outcome: &CallOutcome) -> String {
    match outcome {
        CallOutcome::Succeeded { content, .. } => format!("done {content}"),
        CallOutcome::Accepted { handle: TaskHandle { remote, poll_after, .. }, .. } => {
            let path =
                remote.as_deref().map(|remote| remote.splitn(4, '/').last().unwrap_or_default().to_owned());
            format!("taken {} {}", path.unwrap_or_default(), poll_after.map_or(-1, |after| after.0 / 1_000))
        }
        CallOutcome::Failed(failure) => {
            format!("{}{} {}", failure.code, if failure.retryable { "!" } else { "" }, failure.message)
        }
        CallOutcome::Lost { .. } => "lost".to_owned(),
        CallOutcome::Probed { happened, .. } => format!("happened {happened:?}"),
        CallOutcome::TimedOut => "timed out".to_owned(),
        CallOutcome::Reported { .. } => "reported".to_owned(),
    }
}

fn context(known: Result<&'static str, &'static str>) -> Arc<MockUserContextSource> {
    let mut source = MockUserContextSource::new();
    source.expect_read().returning(move |_, _| match known {
        Ok(text) => Ok(UserContext::read(text).unwrap()),
        Err(why) => Err(UserContextUnavailable(why.to_owned())),
    });
    Arc::new(source)
}

#[tokio::test]
async fn task_dispatch_is_signed_and_complete() {
    let peer = FakeHttpPeer::new(vec![in_json(202, r#"{"status":"running"}"#)]).await;
    let given = servers(&peer, json!({ "deadline_seconds": 3600 }))
        .with_contexts(vec![context(Ok(r#"{"company":"Dupont SA"}"#))])
        .with_callback_url(Some("https://host/".to_owned()));
    given.run(call()).await;
    let heard = peer.requests().remove(0);
    let (head, body) = heard.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /tasks HTTP"), "{head}");
    let header = |name: &str| {
        let line = head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
        line.unwrap_or_else(|| panic!("{name}: {head}")).to_owned()
    };
    assert_eq!(header("idempotency-key"), "tsk_7Q");
    assert_eq!(
        (header("webhook-id"), header("webhook-timestamp")),
        ("tsk_7Q.d1".into(), "1795343400".into())
    );
    let library = standardwebhooks::Webhook::new(BOOKS).unwrap();
    assert_eq!(
        header("webhook-signature"),
        library.sign("tsk_7Q.d1", 1_795_343_400, body.as_bytes()).unwrap()
    );
    let body: Value = serde_json::from_str(body).unwrap();
    let expected = json!({
        "task_id": "tsk_7Q",
        "task_type": "APBookkeeper",
        "arguments": { "month": "2026-10" },
        "user_context": { "company": "Dupont SA" },
        "author": { "user": "ann", "via": ["Office", "JobManager"] },
        "callback_url": "https://host/v1/callbacks/tsk_7Q",
        "deadline": "2026-11-22T11:30:00Z",
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn second_attempt_dispatches_same_task() {
    let peer = FakeHttpPeer::new(vec![PeerAction::Answer(String::new()), in_json(202, "{}")]).await;
    let given = servers(&peer, json!({ "idempotent": true }));
    assert_eq!(said(&given.run(call()).await), "lost");
    assert_eq!(said(&given.run(CallRequest { attempt: 2, ..call() }).await), "taken  -1");
    let heard = peer.requests();
    assert!(heard.iter().all(|request| request.contains("idempotency-key: tsk_7Q\r\n")), "{heard:?}");
    assert!(heard[1].contains("webhook-id: tsk_7Q.d2\r\n"), "{heard:?}");
}

#[tokio::test]
async fn each_answer_says_what_became_of_a_task() {
    let polled = json!({});
    let query = json!({ "kind": "query" });
    let cases: Vec<(PeerAction, &Value, &str)> = vec![
        (
            in_json(202, r#"{"status":"running","status_url":"/tasks/77","poll_after_s":9}"#),
            &polled,
            "taken tasks/77 9",
        ),
        (in_json(202, r#"{"status":"running","status_url":"http://127.0.0.2/x"}"#), &polled, "taken  -1"),
        (in_json(202, r#"{"status":"completed","result":{}}"#), &polled, "taken  -1"),
        (answer(202, &[], "<html>"), &polled, "taken  -1"),
        (answer(204, &[], ""), &polled, "taken  -1"),
        (
            in_json(200, r#"{"status":"completed","result":{"summary":"15"}}"#),
            &polled,
            r#"done {"summary":"15"}"#,
        ),
        (in_json(200, r#"{"status":"completed","task_id":"tsk_other"}"#), &polled, "taken  -1"),
        (in_json(200, r#"{"status":"failed","error":"no access"}"#), &polled, "TASK_FAILED no access"),
        (in_json(200, r#"{"status":"cancelled"}"#), &polled, "TASK_CANCELLED the task server gave no reason"),
        (answer(400, &[], "what?"), &polled, "HTTP_STATUS the answer has status 400: what?"),
        (answer(401, &[], BOOKS), &polled, "HTTP_STATUS the answer has status 401: [secret]"),
        (answer(307, &["location: http://127.0.0.1/b"], ""), &polled, REDIRECT),
        (answer(408, &[], ""), &polled, "lost"),
        (answer(429, &[], ""), &polled, "lost"),
        (answer(500, &[], ""), &polled, "lost"),
        (
            answer(503, &["retry-after: 7"], ""),
            &query,
            "HTTP_STATUS! the answer has status 503 (Retry-After: 7)",
        ),
        (PeerAction::Answer(String::new()), &polled, "lost"),
    ];
    for (act, declared, expected) in cases {
        let peer = FakeHttpPeer::new(vec![act.clone()]).await;
        assert_eq!(said(&servers(&peer, declared.clone()).run(call()).await), expected, "{act:?}");
        assert_eq!(peer.requests().len(), 1, "nothing is tried again or followed");
    }
}

const REDIRECT: &str = "NOT_CALLED the task server answered with status 307, a redirect, which is not followed; put the \
                        final address into the configuration";

#[tokio::test]
async fn task_with_callback_is_polled_only_after_silence() {
    let act = in_json(202, r#"{"status":"running","status_url":"/tasks/77","poll_after_s":9}"#);
    let peer = FakeHttpPeer::new(vec![act]).await;
    let given = servers(&peer, json!({})).with_callback_url(Some("https://host".to_owned()));
    assert_eq!(said(&given.run(call()).await), "taken tasks/77 600");
}

#[tokio::test]
async fn task_without_key_or_context_is_not_sent() {
    let peer = FakeHttpPeer::new(vec![]).await;
    let refused = async |declared: Value, request: CallRequest| {
        said(&servers(&peer, declared).run(request).await).split(' ').next().unwrap().to_owned()
    };
    assert_eq!(refused(json!({ "secrets": [{ "secret_env": "NOT_SET" }] }), call()).await, "NOT_CONFIGURED");
    assert_eq!(refused(json!({ "secrets": [{ "secret_env": "NO_KEY" }] }), call()).await, "NOT_CONFIGURED");
    assert_eq!(refused(json!({}), CallRequest { task: None, ..call() }).await, "NOT_CALLED");
    let silent: TaskServerExecutor =
        servers(&peer, json!({})).with_contexts(vec![context(Err("it is away"))]);
    assert!(said(&silent.run(call()).await).starts_with("CONTEXT_UNAVAILABLE! "));
    assert!(peer.requests().is_empty());
}

#[tokio::test]
async fn possibly_received_task_is_probed() {
    let cases = [
        (answer(404, &[], ""), "happened Some(false)"),
        (answer(410, &[], ""), "happened Some(false)"),
        (in_json(200, r#"{"status":"running","task_id":"tsk_7Q"}"#), "taken tasks/tsk_7Q 30"),
        (in_json(200, r#"{"status":"completed","result":{}}"#), "done {}"),
        (in_json(200, r#"{"status":"running","task_id":"tsk_other"}"#), "lost"),
        (answer(500, &[], ""), "lost"),
        (PeerAction::Answer(String::new()), "lost"),
    ];
    for (act, expected) in cases {
        let peer = FakeHttpPeer::new(vec![act]).await;
        let declared = json!({ "status_url_template": peer.url("127.0.0.1", "/tasks/{task}") });
        assert_eq!(said(&servers(&peer, declared).probe_outcome(call()).await), expected);
        let heard = peer.requests().remove(0);
        assert!(
            heard.starts_with("GET /tasks/tsk_7Q HTTP") && heard.contains("webhook-signature: v1,"),
            "{heard}"
        );
    }
    let peer = FakeHttpPeer::new(vec![]).await;
    assert_eq!(said(&servers(&peer, json!({})).probe_outcome(call()).await), "lost", "nowhere to ask");
}

#[tokio::test]
async fn omitted_settings_default_to_caution() {
    use CommandKind::{Action, Query};
    use EffectClass::{Idempotent, Once, Probe, Read};
    let peer = FakeHttpPeer::new(vec![]).await;
    let template = peer.url("127.0.0.1", "/tasks/{task}");
    for (declared, expected) in [
        (json!({}), (Action, Once, true, true)),
        (json!({ "destructive": false }), (Action, Once, false, true)),
        (json!({ "idempotent": true }), (Action, Idempotent, true, true)),
        (json!({ "status_url_template": template }), (Action, Probe, true, true)),
        (json!({ "kind": "query" }), (Query, Read, false, false)),
        (json!({ "kind": "query", "approval": true }), (Query, Read, false, true)),
    ] {
        let spec = servers(&peer, declared.clone()).commands().remove(0);
        assert_eq!((spec.kind, spec.effect, spec.destructive, spec.egress), expected, "{declared}");
        let task = spec.task.unwrap();
        assert!(task.is_registered);
        assert_eq!(task.deadline, Millis::hours(24));
    }
}
