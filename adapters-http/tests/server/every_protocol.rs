//! Disclosure to a token by its scopes: on every route of the document, and in every protocol that streams a session.

use entracte_application::ports::{AccessReach, TokenScope};
use entracte_domain::id::WorkspaceKey;
use entracte_tests::test_scale::is_long_run;
use reqwest::Method;
use serde_json::json;

use super::every_route::{DocumentedRoute, ask, create_route_data, fill_path_params, routes, unlimited};
use super::server_fixture::{HOME, HttpServerFixture, open_sqlite};
use super::web_sockets::web_socket;

/// Texts in Ann's workspace that occur in no request of these tests.
const WORDS: [&str; 7] =
    ["Weight", "We close at 18", "The house closes", "make a zone", "Health", "How was my day", "phone"];

/// All sets of scopes, or in the short form some of them. Those without `read` come first, because data that the others
/// changed can no longer be disclosed.
fn scope_sets() -> Vec<Vec<TokenScope>> {
    let set = |bits: u32| TokenScope::ALL.into_iter().enumerate().filter(move |(at, _)| bits >> at & 1 == 1);
    let mut all: Vec<Vec<TokenScope>> =
        (1..16).map(|bits| set(bits).map(|(_, scope)| scope).collect()).collect();
    // The short form takes each scope alone, each with the one that shows answers, and all of them.
    let is_short = |scopes: &Vec<TokenScope>| match scopes.len() {
        1 => true,
        2 => scopes.contains(&TokenScope::Read),
        count => count == TokenScope::ALL.len(),
    };
    all.retain(|scopes| is_long_run() || is_short(scopes));
    // Tokens that only approve change least.
    all.sort_by_key(|scopes| {
        (
            scopes.contains(&TokenScope::Admin),
            scopes.contains(&TokenScope::Read),
            scopes.contains(&TokenScope::Chat),
        )
    });
    all
}

fn allows(scopes: &[TokenScope], route: &DocumentedRoute) -> bool {
    let has = |word: &str| scopes.iter().any(|scope| *scope == TokenScope::Admin || scope.word() == word);
    route.scope.as_deref().is_some_and(has) && (!route.shows || has("read"))
}

/// Input: every route and every protocol, with every set of scopes; expected: each needs exactly the scopes that the
/// document names, and a token without `read` gets no word of the workspace, not even in a refusal.
#[tokio::test(flavor = "multi_thread")]
async fn every_protocol_checks_scope() {
    let scene = HttpServerFixture::start_on(open_sqlite(), unlimited()).await;
    let (ids, _, session) = create_route_data(&scene).await;
    let home = AccessReach::Workspace(WorkspaceKey::new(HOME));
    for scopes in scope_sets() {
        let may_read = scopes.contains(&TokenScope::Read) || scopes.contains(&TokenScope::Admin);
        let token = scene.token("noe", home.clone(), &scopes).await;
        for route in routes().iter().filter(|route| route.scope.is_some() && !route.is_everywhere) {
            let what = format!("{} with {scopes:?}", route.operation);
            // A logout revokes the token.
            let token = match route.operation.as_str() {
                "logout" | "revoke_current_token" => scene.token("noe", home.clone(), &scopes).await,
                _ => token.clone(),
            };
            let path = fill_path_params(&route.path, &ids);
            if route.is_stream && route.method == Method::GET && allows(&scopes, route) {
                // The token with all scopes has already deleted the session.
                let told = scene.request(Method::GET, &path, &token).send().await.unwrap();
                assert_ne!(told.status(), 403, "{what}");
                continue;
            }
            let told = ask(&scene, route, &path, &token).await;
            let is_refused = (told.status, told.code()) == (403, "scope-missing");
            assert_eq!(is_refused, !allows(&scopes, route), "{what}: {told:?}");
            let shown = WORDS.iter().find(|word| told.text.contains(**word));
            assert!(may_read || shown.is_none(), "{what} shows {shown:?}: {told:?}");
        }
        protocols_check(&scene, &session.to_string(), &scopes, &token).await;
    }
}

