use entracte_domain::id::SessionId;
use entracte_tests::runtime_fixture::envelope_line;
use reqwest::Method;
use serde_json::json;

use super::every_route::{body, create_route_data, fill_path_params, routes, unlimited};
use super::server_fixture::{HOME, HttpServerFixture, json_body, send_request};
use super::streams::SseTestClient;

const SHOP: &str = "https://shop.example";

/// Input: a page of a listed origin with the token of one session; expected: it chats there, and reads the answers.
#[tokio::test(flavor = "multi_thread")]
async fn listed_origin_chats_in_its_session() {
    for database in super::server_fixture::databases() {
        let scene = HttpServerFixture::start_on(database, unlimited()).await;
        let session = scene.life.chat(true).await;
        let token = scene.embedded(&session, &[SHOP, "http://localhost:4000"]).await;
        scene.model.push_lines([envelope_line("Good evening.")]);
        let path = format!("/v1/workspaces/{HOME}/sessions/{session}/messages");
        let asks = scene.client.request(Method::OPTIONS, format!("{}{path}", scene.url));
        let asks = asks.header("origin", SHOP).header("access-control-request-method", "POST");
        let may = asks.header("sec-fetch-site", "cross-site").send().await.unwrap();
        assert_eq!(
            (may.status().as_u16(), &may.headers()["access-control-allow-origin"]),
            (204, &SHOP.parse().unwrap())
        );
        assert!(may.headers()["access-control-allow-headers"].to_str().unwrap().contains("authorization"));
        let from_shop = |method: Method, path: &str| {
            let request = scene.request(method, path, &token);
            request.header("origin", SHOP).header("sec-fetch-site", "cross-site")
        };
        let sent =
            send_request(json_body(from_shop(Method::POST, &path), &json!({ "text": "Are you open?" })))
                .await;
        assert_eq!(sent.status, 202, "{sent:?}");
        assert_eq!(sent.headers["access-control-allow-origin"], SHOP);
        assert_eq!(sent.headers["vary"], "origin");
        assert!(!sent.headers.contains_key("access-control-allow-credentials"), "never with a cookie");
        let refers = json!({ "text": "And this?", "enrichments": [{ "type": "USE", "id": "tool_x_1_0" }] });
        let refers = send_request(json_body(from_shop(Method::POST, &path), &refers)).await;
        assert_eq!((refers.status, refers.code()), (403, "scope-missing"), "a visitor refers to no data");
        let read = send_request(from_shop(Method::GET, &path)).await;
        assert_eq!((read.status, &read.body["items"][0]["role"].is_string()), (200, &true), "{read:?}");
        // An invalid token gets a readable refusal, which the page can show.
        let ann = scene.admin("ann", HOME).await;
        let id = token.strip_prefix("entr_").unwrap().split('.').next().unwrap();
        let gone = scene.request(Method::DELETE, &format!("/v1/workspaces/{HOME}/tokens/{id}"), &ann);
        assert_eq!(send_request(gone).await.status, 204);
        let late = send_request(from_shop(Method::GET, &path)).await;
        assert_eq!((late.status, late.code()), (401, "unauthorized"));
        assert_eq!(late.headers["access-control-allow-origin"], SHOP);
    }
}

