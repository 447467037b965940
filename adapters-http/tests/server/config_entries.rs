//! Entries of the configuration that a person edits in the console: who may, and what comes back.

use entracte_application::ports::{AccessReach, TokenScope};
use reqwest::Method;
use serde_json::{Value, json};

use super::server_fixture::{HOME, HttpServerFixture, HttpTestResponse, json_body, send_request};
use super::terminal_logins::BrowserLogin;

const FILES: &str = "/v1/admin/config/mcp-servers/files";

fn code(told: &HttpTestResponse) -> (u16, &str) {
    (told.status, told.code())
}

/// A request of a browser that is logged in, with one more header.
async fn ask(
    scene: &HttpServerFixture,
    browser: &BrowserLogin,
    (method, path): (Method, &str),
    header: (&'static str, &str),
    body: &Value,
) -> HttpTestResponse {
    let request = scene.client.request(method, format!("{}{path}", scene.url));
    let request = request
        .header("cookie", &browser.cookie)
        .header("entracte-proof", &browser.proof)
        .header("origin", format!("http://{}", scene.host))
        .header(header.0, header.1);
    send_request(json_body(request, body)).await
}

/// Input: a change by a program's token with every right, by the admin of one workspace, and by a browser that is logged in;
/// expected: only the last one writes, and the operator's token still reads.
#[tokio::test(flavor = "multi_thread")]
async fn only_a_logged_in_operator_writes_entries() {
    let scene = HttpServerFixture::new().await;
    let root = scene.token("root", AccessReach::Everywhere, &[TokenScope::Admin]).await;
    let (ann, browser) = (scene.admin("ann", HOME).await, BrowserLogin::start(&scene).await);
    let edit = json!({ "settings": { "url": "https://files.example/mcp" } });
    for (method, body) in [(Method::PUT, edit.clone()), (Method::DELETE, json!({}))] {
        let by_token = |token: &str| {
            let request = scene.request(method.clone(), FILES, token).header("if-match", "\"e1\"");
            send_request(json_body(request, &body))
        };
        assert_eq!(code(&by_token(&root).await), (403, "login-needed"), "{method}");
        assert_eq!(code(&by_token(&ann).await), (403, "scope-missing"), "{method}");
    }
    let read = scene.get(FILES, &root).await;
    assert_eq!(
        (read.status, read.etag.as_deref(), &read.body["editable"]),
        (200, Some("\"e1\""), &json!(true))
    );
    assert_eq!(read.body["settings"]["headers"]["X-Team"], json!({ "hidden": true }));
    assert_eq!(code(&scene.get(FILES, &ann).await), (403, "scope-missing"));
    let written = ask(&scene, &browser, (Method::PUT, FILES), ("if-match", "\"e1\""), &edit).await;
    assert_eq!((written.status, &written.body["counts"]), (200, &json!("at once")), "{written:?}");
    let removed = ask(&scene, &browser, (Method::DELETE, FILES), ("if-match", "\"e1\""), &json!({})).await;
    assert_eq!(removed.status, 204, "{removed:?}");
}

/// Input: writes without a tag, with an old one, over an entry of that name, to an entry from elsewhere, to no section, and of
/// an entry that must work and does not; expected: each is refused in its own way, and a new entry is created.
#[tokio::test(flavor = "multi_thread")]
async fn entries_are_written_as_they_were_read() {
    let scene = HttpServerFixture::new().await;
    let browser = BrowserLogin::start(&scene).await;
    let edit = json!({ "settings": { "url": "https://files.example/mcp" } });
    let put = async |path: &str, header: (&'static str, &str), body: &Value| {
        ask(&scene, &browser, (Method::PUT, path), header, body).await
    };
    assert_eq!(code(&put(FILES, ("x-none", ""), &edit).await), (428, "precondition-required"));
    assert_eq!(code(&put(FILES, ("if-match", "\"e0\""), &edit).await), (412, "changed"));
    assert_eq!(code(&put(FILES, ("if-none-match", "*"), &edit).await), (412, "changed"));
    let elsewhere = "/v1/admin/config/mcp-servers/project";
    assert_eq!(code(&put(elsewhere, ("if-match", "\"e1\""), &edit).await), (404, "not-found"));
    let nowhere = "/v1/admin/config/cities/paris";
    assert_eq!(code(&put(nowhere, ("if-none-match", "*"), &edit).await), (404, "not-found"));
    let must = json!({ "settings": {}, "must_work": true });
    let unanswered = put(FILES, ("if-match", "\"e1\""), &must).await;
    assert_eq!(
        (code(&unanswered), unanswered.body["detail"].as_str()),
        ((409, "not-applicable"), Some("no answer (en)"))
    );
    let new = put("/v1/admin/config/embeddings/embeddings", ("if-none-match", "*"), &edit).await;
    assert_eq!((new.status, &new.body["counts"]), (201, &json!("from the next start")), "{new:?}");
}

/// Input: bodies with a secret in the wrong place; expected: no answer repeats it.
#[tokio::test(flavor = "multi_thread")]
async fn refusal_never_repeats_a_secret() {
    let scene = HttpServerFixture::new().await;
    let browser = BrowserLogin::start(&scene).await;
    for wrong in [
        json!({ "settings": {}, "secret": "sk-SECRET" }),
        json!({ "settings": {}, "secrets": ["sk-SECRET"] }),
        json!({ "settings": {}, "secrets": [{ "header": "a", "secret": ["sk-SECRET"] }] }),
        json!({ "settings": {}, "secrets": [{ "header": "a", "secret": "x", "sk-SECRET": 1 }] }),
    ] {
        let refused = ask(&scene, &browser, (Method::PUT, FILES), ("if-match", "\"e1\""), &wrong).await;
        assert!(refused.status == 422 && !refused.text.contains("SECRET"), "{refused:?}");
    }
}

/// Input: the list and a check by an operator's token; expected: every entry, and what the check says, in the language of the
/// browser.
#[tokio::test(flavor = "multi_thread")]
async fn entries_are_listed_and_checked() {
    let scene = HttpServerFixture::new().await;
    let root = scene.token("root", AccessReach::Everywhere, &[TokenScope::Admin]).await;
    let listed = scene.get("/v1/admin/config/mcp-servers", &root).await;
    let names: Vec<&str> =
        listed.body["items"].as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["files", "project"]);
    let request = scene.request(Method::POST, &format!("{FILES}/check"), &root);
    let checked = send_request(request.header("accept-language", "fr")).await;
    assert_eq!(
        (checked.status, &checked.body),
        (200, &json!({ "works": true, "says": "files answers (fr)" }))
    );
}

/// Input: an entry whose address and arguments may hold secrets, read by an operator's token and by a browser that is logged in;
/// expected: the token is shown the names only, the person everything.
#[tokio::test(flavor = "multi_thread")]
async fn program_reads_no_values_of_addresses() {
    let scene = HttpServerFixture::new().await;
    let root = scene.token("root", AccessReach::Everywhere, &[TokenScope::Admin]).await;
    let browser = BrowserLogin::start(&scene).await;
    for path in [FILES, "/v1/admin/config/mcp-servers"] {
        let read = scene.get(path, &root).await;
        assert!(read.status == 200 && !read.text.contains("SECRET"), "{read:?}");
        assert!(read.text.contains("https://files.example/mcp?team=…&path={path}"), "{read:?}");
    }
    let read = ask(&scene, &browser, (Method::GET, FILES), ("x-none", ""), &json!({})).await;
    let settings = &read.body["settings"];
    assert_eq!(settings["url"], "https://files.example/mcp?team=SECRET-QUERY&path={path}");
    assert_eq!(settings["args"], json!(["--token=SECRET-ARGUMENT"]));
}