/// Checks that WebSockets and AG-UI stream a session only to a token with `read`, and that a ticket opens no more than
/// its token.
async fn protocols_check(scene: &HttpServerFixture, session: &str, scopes: &[TokenScope], token: &str) {
    let has = |scope: TokenScope| scopes.contains(&scope) || scopes.contains(&TokenScope::Admin);
    let (origin, bearer) = (format!("http://{}", scene.host), format!("Bearer {token}"));
    let streams =
        [format!("/v1/workspaces/{HOME}/events"), format!("/v1/workspaces/{HOME}/sessions/{session}/stream")];
    for path in &streams {
        let headers = [("Origin", origin.as_str()), ("Authorization", bearer.as_str())];
        let (_, line) = web_socket(scene, path, &headers).await;
        let refused = line == "HTTP/1.1 403 Forbidden";
        assert_eq!(refused, !has(TokenScope::Read), "WebSocket {path} with {scopes:?}: {line}");
        let ticket = scene.post("/v1/tickets", token, json!({ "path": path })).await;
        assert_eq!(ticket.status == 200, has(TokenScope::Read), "ticket with {scopes:?}: {ticket:?}");
    }
    let run = json!({ "threadId": session, "runId": "r1", "messages": [] });
    let run =
        scene.request(Method::POST, &format!("/v1/workspaces/{HOME}/agui"), token).json(&run).send().await;
    let refused = run.unwrap().status() == 403;
    assert_eq!(refused, !(has(TokenScope::Chat) && has(TokenScope::Read)), "AG-UI with {scopes:?}");
}

/// Input: a chat that is created twice under one key, by a token without `read`, after another person renamed it;
/// expected: one chat, shown as it was created, without later changes.
#[tokio::test(flavor = "multi_thread")]
async fn replayed_answer_is_shown_to_readers_only() {
    let scene = HttpServerFixture::start_on(open_sqlite(), unlimited()).await;
    let home = AccessReach::Workspace(WorkspaceKey::new(HOME));
    let chats = scene.token("noe", home.clone(), &[TokenScope::Chat]).await;
    let reads = scene.token("noe", home, &[TokenScope::Read, TokenScope::Chat]).await;
    let begin = |token: &str| {
        let request = scene.request(Method::POST, &format!("/v1/workspaces/{HOME}/sessions"), token);
        super::server_fixture::send_request(super::server_fixture::json_body(
            request.header("idempotency-key", "k1"),
            &json!({}),
        ))
    };
    let made = begin(&chats).await;
    assert_eq!(made.status, 201, "{made:?}");
    let path = format!("/v1/workspaces/{HOME}/sessions/{}", made.body["id"].as_str().unwrap());
    let tag = scene.get(&path, &reads).await.etag.unwrap();
    let renames = scene.request(Method::PATCH, &path, &reads).header("if-match", tag);
    let renamed = super::server_fixture::send_request(super::server_fixture::json_body(
        renames,
        &json!({ "name": "Redundancies" }),
    ))
    .await;
    assert_eq!(renamed.status, 200, "{renamed:?}");
    let again = begin(&chats).await;
    assert_eq!((again.status, again.code()), (403, "scope-missing"), "{again:?}");
    assert!(!again.text.contains("Redundancies"));
    let read = begin(&reads).await;
    assert_eq!((read.status, &read.body["name"]), (201, &json!("Redundancies")), "{read:?}");
}

/// Input: the token of an embedded page with `chat` and without `read`; expected: its messages are accepted, and
/// nothing of the session is shown.
#[tokio::test(flavor = "multi_thread")]
async fn embedded_token_without_read_shows_nothing() {
    let scene = HttpServerFixture::start_on(open_sqlite(), unlimited()).await;
    let (ids, ann, session) = create_route_data(&scene).await;
    let new = json!({
        "person": "visitor", "name": "shop", "scopes": ["chat"], "session": session.as_str(),
        "origins": ["https://shop.example"],
    });
    let made = scene.post(&format!("/v1/workspaces/{HOME}/tokens"), &ann, new).await;
    let token = made.body["secret"].as_str().unwrap();
    for route in routes().iter().filter(|route| route.path.contains("{s}")) {
        let told = ask(&scene, route, &fill_path_params(&route.path, &ids), token).await;
        let shown = WORDS.iter().find(|word| told.text.contains(**word));
        assert!(shown.is_none(), "{} shows {shown:?}: {told:?}", route.operation);
    }
}
