//! Logins of terminals: asked for without a token, decided about in the console, taken once.

use std::sync::Arc;

use entracte_adapters_http::limits::HttpServerLimits;
use entracte_application::ports::{AccessReach, TokenScope};
use entracte_application::system::RandomIdGenerator;
use entracte_application::use_cases::CreateLoginLink;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;
use reqwest::Method;
use secrecy::ExposeSecret;
use serde_json::{Value, json};

use super::server_fixture::{
    HOME, HttpServerFixture, HttpTestResponse, json_body, open_sqlite, send_request,
};

/// A browser that is logged in.
pub(crate) struct BrowserLogin {
    pub(crate) cookie: String,
    pub(crate) proof: String,
}

impl BrowserLogin {
    /// Logs Ann's browser in.
    pub(crate) async fn start(scene: &HttpServerFixture) -> Self {
        let clock = scene.life.services.clock.clone();
        let offer = CreateLoginLink::new(scene.state.access_store(), clock, Arc::new(RandomIdGenerator));
        let link = offer.run("ann", Millis::minutes(10)).await.unwrap();
        let request = scene.client.post(format!("{}/v1/login", scene.url));
        let answer =
            send_request(json_body(request, &json!({ "secret": link.secret.expose_secret() }))).await;
        let cookie = answer.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
        Self { cookie, proof: answer.body["proof"].as_str().unwrap().to_owned() }
    }

    pub(crate) async fn ask(
        &self,
        scene: &HttpServerFixture,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> HttpTestResponse {
        let request = scene.client.request(method, format!("{}{path}", scene.url));
        let origin = format!("http://{}", scene.host);
        let request = request
            .header("cookie", &self.cookie)
            .header("entracte-proof", &self.proof)
            .header("origin", origin);
        match body {
            Some(body) => send_request(json_body(request, &body)).await,
            None => send_request(request).await,
        }
    }

    async fn decide(&self, scene: &HttpServerFixture, code: &str, body: Value) -> HttpTestResponse {
        self.ask(scene, Method::POST, &decision(code), Some(body)).await
    }
}

/// A terminal that asks.
struct AskingTerminal {
    secret: String,
    code: String,
}

impl AskingTerminal {
    async fn start(scene: &HttpServerFixture) -> Self {
        let opened = open(scene, "ann@laptop").await;
        assert_eq!(opened.status, 201, "{opened:?}");
        let text = |name: &str| opened.body[name].as_str().unwrap().to_owned();
        assert_eq!(text("page"), format!("/terminal?code={}", text("code")));
        Self { secret: text("secret"), code: text("code") }
    }

