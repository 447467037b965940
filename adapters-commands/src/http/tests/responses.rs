//! The content a model receives for each response.

use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_application::ports::{CommandExecutor as _, MockFileStore, MockImageConverter};
use entracte_application::settings::FileSettings;
use entracte_domain::call::CallOutcome;
use serde_json::{Value, json};

use super::{SECRET, call, content, failure, run, texts, tools};
use crate::egress::fake_peer::{FakeHttpPeer, PeerAction, answer, json as in_json};
use crate::result_files::ResultFiles;

fn weather() -> Value {
    json!({
        "arguments": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "number"}, "note": {"type": "string"}},
            "required": ["city"],
            "additionalProperties": false,
        },
        "headers": {
            "authorization": {"secret_env": "WEATHER_KEY", "prefix": "Bearer "},
            "x-from": "entracte",
        },
    })
}

fn with(mut declared: Value, more: Value) -> Value {
    for (key, value) in more.as_object().unwrap() {
        declared[key] = value.clone();
    }
    declared
}

#[tokio::test]
async fn arguments_fill_url_and_response_keeps_digits() {
    let peer = FakeHttpPeer::new(vec![in_json(200, "{\"degrees\": 21.50,\n \"wind\": 1e3}")]).await;
    let url = peer.url("127.0.0.1", "/of/{city}?days={days}&note={note}");
    let declared = with(weather(), json!({"url": url}));
    let outcome = run(&peer, declared, r#"{"city":"Zürich/é?","days":3.0}"#).await;
    assert_eq!(content(outcome), r#"{"degrees":21.50,"wind":1e3}"#);
    let heard = peer.requests().remove(0);
    assert!(heard.starts_with("GET /of/Z%C3%BCrich%2F%C3%A9%3F?days=3.0&note= HTTP/1.1\r\n"), "{heard}");
    assert!(heard.contains(&format!("authorization: Bearer {SECRET}\r\n")), "{heard}");
    assert!(heard.contains("x-from: entracte\r\n"), "{heard}");
}

#[tokio::test]
async fn remaining_arguments_become_body() {
    let peer = FakeHttpPeer::new(vec![in_json(201, "{}")]).await;
    let declared = json!({
        "method": "PUT", "body": "json", "url": peer.url("127.0.0.1", "/n/{id}"),
        "arguments": {
            "type": "object",
            "properties": {"id": {"type": "string"}, "weight": {"type": "number"}, "tags": {"type": "array"}},
            "required": ["id"], "additionalProperties": false,
        },
    });
    content(run(&peer, declared, r#"{"weight":72.50,"id":"a","tags":["x"]}"#).await);
    let heard = peer.requests().remove(0);
    assert!(
        heard.starts_with("PUT /n/a HTTP") && heard.contains("content-type: application/json"),
        "{heard}"
    );
    assert!(heard.ends_with("\r\n\r\n{\"weight\":72.50,\"tags\":[\"x\"]}"), "{heard}");
}

#[tokio::test]
async fn path_changing_value_is_refused_before_sending() {
    let peer = FakeHttpPeer::new(vec![]).await;
    let declared = json!({"url": peer.url("127.0.0.1", "/of/{city}/now"), "arguments": texts(&["city"])});
    for city in ["..", ".", ""] {
        let failure = failure(run(&peer, declared.clone(), &json!({"city": city}).to_string()).await);
        assert_eq!((failure.code.as_str(), failure.path.as_deref()), ("INVALID_ARGUMENTS", Some("/city")));
    }
    assert!(peer.requests().is_empty());
}

#[tokio::test]
async fn text_is_returned_and_binary_is_described() {
    let of = async |headers: &[&str], body: &str| {
        let peer = FakeHttpPeer::new(vec![answer(200, headers, body)]).await;
        run(&peer, json!({}), "{}").await
    };
    assert_eq!(content(of(&["content-type: text/plain; charset=utf-8"], "21°\nfine").await), "21°\nfine");
    assert_eq!(content(of(&["content-type: application/problem+json"], "[1, 2]").await), "[1,2]");
    assert_eq!(content(of(&[], "plain").await), "plain");
    let repeated = content(of(&["content-type: application/json"], "{\"a\": 1, \"a\": 2}").await);
    let told = "(this is not valid JSON: the name “a” stands twice (line 1, column 15, at /a))";
    assert_eq!(repeated, format!("{{\"a\": 1, \"a\": 2}} {told}"));
    assert_eq!(content(of(&["content-type: image/png"], "").await), "status 200, no content");
    for (headers, words) in [
        (["content-type: image/png"], "“image/png” (5 bytes), not text"),
        (["content-type: application/octet-stream"], "“application/octet-stream” (5 bytes)"),
        (["content-encoding: gzip"], "encoded as “gzip”"),
    ] {
        let failure = failure(of(&headers, "bytes").await);
        assert!(failure.code == "BAD_ANSWER" && failure.message.contains(words), "{failure:?}");
    }
}

#[tokio::test]
async fn response_violating_schema_fails_with_path() {
    let result = json!({"type": "object", "properties": {"list": {"items": {"type": "number"}}}, "required": ["list"]});
    let of = async |body: &str| {
        let peer = FakeHttpPeer::new(vec![in_json(200, body)]).await;
        run(&peer, json!({"result": result}), "{}").await
    };
    assert_eq!(content(of(r#"{"list":[1]}"#).await), r#"{"list":[1]}"#);
    let unfit = failure(of(r#"{"list":[1,"two"]}"#).await);
    assert_eq!((unfit.code.as_str(), unfit.path.as_deref()), ("BAD_ANSWER", Some("/list/1")));
    assert!(failure(of("<html>").await).message.contains("it is not valid JSON"));
}

#[tokio::test]
async fn completed_action_succeeds_despite_unusable_response() {
    let big = format!("HTTP/1.1 200 So\r\ncontent-length: {}\r\n\r\n", 2 << 20);
    for act in
        [answer(200, &["content-type: image/png"], "bytes"), in_json(200, "{}"), PeerAction::Stall(big)]
    {
        let peer = FakeHttpPeer::new(vec![act]).await;
        let declared = json!({"method": "POST", "result": {"required": ["id"]}});
        let content = content(run(&peer, declared, "{}").await);
        assert!(content.starts_with("It was done (status 200)"), "{content}");
    }
}

#[tokio::test]
async fn each_status_has_its_outcome() {
    let of = async |method: &str, status: u16| {
        let peer = FakeHttpPeer::new(vec![answer(status, &["retry-after: 30"], "no\u{1b}[2K\nway")]).await;
        run(&peer, json!({"method": method}), "{}").await
    };
    for status in [400, 401, 403, 404, 409, 422, 300, 304] {
        let failure = failure(of("POST", status).await);
        assert_eq!((failure.code.as_str(), failure.retryable), ("HTTP_STATUS", false), "{status}");
    }
    for status in [408, 429, 500, 503] {
        let failure = failure(of("POST", status).await);
        assert_eq!((failure.code.as_str(), failure.retryable), ("HTTP_STATUS", true), "{status}");
    }
    assert_eq!(
        failure(of("GET", 429).await).message,
        "the answer has status 429 (Retry-After: 30): no⟨U+001B⟩[2K way"
    );
    // A gateway that lost the response does not know whether the action happened.
    for status in [502, 504, 520, 524] {
        assert!(failure(of("GET", status).await).retryable);
        assert!(super::is_lost(&of("POST", status).await));
    }
    let peer = FakeHttpPeer::new(vec![answer(404, &[], &"é".repeat(9000))]).await;
    let message = failure(run(&peer, json!({}), "{}").await).message;
    assert!(message.ends_with("… (7000 more characters were cut off)"), "{message}");
}

#[tokio::test]
async fn echoed_secret_is_scrubbed() {
    let quoted = serde_json::Value::from(SECRET).to_string();
    let escaped = r#"{"said": "\u0068ush/hush/\"1", "hush/hush/\"1": 1}"#;
    let acts = [
        answer(200, &["content-type: text/plain"], &format!("Bearer {SECRET}!")),
        in_json(200, &format!("{{\"said\": {quoted}}}")),
        in_json(200, escaped),
        answer(401, &[], &format!("{}{SECRET}", "x".repeat(1995))),
        answer(429, &[&format!("retry-after: {SECRET}")], ""),
        in_json(200, &format!("{{\"list\": {quoted}}}")),
    ];
    for (index, act) in acts.into_iter().enumerate() {
        let peer = FakeHttpPeer::new(vec![act]).await;
        let schema = if index == 5 { json!({"properties": {"list": {"type": "number"}}}) } else { json!({}) };
        let declared =
            with(weather(), json!({"url": peer.url("127.0.0.1", "/{city}{days}{note}"), "result": schema}));
        let declared = if index == 0 || index == 3 || index == 4 {
            with(declared, json!({"result": null}))
        } else {
            declared
        };
        let declared = with(declared, json!({"arguments": texts(&["city", "days", "note"])}));
        let outcome = run(&peer, declared, r#"{"city":"a","days":"b","note":"c"}"#).await;
        assert!(peer.requests()[0].contains(SECRET), "it was sent");
        let shown = format!("{outcome:?}");
        assert!(!shown.contains("hush") && shown.contains("[secr"), "{shown}");
    }
}

#[tokio::test]
async fn missing_secret_fails_call() {
    let peer = FakeHttpPeer::new(vec![]).await;
    let declared = json!({"headers": {"x-key": {"secret_env": "NOT_SET"}}});
    let failure = failure(run(&peer, declared, "{}").await);
    assert_eq!((failure.code.as_str(), failure.retryable), ("NOT_CONFIGURED", false));
    assert!(failure.message.contains("export NOT_SET=…"), "{failure:?}");
    assert!(peer.requests().is_empty());
}

#[tokio::test]
async fn long_response_is_cut_at_configured_length() {
    let peer = FakeHttpPeer::new(vec![answer(200, &[], "ééééé"), answer(200, &[], "ééé")]).await;
    let declared = json!({"max_answer_chars": 3});
    assert_eq!(content(run(&peer, declared.clone(), "{}").await), "ééé… (2 more characters were cut off)");
    assert_eq!(content(run(&peer, declared, "{}").await), "ééé");
}

#[tokio::test]
async fn disallowed_host_is_not_called() {
    let peer = FakeHttpPeer::new(vec![]).await;
    let outcome = run(&peer, json!({"url": "http://10.0.0.1/", "method": "POST"}), "{}").await;
    let CallOutcome::Failed(failure) = outcome else { panic!("{outcome:?}") };
    assert_eq!((failure.code.as_str(), failure.retryable), ("NOT_CALLED", false));
    assert!(failure.message.ends_with(r#"tools.http.allow = ["10.0.0.1"]"#), "{failure:?}");
}

#[tokio::test]
async fn french_workspace_gets_french_failure_text() {
    let french = |arguments: &str| {
        let mut request = call(arguments);
        request.locale.language = entracte_application::settings::Language::Fr;
        request
    };
    let of = async |declared: Value, arguments: &str, acts: Vec<PeerAction>| {
        let peer = FakeHttpPeer::new(acts).await;
        failure(tools(&peer, declared).run(french(arguments)).await).message
    };
    let busy = answer(429, &["retry-after: 30"], "no way");
    assert_eq!(
        of(json!({}), "{}", vec![busy]).await,
        "la réponse a le statut 429 (Retry-After\u{a0}: 30)\u{a0}: no way"
    );
    let private = json!({"url": "http://10.0.0.1/"});
    assert_eq!(
        of(private, "{}", vec![]).await,
        "«\u{a0}10.0.0.1\u{a0}» n’a pas été appelé\u{a0}: son adresse 10.0.0.1 est une adresse privée\u{a0}; pour l’autoriser, écrivez \
         tools.http.allow = [\"10.0.0.1\"]"
    );
    let keyed = json!({"headers": {"x": {"secret_env": "NOT_SET"}}});
    assert_eq!(
        of(keyed, "{}", vec![]).await,
        "l’en-tête «\u{a0}x\u{a0}» ne peut pas être envoyé\u{a0}: la variable d’environnement NOT_SET n’est pas définie\u{a0}; \
         définissez-la\u{a0}: export NOT_SET=…"
    );
    let place = json!({"url": "http://127.0.0.1:1/{city}", "arguments": texts(&["city"])});
    let empty = of(place, r#"{"city": ""}"#, vec![]).await;
    assert!(empty.starts_with("l’argument «\u{a0}city\u{a0}» est vide"), "{empty}");
}

/// Input: a PDF as the answer of a query, within the limits, above one, and for a tool that declares JSON; expected: a file
/// that is named after the address without its query, the limit with its setting, and no file.
#[tokio::test]
async fn pdf_answer_is_a_file() {
    let pdf = || answer(200, &["content-type: application/pdf"], "%PDF-1.4\n1 0 obj<</Type/Page>>endobj\n");
    let peer = FakeHttpPeer::new(vec![pdf(), pdf(), pdf()]).await;
    let declared = json!({"url": peer.url("127.0.0.1", "/of/report.pdf?sig=k1")});
    let with_files = |declared: Value, limits: FileSettings, taken: usize| {
        let mut store = MockFileStore::new();
        store.expect_session_files().returning(|_, _| Ok(BTreeMap::new()));
        store.expect_delete_unnamed_files().returning(|_, _| Ok(0));
        store.expect_unnamed_file_bytes().returning(|_| Ok(0));
        store.expect_put_file().times(taken).returning(|_, _, _| Ok(()));
        tools(&peer, declared).with_files(Some(ResultFiles {
            store: Arc::new(store),
            images: Arc::new(MockImageConverter::new()),
            limits,
        }))
    };

    let shown = with_files(declared.clone(), FileSettings::default(), 1).run(call("{}")).await;
    let CallOutcome::Succeeded { content, files, .. } = shown else { panic!("{shown:?}") };
    assert_eq!(content, "status 200; the answer is this file:");
    let [file] = &files[..] else { panic!("{files:?}") };
    assert_eq!((file.name.as_str(), file.media_type.as_str()), ("report.pdf", "application/pdf"));

    let small = FileSettings { max_bytes: 10, ..FileSettings::default() };
    let large = failure(with_files(declared.clone(), small, 0).run(call("{}")).await);
    assert!(large.message.contains("report.pdf") && large.message.contains("files.max_bytes"), "{large:?}");

    let in_json = with(declared, json!({"result": {"type": "object"}}));
    let other = failure(with_files(in_json, FileSettings::default(), 0).run(call("{}")).await);
    assert_eq!(other.code, "BAD_ANSWER", "{other:?}");
}
