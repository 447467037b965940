//! Providers that a person sets up in the console: who may, and what comes back.

use entracte_application::ports::{AccessReach, TokenScope};
use entracte_domain::id::WorkspaceKey;
use reqwest::Method;
use serde_json::{Value, json};

use super::server_fixture::{HOME, HttpServerFixture, HttpTestResponse, json_body, send_request};
use super::terminal_logins::BrowserLogin;

const PROVIDERS: &str = "/v1/providers";

fn code(told: &HttpTestResponse) -> (u16, &str) {
    (told.status, told.code())
}

/// Input: a key by a program's token with every right, by the admin of one workspace, by a page of another origin, by a
/// cookie alone, and by a browser that is logged in; expected: only the last one reaches the operator.
#[tokio::test(flavor = "multi_thread")]
async fn only_a_logged_in_operator_sets_up_providers() {
    let scene = HttpServerFixture::new().await;
    let root = scene.token("root", AccessReach::Everywhere, &[TokenScope::Admin]).await;
    let (ann, browser) = (scene.admin("ann", HOME).await, BrowserLogin::start(&scene).await);
    let new = json!({ "source": "rehearsed" });
    let change = json!({ "model": "m" });
    for (method, path, body) in
        [(Method::POST, PROVIDERS, &new), (Method::PATCH, "/v1/providers/fake", &change)]
    {
        let by_token = |token: &str| {
            let request = scene.request(method.clone(), path, token).header("if-match", "\"p1\"");
            send_request(json_body(request, body))
        };
        assert_eq!(code(&by_token(&root).await), (403, "login-needed"), "{method}");
        assert_eq!(code(&by_token(&ann).await), (403, "scope-missing"), "{method}");
        let url = format!("{}{path}", scene.url);
        let cookie = || scene.client.request(method.clone(), &url).header("cookie", &browser.cookie);
        let forged =
            cookie().header("entracte-proof", &browser.proof).header("origin", "http://evil.example");
        assert_eq!(code(&send_request(json_body(forged, body)).await), (403, "origin-refused"), "{method}");
        let unproven = cookie().header("origin", format!("http://{}", scene.host));
        assert_eq!(code(&send_request(json_body(unproven, body)).await), (401, "unauthorized"), "{method}");
    }
    let made = browser.ask(&scene, Method::POST, PROVIDERS, Some(new)).await;
    assert_eq!((made.status, &made.body["name"]), (201, &json!("fake")), "{made:?}");
    let unread = browser.ask(&scene, Method::PATCH, "/v1/providers/fake", Some(change)).await;
    assert_eq!(code(&unread), (428, "precondition-required"));
}

/// Input: bodies with a key that are refused; expected: no answer repeats the key.
#[tokio::test(flavor = "multi_thread")]
async fn refusal_never_repeats_the_key() {
    let scene = HttpServerFixture::new().await;
    let browser = BrowserLogin::start(&scene).await;
    let ask = async |body: Value| browser.ask(&scene, Method::POST, PROVIDERS, Some(body)).await;
    let unanswered = ask(json!({ "source": "key", "key": "sk-SECRET" })).await;
    assert_eq!(
        (code(&unanswered), unanswered.body["detail"].as_str()),
        ((409, "not-applicable"), Some("no answer (en)"))
    );
    for wrong in [
        json!({ "source": "key", "key": "sk-SECRET", "secret": "sk-SECRET" }),
        json!({ "source": "key", "key": ["sk-SECRET"] }),
        json!({ "source": "sk-SECRET" }),
        json!({ "source": "server", "key": "sk-SECRET" }),
        json!({ "key": "sk-SECRET" }),
    ] {
        let refused = ask(wrong).await;
        assert!(refused.status == 422 && !refused.text.contains("SECRET"), "{refused:?}");
    }
}

/// Input: a search for model servers with an admin token of every workspace; expected: each found server with its models.
#[tokio::test(flavor = "multi_thread")]
async fn model_servers_are_listed_with_their_models() {
    let scene = HttpServerFixture::new().await;
    let root = scene.token("root", AccessReach::Everywhere, &[TokenScope::Admin]).await;
    let found = scene.post("/v1/model-servers/search", &root, json!({})).await;
    let server = &found.body["servers"][0];
    assert_eq!(
        (found.status, &server["name"], &server["models"]),
        (200, &json!("ollama"), &json!(["small"]))
    );
}

/// Input: the providers, read with `read`, as the admin of one workspace, and as an operator with and without `admin`;
/// expected: only the operator with `admin` learns where an entry stands, and whether its key is set.
#[tokio::test(flavor = "multi_thread")]
async fn only_an_operator_learns_of_the_machine() {
    let scene = HttpServerFixture::new().await;
    let home = || AccessReach::Workspace(WorkspaceKey::new(HOME));
    let cases = [
        (home(), TokenScope::Read, false),
        (home(), TokenScope::Admin, false),
        (AccessReach::Everywhere, TokenScope::Read, false),
        (AccessReach::Everywhere, TokenScope::Admin, true),
    ];
    for (reach, scope, learns) in cases {
        let told = format!("{reach:?} {scope:?}");
        let token = scene.token("ann", reach, &[scope]).await;
        let one = scene.get("/v1/providers/fake", &token).await.body;
        let all = scene.get(PROVIDERS, &token).await.body["items"][0].clone();
        for shape in [one, all] {
            assert_eq!(shape["name"], "fake", "{told}: {shape}");
            let seen = (shape["origin"] == "built in", shape["key_set"] == true);
            assert_eq!(seen, (learns, learns), "{told}: {shape}");
        }
    }
}