/// Input: other origins, other tokens, no token, a cookie; expected: refused before any route, and nothing readable.
#[tokio::test(flavor = "multi_thread")]
async fn any_other_page_is_refused() {
    let scene = HttpServerFixture::start_on(super::server_fixture::open_sqlite(), unlimited()).await;
    let session = scene.life.chat(true).await;
    let token = scene.embedded(&session, &[SHOP]).await;
    let ann = scene.admin("ann", HOME).await;
    let path = format!("/v1/workspaces/{HOME}/sessions/{session}/messages");
    let from = |origin: &str, token: &str| scene.request(Method::GET, &path, token).header("origin", origin);
    let cookie = scene.client.get(format!("{}{path}", scene.url)).header("origin", SHOP);
    for request in [
        from("https://evil.example", &token),
        from("https://shop.example:8443", &token),
        from("http://shop.example", &token),
        from("null", &token),
        from(SHOP, &ann),
        from(SHOP, "entr_nobody.guess"),
        from(SHOP, ""),
        cookie.header("cookie", "entracte=entr_k1.secret"),
    ] {
        let refused = send_request(request).await;
        assert_eq!((refused.status, refused.code()), (403, "origin-refused"), "{refused:?}");
        assert!(!refused.headers.contains_key("access-control-allow-origin"));
    }
    let forged = send_request(from(SHOP, &format!("{token}x"))).await;
    assert_eq!((forged.status, forged.code()), (401, "unauthorized"), "its secret is looked at");
    for (origin, path) in [
        ("https://evil.example", path.clone()),
        (SHOP, format!("/v1/workspaces/{HOME}/sessions/ses_other/messages")),
        (SHOP, "/v1/login".to_owned()),
        (SHOP, "/inbox".to_owned()),
    ] {
        let asks = scene.client.request(Method::OPTIONS, format!("{}{path}", scene.url));
        let asks =
            send_request(asks.header("origin", origin).header("access-control-request-method", "POST")).await;
        assert_eq!((asks.status, asks.code()), (403, "origin-refused"), "{origin} {path}");
    }
}

/// Input: the token of a session, sent to every route; expected: it opens what a visitor needs, and nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn a_token_of_one_session_opens_no_other_route() {
    let scene = HttpServerFixture::start_on(super::server_fixture::open_sqlite(), unlimited()).await;
    let (ids, _, session) = create_route_data(&scene).await;
    let token = scene.embedded(&session, &[SHOP]).await;
    let before = scene.journal(&session).await;
    let open = [
        "get_session",
        "list_messages",
        "get_session_file",
        "send_message",
        "answer_question",
        "interrupt_session",
        "get_queue",
        "withdraw_message",
        "stream_session",
        "read_unread",
        "attach_session",
        "leave_session",
    ];
    let mut refused = 0;
    for route in routes().iter().filter(|route| route.scope.is_some()) {
        if open.contains(&route.operation.as_str()) {
            continue;
        }
        let request = scene.request(route.method.clone(), &fill_path_params(&route.path, &ids), &token);
        let request = request.header("if-match", "\"x\"");
        let request = if route.has_body { json_body(request, &body(&route.operation)) } else { request };
        let told = send_request(request).await;
        assert_eq!((told.status, told.code()), (403, "scope-missing"), "{}: {told:?}", route.operation);
        refused += 1;
    }
    assert!(refused > 50, "{refused} routes were tried");
    assert_eq!(scene.journal(&session).await, before);
    let other = scene.life.chat(true).await;
    let elsewhere = scene.get(&format!("/v1/workspaces/{HOME}/sessions/{other}"), &token).await;
    assert_eq!((elsewhere.status, elsewhere.code()), (404, "not-found"));
}

/// Input: a visitor asks for the stored form of entries, and for the details of the session; expected: it gets the
/// conversation alone, where a reader of the workspace gets both.
#[tokio::test(flavor = "multi_thread")]
async fn visitor_sees_nothing_stored() {
    let scene = HttpServerFixture::start_on(super::server_fixture::open_sqlite(), unlimited()).await;
    let session = scene.life.chat(true).await;
    let visitor = scene.embedded(&session, &[SHOP]).await;
    let ann = scene.admin("ann", HOME).await;
    let path = format!("/v1/workspaces/{HOME}/sessions/{session}");
    for (token, sees) in [(&ann, true), (&visitor, false)] {
        let read = scene.get(&format!("{path}?details=true"), token).await.body;
        assert_eq!([&read["metrics"], &read["policies"]].map(|part| part.is_object()), [sees; 2], "{read}");
        let stream = format!("{}?after=0&stored=true", super::streams::stream_of(&session));
        let mut heard = SseTestClient::open(&scene, &stream, token, None).await;
        let entry = heard.until("entry").await;
        assert_eq!(entry.data["entry"].is_string(), sees, "{:?}", entry.data);
    }
}

