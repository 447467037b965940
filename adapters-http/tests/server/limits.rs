use entracte_adapters_http::limits::HttpServerLimits;
use entracte_application::ports::{AccessReach, TokenScope};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;
use entracte_tests::runtime_fixture::{command_request_line, envelope_line};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::server_fixture::{HOME, HttpServerFixture, OTHER, json_body, open_sqlite, send_request};

#[tokio::test(flavor = "multi_thread")]
async fn limits_answer_problems() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let path = format!("/v1/workspaces/{HOME}/sessions");
    let deep = format!("{}1{}", "[".repeat(65), "]".repeat(65));
    let cases: [(&str, String, u16, &str); 7] = [
        ("application/json", format!("{{\"name\":\"{}\"}}", "x".repeat(1024 * 1024)), 413, "too-large"),
        ("application/json", format!("{{\"name\":{deep}}}"), 400, "malformed"),
        ("application/json", "{".into(), 400, "malformed"),
        ("application/json", "{} {}".into(), 400, "malformed"),
        ("text/plain", "{}".into(), 415, "media-type"),
        ("application/json", r#"{"nmae":"x"}"#.into(), 422, "invalid"),
        ("application/json", r#"{"provider":"gone"}"#.into(), 422, "invalid"),
    ];
    for (kind, body, status, code) in cases {
        let request =
            scene.request(Method::POST, &path, &ann).header("content-type", kind).body(body.clone());
        let refused = send_request(request).await;
        assert_eq!((refused.status, refused.code()), (status, code), "{:.60}", body);
        assert_eq!(refused.headers["content-type"], "application/problem+json");
        assert_eq!(refused.headers["x-request-id"], refused.body["request_id"].as_str().unwrap());
    }
    let named = scene.post(&path, &ann, json!({ "name": "x", "commands": ["no good"] })).await;
    assert_eq!(named.body["fields"][0]["path"], "commands");
    let listed = scene.get(&format!("{path}?limit=201"), &ann).await;
    assert_eq!((listed.status, &listed.body["fields"][0]["path"]), (422, &json!("limit")));
    let cursor = scene.get(&format!("{path}?after=nonsense"), &ann).await;
    assert_eq!((cursor.status, cursor.code()), (400, "cursor-invalid"));
}

#[tokio::test(flavor = "multi_thread")]
async fn token_requests_are_limited_per_minute() {
    let scene = HttpServerFixture::start_on(
        open_sqlite(),
        HttpServerLimits { requests: 3, ..HttpServerLimits::default() },
    )
    .await;
    let (ann, bea) = (scene.admin("ann", HOME).await, scene.admin("bea", HOME).await);
    for _ in 0..3 {
        assert_eq!(scene.get("/v1/me", &ann).await.status, 200);
    }
    let refused = scene.get("/v1/me", &ann).await;
    assert_eq!((refused.status, refused.code()), (429, "rate-limited"));
    assert!(refused.headers["retry-after"].to_str().unwrap().parse::<u64>().unwrap() >= 1);
    assert_eq!(scene.get("/v1/me", &bea).await.status, 200, "each token has its own");
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_tokens_do_not_block_valid_ones() {
    let scene = HttpServerFixture::start_on(
        open_sqlite(),
        HttpServerLimits { failed_logins: 2, ..HttpServerLimits::default() },
    )
    .await;
    let ann = scene.admin("ann", HOME).await;
    for _ in 0..2 {
        assert_eq!(scene.get("/v1/me", "entr_k1.guess").await.status, 401);
    }
    assert_eq!(scene.get("/v1/me", "entr_k1.guess").await.code(), "rate-limited");
    let link = json_body(scene.request(Method::POST, "/v1/login", ""), &json!({ "secret": "guess" }));
    assert_eq!(send_request(link).await.code(), "rate-limited");
    assert_eq!(scene.get("/v1/me", &ann).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_request_head_times_out() {
    let scene = HttpServerFixture::start_on(
        open_sqlite(),
        HttpServerLimits { head_timeout: Millis(50), ..HttpServerLimits::default() },
    )
    .await;
    let mut slow = tokio::net::TcpStream::connect(&scene.host).await.unwrap();
    slow.write_all(b"GET /healthz HTTP/1.1\r\nHost: ").await.unwrap();
    let mut answer = Vec::new();
    // The connection is closed; without the limit this would block forever.
    slow.read_to_end(&mut answer).await.unwrap();
    assert!(!String::from_utf8_lossy(&answer).contains("200"));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_list_each_session_once() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let mut made = Vec::new();
    for _ in 0..5 {
        made.push(scene.life.chat(false).await.to_string());
    }
    let path = format!("/v1/workspaces/{HOME}/sessions?limit=2");
    let (mut found, mut next) = (Vec::new(), String::new());
    loop {
        let page = scene.get(&format!("{path}{next}"), &ann).await.body;
        found.extend(
            page["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()),
        );
        let Some(cursor) = page["next"].as_str() else { break };
        next = format!("&after={cursor}");
    }
    found.sort();
    made.sort();
    assert_eq!(found, made);
    let waiting = scene.get(&format!("{path}&waiting=true"), &ann).await;
    assert_eq!(waiting.body, json!({ "items": [], "next": null }));
    let other = scene.get(&format!("{path}&waiting=true{next}"), &ann).await;
    assert_eq!(other.code(), "cursor-invalid", "a cursor counts for its own filter");
}

#[tokio::test(flavor = "multi_thread")]
async fn change_needs_if_match() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    scene.life.chat(false).await;
    let path = format!("/v1/workspaces/{HOME}/settings");
    let read = scene.get(&path, &ann).await;
    let change = |etag: &str, zone: &str| {
        let request = scene.request(Method::PATCH, &path, &ann).header("if-match", etag);
        send_request(json_body(request, &json!({ "settings": { "zone": zone } })))
    };
    let etag = read.etag.unwrap();
    let changed = change(&etag, "Europe/Paris").await;
    assert_eq!(changed.status, 200, "{changed:?}");
    let late = change(&etag, "UTC").await;
    assert_eq!((late.status, late.code()), (412, "changed"));
    let zone = |body: &Value| {
        let all = body["settings"].as_array().unwrap();
        all.iter().find(|one| one["key"] == "zone").unwrap()["value"].clone()
    };
    assert_eq!(zone(&late.body["current"]), "Europe/Paris");
    assert_eq!(change(&changed.etag.unwrap(), "Nowhere/At all").await.status, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_server_accepts_no_connections() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let ready = json!({ "status": "ready", "owner": true, "last_commit_seconds": null });
    assert_eq!(scene.get("/readyz", &ann).await.body, ready);
    scene.stop_server();
    let done = scene.done.lock().unwrap().take().unwrap();
    done.await.unwrap();
    let late = scene.request(Method::GET, "/healthz", &ann).send().await;
    assert!(late.is_err(), "{late:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn health_and_metrics_are_served() {
    let scene = HttpServerFixture::new().await;
    // Calls that run in the commit are counted too, and names invented by a model are not exported.
    let free = scene.life.chat(false).await;
    scene.model.push_lines([command_request_line("actions", &[("CREATE_ZONE", json!({ "name": "Mind" }))])]);
    scene.life.send_and_wait(&free, "make a zone").await;
    scene.model.push_lines([
        command_request_line("actions", &[("MAKE_TEA", json!({}))]),
        envelope_line("I cannot."),
    ]);
    scene.life.send_and_wait(&free, "make tea").await;
    let (session, _) = scene.request_zone_approval().await;
    let ready = scene.get("/readyz", "").await;
    assert_eq!((ready.status, &ready.body["last_commit_seconds"]), (200, &json!(0)));
    let root = scene.token("root", AccessReach::Everywhere, &[TokenScope::Read]).await;
    let numbers = |told: super::server_fixture::HttpTestResponse| told.body.as_str().unwrap().to_owned();
    let all = numbers(scene.get("/metrics", &root).await);
    for line in [
        "entracte_sessions{phase=\"WAITING_VALIDATION\"} 1",
        "entracte_approvals_open 1",
        "entracte_model_calls_total{provider=\"fake\",class=\"answered\"} 4",
        "entracte_calls_total{command=\"zones.create\",status=\"succeeded\"} 1",
        "entracte_calls_total{command=\"\",status=\"unknown_command\"} 1",
        "entracte_http_request_seconds_count{route=\"/readyz\",status=\"200\"} 1",
    ] {
        assert!(all.contains(line), "{line}: {all}");
    }
    assert!(!all.contains(session.as_str()) && !all.contains(HOME), "no label is an id: {all}");
    // With a token of one workspace: the census of that workspace only, and no metrics of the process.
    let eve = scene.token("eve", AccessReach::Workspace(WorkspaceKey::new(OTHER)), &[TokenScope::Read]).await;
    let hers = numbers(scene.get("/metrics", &eve).await);
    assert!(hers.contains("entracte_approvals_open 0") && !hers.contains("model_calls"), "{hers}");
}

/// Input: a request with a valid token, whose body is delayed; the token is revoked, and then the body arrives.
/// Expected: nothing is done. Otherwise a person about to be expelled could reserve an approval for later.
#[tokio::test(flavor = "multi_thread")]
async fn delayed_body_fails_after_token_revocation() {
    // Every body takes longer than this limit.
    let scene = HttpServerFixture::start_on(
        open_sqlite(),
        HttpServerLimits { stream_look: Millis(0), ..HttpServerLimits::default() },
    )
    .await;
    let (ann, eve) = (scene.admin("ann", HOME).await, scene.admin("eve", HOME).await);
    let me = scene.get("/v1/me", &eve).await;
    let token = me.body["token"]["id"].as_str().unwrap();
    let mut held = tokio::net::TcpStream::connect(&scene.host).await.unwrap();
    let body = json!({ "name": "kept" }).to_string();
    let head = format!(
        "POST /v1/workspaces/{HOME}/sessions HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {eve}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n",
        scene.host,
        body.len()
    );
    held.write_all(head.as_bytes()).await.unwrap();
    // The server sends `100 Continue` once the principal is known.
    let mut asked = [0; 25];
    held.read_exact(&mut asked).await.unwrap();
    assert_eq!(&asked, b"HTTP/1.1 100 Continue\r\n\r\n");
    let path = format!("/v1/workspaces/{HOME}/tokens/{token}");
    assert_eq!(send_request(scene.request(Method::DELETE, &path, &ann)).await.status, 204);
    held.write_all(body.as_bytes()).await.unwrap();
    let mut answer = String::new();
    held.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 401") && answer.contains("revoked while"), "{answer}");
    let sessions = scene.get(&format!("/v1/workspaces/{HOME}/sessions"), &ann).await;
    assert_eq!(sessions.body["items"], json!([]), "nothing was begun");
}
