//! Effect classes, and outcomes that are lost on the wire.

use std::sync::Arc;

use entracte_application::commands::Catalog;
use entracte_application::ports::{CallRequest, CommandExecutor};
use entracte_domain::call::CallOutcome;
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::time::Millis;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::{NOBODY, call, config, content, failure, is_lost, run, texts, tools};
use crate::egress::fake_peer::{FakeHttpPeer, PeerAction, answer, json as in_json};

fn probe(peer: &FakeHttpPeer) -> Value {
    json!({
        "method": "POST", "effect": "probe", "idempotency_header": "X-Reference",
        "ask": {
            "url": peer.url("127.0.0.1", "/orders?ref={call.key}"),
            "pointer": "/0/ref", "equals": "{call.key}", "not_found_is_no": true,
        },
    })
}

#[tokio::test]
async fn omitted_settings_default_to_caution() {
    let peer = FakeHttpPeer::new(vec![]).await;
    let spec = |declared: Value| tools(&peer, declared).commands().remove(0);
    let terms = |declared| {
        let spec = spec(declared);
        (spec.kind, spec.effect, spec.independent, spec.destructive, spec.egress)
    };
    use CommandKind::{Action, Query};
    use EffectClass::{Idempotent, Once, Probe, Read};
    for (declared, expected) in [
        (json!({}), (Query, Read, true, false, false)),
        (json!({"method": "HEAD"}), (Query, Read, true, false, false)),
        (json!({"method": "POST"}), (Action, Once, false, true, true)),
        (json!({"method": "DELETE"}), (Action, Once, false, true, true)),
        (json!({"method": "POST", "destructive": false}), (Action, Once, false, false, true)),
        (json!({"method": "POST", "kind": "query"}), (Query, Read, true, false, false)),
        (json!({"kind": "action", "independent": true}), (Action, Once, true, true, true)),
        (
            json!({"method": "PUT", "effect": "idempotent", "idempotency_header": "K"}),
            (Action, Idempotent, false, true, true),
        ),
        (probe(&peer), (Action, Probe, false, true, true)),
    ] {
        assert_eq!(terms(declared.clone()), expected, "{declared}");
    }
    let keyed = spec(json!({
        "method": "PUT", "effect": "idempotent", "idempotency_header": "K", "key_lifetime_seconds": 60,
        "timeout_seconds": 7,
    }));
    assert_eq!((keyed.key_lifetime, keyed.settle), (Millis::seconds(60), Millis(0)));
    assert_eq!((keyed.timeout, keyed.word.as_str()), (Some(Millis::seconds(7)), "PEER_CALL"));
    assert_eq!(spec(probe(&peer)).settle, Millis::seconds(10));
    let executor: Arc<dyn CommandExecutor> = Arc::new(tools(&peer, json!({})));
    assert!(Catalog::new(&[executor]).unwrap().find("PEER_CALL").is_some());
}

#[tokio::test]
async fn second_attempt_has_same_idempotency_key() {
    let peer = FakeHttpPeer::new(vec![PeerAction::Answer(String::new()), in_json(200, "{}")]).await;
    let tools = tools(
        &peer,
        json!({"method": "POST", "effect": "idempotent", "idempotency_header": "Idempotency-Key"}),
    );
    assert!(is_lost(&tools.run(call("{}")).await));
    content(tools.run(CallRequest { attempt: 2, ..call("{}") }).await);
    let heard = peer.requests();
    assert_eq!(heard.len(), 2, "no attempt of its own");
    assert!(heard.iter().all(|request| request.contains("idempotency-key: key-1\r\n")), "{heard:?}");
}