    async fn claim(&self, scene: &HttpServerFixture) -> HttpTestResponse {
        claim(scene, &self.secret).await
    }
}

async fn open(scene: &HttpServerFixture, name: &str) -> HttpTestResponse {
    let request = scene.client.post(format!("{}/v1/login/terminals", scene.url));
    send_request(json_body(request, &json!({ "name": name }))).await
}

async fn claim(scene: &HttpServerFixture, secret: &str) -> HttpTestResponse {
    let request = scene.client.post(format!("{}/v1/login/terminals/claim", scene.url));
    send_request(json_body(request, &json!({ "secret": secret }))).await
}

fn shown(code: &str) -> String {
    format!("/v1/login/terminals/{code}")
}

fn decision(code: &str) -> String {
    format!("/v1/login/terminals/{code}/decision")
}

fn allow() -> Value {
    json!({ "allow": true, "scopes": ["read", "chat", "approve"] })
}

/// Input: a terminal that asks, and Ann who allows it in her browser; expected: it waits until then, gets a token of Ann's
/// with exactly these scopes, for the reach of her login, and only once. The token revokes itself.
#[tokio::test(flavor = "multi_thread")]
async fn terminal_logs_in_once_by_its_code() {
    let scene = HttpServerFixture::new().await;
    let browser = BrowserLogin::start(&scene).await;
    let terminal = AskingTerminal::start(&scene).await;
    assert_eq!(terminal.claim(&scene).await.status, 202);

    let asks = browser.ask(&scene, Method::GET, &shown(&terminal.code.to_lowercase()), None).await;
    assert_eq!(asks.status, 200, "{asks:?}");
    let told = ["code", "name", "address", "state"].map(|name| asks.body[name].as_str().unwrap().to_owned());
    assert_eq!(told, [terminal.code.as_str(), "ann@laptop", "127.0.0.1", "waiting"]);
    assert!(!asks.text.contains(&terminal.secret), "the secret is for the terminal alone");
    assert_eq!(terminal.claim(&scene).await.status, 202, "looking decides nothing");

    let allowed = browser.decide(&scene, &terminal.code, allow()).await;
    assert_eq!((allowed.status, &allowed.body["state"]), (200, &json!("allowed")), "{allowed:?}");
    let taken = terminal.claim(&scene).await;
    assert_eq!(taken.status, 200, "{taken:?}");
    assert_eq!((&taken.body["person"], &taken.body["workspace"]), (&json!("ann"), &Value::Null));
    assert!(taken.body["expires_at"].is_string(), "it ends: {taken:?}");
    let again = terminal.claim(&scene).await;
    assert_eq!((again.status, again.code()), (410, "link-spent"));

    let token = taken.body["token"].as_str().unwrap();
    let me = scene.get("/v1/me", token).await.body["token"].clone();
    assert_eq!((&me["kind"], &me["name"]), (&json!("program"), &json!("ann@laptop")));
    assert_eq!((&me["scopes"], &me["made_by"]), (&json!(["read", "chat", "approve"]), &Value::Null));
    let over = send_request(scene.request(Method::DELETE, "/v1/me/token", token)).await;
    assert_eq!(over.status, 204, "{over:?}");
    assert_eq!(scene.get("/v1/me", token).await.status, 401);
    let still = browser.ask(&scene, Method::GET, "/v1/me", None).await;
    assert_eq!(still.status, 200, "the browser stays logged in");
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_terminal_gets_no_token() {
    let scene = HttpServerFixture::new().await;
    let browser = BrowserLogin::start(&scene).await;
    let terminal = AskingTerminal::start(&scene).await;
    let refused = browser.decide(&scene, &terminal.code, json!({ "allow": false })).await;
    assert_eq!((refused.status, &refused.body["state"]), (200, &json!("refused")));
    for _ in 0..2 {
        let told = terminal.claim(&scene).await;
        assert_eq!((told.status, told.code()), (403, "login-refused"));
    }
    let late = browser.decide(&scene, &terminal.code, allow()).await;
    assert_eq!((late.status, late.code()), (409, "already-decided"), "the first decision counts");
    assert_eq!(terminal.claim(&scene).await.status, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn expired_terminal_login_gets_no_token() {
    let limits = HttpServerLimits { terminal_login_lasts: Millis(0), ..HttpServerLimits::default() };
    let scene = HttpServerFixture::start_on(open_sqlite(), limits).await;
    let browser = BrowserLogin::start(&scene).await;
    let terminal = AskingTerminal::start(&scene).await;
    let late = browser.decide(&scene, &terminal.code, allow()).await;
    assert_eq!((late.status, late.code()), (404, "not-found"));
    let told = terminal.claim(&scene).await;
    assert_eq!((told.status, told.code()), (410, "link-spent"));
}

/// Input: decisions that grant too little, or what cannot be; expected: refused, and the terminal still waits.
#[tokio::test(flavor = "multi_thread")]
async fn impossible_grant_is_refused() {
    let scene = HttpServerFixture::new().await;
    let browser = BrowserLogin::start(&scene).await;
    let terminal = AskingTerminal::start(&scene).await;
    for body in [
        json!({ "allow": true }),
        json!({ "allow": true, "scopes": ["chat"] }),
        json!({ "allow": true, "scopes": ["read", "all"] }),
        json!({ "allow": true, "scopes": ["read"], "expires_at": "2020-01-01T00:00:00Z" }),
        json!({ "allow": true, "scopes": ["read"], "expires_at": "tomorrow" }),
    ] {
        let refused = browser.decide(&scene, &terminal.code, body.clone()).await;
        assert_eq!((refused.status, refused.code()), (422, "invalid"), "{body}");
    }
    assert_eq!(terminal.claim(&scene).await.status, 202);
    for name in ["", "ann\u{202e}@laptop"] {
        assert_eq!(open(&scene, name).await.code(), "invalid", "{name:?}");
    }
}

/// Input: tokens of every kind; expected: the scope admin decides, within the reach of its own token; a token of a page of
/// another site decides nothing, and neither does a cookie without its proof.
#[tokio::test(flavor = "multi_thread")]
async fn only_admins_decide_about_terminals() {
    let scene = HttpServerFixture::new().await;
    let terminal = AskingTerminal::start(&scene).await;
    let home = AccessReach::Workspace(WorkspaceKey::new(HOME));
    let talks = scene.token("noe", home, &[TokenScope::Read, TokenScope::Chat, TokenScope::Approve]).await;
    let session = scene.life.chat(false).await;
    let embedded = scene.embedded(&session, &["https://shop.example"]).await;
    for token in [&talks, &embedded] {
        for refused in [
            scene.get(&shown(&terminal.code), token).await,
            scene.post(&decision(&terminal.code), token, allow()).await,
        ] {
            assert_eq!((refused.status, refused.code()), (403, "scope-missing"));
        }
    }
    let browser = BrowserLogin::start(&scene).await;
    let unproven = scene.client.post(format!("{}{}", scene.url, decision(&terminal.code)));
    let origin = format!("http://{}", scene.host);
    let unproven = unproven.header("cookie", &browser.cookie).header("origin", origin);
    assert_eq!(send_request(json_body(unproven, &allow())).await.status, 401);
    assert_eq!(terminal.claim(&scene).await.status, 202);

    let admin = scene.admin("ann", HOME).await;
    assert_eq!(scene.post(&decision(&terminal.code), &admin, allow()).await.status, 200);
    let taken = terminal.claim(&scene).await;
    assert_eq!(taken.body["workspace"], json!(HOME), "no further than the token that allowed it: {taken:?}");
}

/// Input: a browser that logs out after it allowed a terminal; expected: the terminal gets nothing.
#[tokio::test(flavor = "multi_thread")]
async fn ended_login_grants_no_terminal() {
    let scene = HttpServerFixture::new().await;
    let browser = BrowserLogin::start(&scene).await;
    let terminal = AskingTerminal::start(&scene).await;
    assert_eq!(browser.decide(&scene, &terminal.code, allow()).await.status, 200);
    assert_eq!(browser.ask(&scene, Method::POST, "/v1/logout", Some(json!({}))).await.status, 204);
    let told = terminal.claim(&scene).await;
    assert_eq!((told.status, told.code()), (403, "login-refused"));
}

/// Input: guesses of codes and secrets, and more logins than may be open or begin; expected: each is limited by its address.
#[tokio::test(flavor = "multi_thread")]
async fn guesses_and_floods_of_terminals_are_limited() {
    let limits = HttpServerLimits { failed_logins: 2, terminal_logins: 1, ..HttpServerLimits::default() };
    let scene = HttpServerFixture::start_on(open_sqlite(), limits.clone()).await;
    let admin = scene.admin("ann", HOME).await;
    let wrong = scene.get(&shown("BBBB-BBBB"), &admin).await;
    assert_eq!((wrong.status, wrong.code()), (404, "not-found"));
    assert_eq!(scene.post(&decision("BBBB-BBBB"), &admin, allow()).await.status, 404);
    let limited = scene.get(&shown("BBBB-BBBB"), &admin).await;
    assert_eq!((limited.status, limited.code()), (429, "rate-limited"), "codes: {limited:?}");
    assert_eq!(claim(&scene, "guess").await.code(), "rate-limited", "secrets count with them");

    assert_eq!(open(&scene, "one").await.status, 201);
    let full = open(&scene, "two").await;
    assert_eq!((full.status, full.code()), (429, "rate-limited"));
    assert!(full.text.contains("server.terminal_logins"), "{full:?}");
    let third = open(&scene, "three").await;
    assert!(third.text.contains("127.0.0.1") && third.headers.contains_key("retry-after"), "{third:?}");
}
