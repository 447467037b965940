use std::sync::Arc;

use entracte_application::ports::{AccessReach, TokenScope};
use entracte_application::system::RandomIdGenerator;
use entracte_application::use_cases::CreateLoginLink;
use entracte_domain::time::Millis;
use reqwest::Method;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

use super::server_fixture::{HOME, HttpServerFixture, HttpTestResponse, json_body, send_request};

/// The secret of a login link of Ann's.
async fn link(scene: &HttpServerFixture) -> SecretString {
    let clock = scene.life.services.clock.clone();
    let offer = CreateLoginLink::new(scene.state.access_store(), clock, Arc::new(RandomIdGenerator));
    offer.run("ann", Millis::minutes(10)).await.unwrap().secret
}

async fn log_in(scene: &HttpServerFixture, secret: &str) -> HttpTestResponse {
    let request = scene.client.post(format!("{}/v1/login", scene.url));
    send_request(json_body(request, &json!({ "secret": secret }))).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_logs_one_browser_in_once() {
    let scene = HttpServerFixture::new().await;
    let link = link(&scene).await;
    // Opening the page alone spends nothing.
    let page = scene.client.get(format!("{}/login", scene.url)).send().await.unwrap();
    let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'"));

    let logged_in = log_in(&scene, link.expose_secret()).await;
    assert_eq!(logged_in.status, 200, "{logged_in:?}");
    let cookie = logged_in.headers["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.contains("; HttpOnly; SameSite=Strict"), "{cookie}");
    let again = log_in(&scene, link.expose_secret()).await;
    assert_eq!((again.status, again.code()), (410, "link-spent"));

    let pair = cookie.split(';').next().unwrap().to_owned();
    let proof = logged_in.body["proof"].as_str().unwrap().to_owned();
    let ask = |method: Method, path: &str, headers: &[(&str, &str)]| {
        let mut request =
            scene.client.request(method, format!("{}{path}", scene.url)).header("cookie", &pair);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        send_request(request)
    };
    let me = ask(Method::GET, "/v1/me", &[("entracte-proof", &proof)]).await;
    assert_eq!((me.status, &me.body["token"]["person"]["name"]), (200, &json!("ann")));
    // Another port of this machine gets the cookie, but not the proof.
    assert_eq!(ask(Method::GET, "/v1/me", &[]).await.status, 401);
    let origin = format!("http://{}", scene.host);
    let blind = ask(Method::POST, "/v1/logout", &[("entracte-proof", &proof)]).await;
    assert_eq!(blind.code(), "origin-refused");
    let left = ask(Method::POST, "/v1/logout", &[("entracte-proof", &proof), ("origin", &origin)]).await;
    assert_eq!(left.status, 204, "{left:?}");
    assert_eq!(ask(Method::GET, "/v1/me", &[("entracte-proof", &proof)]).await.status, 401);
}

/// Input: an operator who is logged in with a browser asks for a link for a phone, at a server that only this machine can
/// open; expected: why there is none; and none for another address or for a program's token, whatever its scopes. The link
/// itself: `console_logs_a_phone_in_once`.
#[tokio::test(flavor = "multi_thread")]
async fn code_for_a_phone_is_for_who_logged_in() {
    let scene = HttpServerFixture::new().await;
    let logged_in = log_in(&scene, link(&scene).await.expose_secret()).await;
    let cookie = logged_in.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let proof = logged_in.body["proof"].as_str().unwrap().to_owned();
    let origin = format!("http://{}", scene.host);
    let asked = async |body: &serde_json::Value| {
        let request = scene.client.post(format!("{}/v1/login/links", scene.url)).header("cookie", &cookie);
        let request = request.header("entracte-proof", &proof).header("origin", &origin);
        send_request(json_body(request, body)).await
    };
    let here = asked(&json!({ "origin": origin })).await;
    assert_eq!((here.status, here.code()), (409, "not-applicable"), "{here:?}");
    assert_eq!(asked(&json!({ "origin": "https://evil.example" })).await.code(), "invalid");
    let root = scene.token("ann", AccessReach::Everywhere, &[TokenScope::Admin]).await;
    let program = scene.post("/v1/login/links", &root, json!({ "origin": origin })).await;
    assert_eq!(program.code(), "login-needed");
}

/// A link's secret is neither a program's token nor a cookie; and a program's token logs no browser in.
#[tokio::test(flavor = "multi_thread")]
async fn login_link_is_valid_for_login_only() {
    let scene = HttpServerFixture::new().await;
    let link = link(&scene).await;
    let secret = link.expose_secret();
    let me = format!("{}/v1/me", scene.url);
    let bearer = send_request(scene.client.get(&me).bearer_auth(secret)).await;
    let cookie = send_request(scene.client.get(&me).header("cookie", format!("entracte={secret}"))).await;
    assert_eq!((bearer.status, cookie.status), (401, 401));
    assert_eq!(log_in(&scene, &scene.admin("ann", HOME).await).await.code(), "link-spent");
    assert_eq!(log_in(&scene, secret).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn guessed_login_link_is_refused() {
    let scene = HttpServerFixture::new().await;
    let _link = link(&scene).await;
    for guess in ["guess", "entr_k1.guess"] {
        assert_eq!(log_in(&scene, guess).await.code(), "link-spent", "{guess}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_load_nothing_external() {
    let scene = HttpServerFixture::new().await;
    for path in ["/a", "/a.js", "/docs", "/docs.js", "/login", "/inbox/apr_1", "/pages.css"] {
        let page = scene.client.get(format!("{}{path}", scene.url)).send().await.unwrap();
        assert_eq!(page.status().as_u16(), 200, "{path}");
        let text = page.text().await.unwrap();
        assert!(!text.contains("http://") && !text.contains("https://"), "{path}");
        assert!(!text.contains("innerHTML"), "{path}");
    }
}

/// Input: an address that does not exist, opened by a browser and by a program; expected: a page in the browser's language
/// with the way back, and JSON. A path of the API is no exception.
#[tokio::test]
async fn missing_page_is_told_in_words() {
    let scene = HttpServerFixture::new().await;
    for path in ["/nope", "/v1/nope"] {
        let open = |accept: &str| scene.client.get(format!("{}{path}", scene.url)).header("accept", accept);
        let page = open("text/html,*/*;q=0.8").header("accept-language", "fr-CA").send().await.unwrap();
        let kind = page.headers()["content-type"].to_str().unwrap().to_owned();
        assert_eq!((page.status().as_u16(), kind.as_str()), (404, "text/html; charset=utf-8"), "{path}");
        assert!(page.headers().contains_key("content-security-policy"), "{path}");
        let text = page.text().await.unwrap();
        assert!(text.contains("lang=\"fr\"") && text.contains("Cette page n’existe pas"), "{text}");
        assert!(text.contains("href=\"/\""), "{text}");
        let told = send_request(open("application/json")).await;
        assert_eq!((told.status, told.code()), (404, "not-found"), "{path}");
    }
}