#[tokio::test]
async fn unsent_action_is_sent_once_more() {
    let attempts = async |declared: Value, wait: &str| {
        let busy = || answer(429, &[&format!("retry-after: {wait}")], "");
        let peer = FakeHttpPeer::new(vec![busy(), in_json(200, "{}")]).await;
        run(&peer, declared, "{}").await;
        peer.requests().len()
    };
    assert_eq!(attempts(json!({"method": "POST"}), "0").await, 2);
    // Longer than the limit, and calls that their session repeats.
    assert_eq!(attempts(json!({"method": "POST"}), "11").await, 1);
    assert_eq!(attempts(json!({}), "0").await, 1);
    let key = json!({"method": "POST", "effect": "idempotent", "idempotency_header": "Idempotency-Key"});
    assert_eq!(attempts(key, "0").await, 1);
}

#[tokio::test]
async fn probe_decides_whether_action_happened() {
    let asked = async |act: PeerAction| {
        let peer = FakeHttpPeer::new(vec![act]).await;
        let outcome = tools(&peer, probe(&peer)).probe_outcome(call("{}")).await;
        let heard = peer.requests().remove(0);
        assert!(heard.starts_with("GET /orders?ref=key-1 HTTP"), "{heard}");
        outcome
    };
    let said = async |act| match asked(act).await {
        CallOutcome::Probed { happened, content, .. } => (happened, content),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        said(in_json(200, r#"[{"ref": "key-1"}]"#)).await,
        (Some(true), r#"[{"ref":"key-1"}]"#.to_owned())
    );
    assert_eq!(said(in_json(200, "[]")).await, (Some(false), String::new()));
    assert_eq!(said(in_json(200, r#"[{"ref": "key-2"}]"#)).await, (Some(false), String::new()));
    assert_eq!(said(answer(404, &[], "")).await, (Some(false), String::new()));
    for act in [answer(500, &[], ""), answer(200, &[], "<html>"), PeerAction::Answer(String::new())] {
        assert!(is_lost(&asked(act).await), "no answer to the question is no answer");
    }
}

/// Input: amounts that are spelled in two ways, and that only differ beyond machine numbers; expected: values count.
#[tokio::test]
async fn probe_compares_numbers_by_value() {
    let happened = async |wanted: &str, answered: &str| {
        let peer = FakeHttpPeer::new(vec![in_json(200, answered)]).await;
        let mut declared = probe(&peer);
        declared["ask"]["pointer"] = json!("/paid");
        declared["ask"]["equals"] = serde_json::from_str(wanted).unwrap();
        match tools(&peer, declared).probe_outcome(call("{}")).await {
            CallOutcome::Probed { happened, .. } => happened,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(happened("72.5", r#"{"paid":72.50}"#).await, Some(true));
    assert_eq!(happened("100", r#"{"paid":100.00000000000000000001}"#).await, Some(false));
}

#[tokio::test]
async fn action_without_probe_is_lost() {
    let peer = FakeHttpPeer::new(vec![]).await;
    for declared in [json!({}), json!({"method": "POST"})] {
        assert!(is_lost(&tools(&peer, declared).probe_outcome(call("{}")).await));
    }
    assert!(peer.requests().is_empty());
}

#[tokio::test]
async fn probe_404_counts_only_if_configured() {
    let peer = FakeHttpPeer::new(vec![answer(404, &[], "")]).await;
    let mut declared = probe(&peer);
    declared["ask"]["not_found_is_no"] = json!(false);
    assert!(is_lost(&tools(&peer, declared).probe_outcome(call("{}")).await));
}

#[tokio::test]
async fn action_is_lost_only_if_possibly_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let gone = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    for method in ["GET", "POST"] {
        let peer = FakeHttpPeer::new(vec![]).await;
        let failure = failure(run(&peer, json!({"method": method, "url": gone}), "{}").await);
        assert_eq!((failure.code.as_str(), failure.retryable), ("UNREACHABLE", true), "{method}");
        assert!(failure.message.contains("cannot be reached"), "{failure:?}");
    }
    for said in ["", "HTTP/1.1 200 So\r\ncontent-length: 9\r\n\r\nhal"] {
        let cut = || PeerAction::Answer(said.to_owned());
        let peer = FakeHttpPeer::new(vec![cut(), cut(), cut()]).await;
        assert!(is_lost(&run(&peer, json!({"method": "POST"}), "{}").await));
        assert!(is_lost(&run(&peer, json!({"kind": "action"}), "{}").await));
        let failure = failure(run(&peer, json!({}), "{}").await);
        assert_eq!((failure.code.as_str(), failure.retryable), ("UNREACHABLE", true));
    }
}

#[tokio::test]
async fn only_307_and_308_prove_action_not_done() {
    let peer = FakeHttpPeer::new(vec![
        answer(307, &["location: /b"], ""),
        answer(303, &["location: http://10.0.0.1/"], ""),
    ])
    .await;
    let post = json!({"method": "POST"});
    let elsewhere = failure(run(&peer, post.clone(), "{}").await);
    assert_eq!((elsewhere.code.as_str(), elsewhere.retryable), ("NOT_CALLED", false));
    assert!(is_lost(&run(&peer, post, "{}").await), "a 303 comes after the act");
    assert_eq!(peer.requests().len(), 2);
}

#[tokio::test]
async fn redirected_action_with_other_status_is_lost() {
    let post = || json!({"method": "POST"});
    for (status, then) in [(303, 404), (303, 500), (303, 429)] {
        let peer =
            FakeHttpPeer::new(vec![answer(status, &["location: /done"], ""), answer(then, &[], "no page")])
                .await;
        assert!(is_lost(&run(&peer, post(), "{}").await), "{status}, then {then}");
    }
    for status in [301, 302] {
        let peer = FakeHttpPeer::new(vec![answer(status, &["location: /done"], "")]).await;
        assert!(is_lost(&run(&peer, post(), "{}").await), "{status}");
    }
    // A query is simply repeated.
    let peer = FakeHttpPeer::new(vec![answer(302, &["location: /there"], ""), answer(404, &[], "")]).await;
    assert_eq!(failure(run(&peer, json!({}), "{}").await).code, "HTTP_STATUS");
}

#[tokio::test]
async fn dropped_call_closes_connection() {
    let mut peer = FakeHttpPeer::new(vec![PeerAction::Stall(String::new())]).await;
    let tools = tools(&peer, json!({"method": "POST"}));
    tokio::select! {
        outcome = tools.run(call("{}")) => panic!("{outcome:?}"),
        () = peer.wait_for_request() => (),
    }
    peer.other_side_closed().await;
}

#[tokio::test]
async fn slow_call_times_out_and_closes_connection() {
    let mut peer = FakeHttpPeer::new(vec![PeerAction::Stall("HTTP/1.1 200 So\r\n".to_owned())]).await;
    let outcome = run(&peer, json!({"method": "POST", "timeout_seconds": 1}), "{}").await;
    assert_eq!(outcome, CallOutcome::TimedOut);
    peer.other_side_closed().await;
}

#[tokio::test]
async fn description_shows_request_and_destination() {
    let peer = FakeHttpPeer::new(vec![]).await;
    let declared = json!({
        "method": "POST", "body": "json", "url": peer.url("127.0.0.1", "/n/{id}"),
        "arguments": texts(&["id", "text"]),
    });
    let tool = super::HttpTool::new(config(&peer, declared)).unwrap();
    let told = tool.describe(&call(r#"{"id":"a b","text":"one\ntwo"}"#), NOBODY);
    let host = peer.address;
    assert_eq!(told.says, format!("POST http://{host}/n/a%20b"));
    assert_eq!(told.after, vec![("text".to_owned(), "one two".to_owned())]);
    let warnings =
        [format!("sends data out of the workspace, to {host}"), "the connection is not encrypted".to_owned()];
    assert_eq!(told.warnings, warnings);
    let told = tool.describe(&call(r#"{"id":"..","text":""}"#), NOBODY);
    assert_eq!(told.says, format!("POST http://{host}/n/{{id}}"));
    assert!(told.warnings[0].contains("“id” would lead to another path"), "{told:?}");
}