/// Input: the token of a relay, sent to every route; expected: it reads its session's stream, and opens nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn a_token_of_a_relay_opens_its_stream_alone() {
    let scene = HttpServerFixture::start_on(super::server_fixture::open_sqlite(), unlimited()).await;
    let (ids, ann, session) = create_route_data(&scene).await;
    let token = scene.relay(&session).await;
    for route in routes().iter().filter(|route| route.scope.is_some() && route.operation != "stream_session")
    {
        let request = scene.request(route.method.clone(), &fill_path_params(&route.path, &ids), &token);
        let request = request.header("if-match", "\"x\"");
        let request = if route.has_body { json_body(request, &body(&route.operation)) } else { request };
        let told = send_request(request).await;
        assert_eq!((told.status, told.code()), (403, "scope-missing"), "{}: {told:?}", route.operation);
    }
    let other = scene.life.chat(true).await;
    let stream = |session: &SessionId| format!("/v1/workspaces/{HOME}/sessions/{session}/stream");
    assert_eq!(scene.get(&stream(&other), &token).await.status, 404);
    let heard = scene.request(Method::GET, &stream(&session), &token).send().await.unwrap();
    assert_eq!(heard.status().as_u16(), 200);
    // It is in no list, and a page of another site may not send it.
    let listed = scene.get(&format!("/v1/workspaces/{HOME}/tokens"), &ann).await;
    assert!(!listed.text.contains("relay"), "{}", listed.text);
    let page = scene.request(Method::GET, &stream(&session), &token).header("origin", SHOP);
    assert_eq!(send_request(page).await.status, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_for_pages_decides_nothing() {
    let scene = HttpServerFixture::start_on(super::server_fixture::open_sqlite(), unlimited()).await;
    let session = scene.life.chat(true).await;
    let ann = scene.admin("ann", HOME).await;
    let path = format!("/v1/workspaces/{HOME}/tokens");
    let make = |scopes: serde_json::Value, session: Option<&str>, origins: serde_json::Value| {
        let new = json!({ "person": "v", "name": "shop", "scopes": scopes, "session": session, "origins": origins });
        scene.post(&path, &ann, new)
    };
    let own = Some(session.as_str());
    for wrong in [
        make(json!(["chat", "approve"]), own, json!([SHOP])).await,
        make(json!(["admin"]), own, json!([SHOP])).await,
        make(json!(["chat"]), own, json!([])).await,
        make(json!(["chat"]), own, json!(["https://shop.example/"])).await,
        make(json!(["chat"]), own, json!(["*"])).await,
        make(json!(["chat"]), own, json!(["null"])).await,
        make(json!(["chat"]), None, json!([SHOP])).await,
    ] {
        assert_eq!((wrong.status, wrong.code()), (422, "invalid"), "{wrong:?}");
    }
    assert_eq!(make(json!(["chat"]), Some("ses_gone"), json!([SHOP])).await.status, 404);
}

/// Input: any page loads the widget; expected: allowed, and nothing else of the console.
#[tokio::test(flavor = "multi_thread")]
async fn any_page_may_load_the_widget() {
    let scene = HttpServerFixture::start_on(super::server_fixture::open_sqlite(), unlimited()).await;
    let get = |path: &str| {
        let request = scene.client.get(format!("{}{path}", scene.url));
        send_request(request.header("origin", SHOP).header("sec-fetch-site", "cross-site"))
    };
    let widget = get("/widget/entracte-chat.js").await;
    assert_eq!((widget.status, widget.headers["access-control-allow-origin"].to_str().unwrap()), (200, "*"));
    assert_eq!(widget.headers["cross-origin-resource-policy"], "cross-origin");
    assert_eq!(get("/inbox").await.code(), "origin-refused");
}
