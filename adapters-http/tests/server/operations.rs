//! Operator routes for the whole process, and the people of a workspace.

use entracte_application::ports::{AccessReach, TokenScope};
use reqwest::Method;
use serde_json::{Value, json};

use super::server_fixture::{HOME, HttpServerFixture, HttpTestResponse, json_body, send_request};

fn home(rest: &str) -> String {
    format!("/v1/workspaces/{HOME}/{rest}")
}

async fn root(scene: &HttpServerFixture) -> String {
    scene.token("root", AccessReach::Everywhere, &[TokenScope::Admin]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_routes_need_operator() {
    let scene = HttpServerFixture::new().await;
    let (root, ann) = (root(&scene).await, scene.admin("ann", HOME).await);
    let doctor = scene.get("/v1/admin/doctor", &root).await;
    assert_eq!((doctor.status, &doctor.body["checks"][0]["grade"]), (200, &json!("ok")), "{doctor:?}");
    assert_eq!(doctor.body["checks"].as_array().unwrap().len(), 1, "nobody else is asked");
    let around = scene.post("/v1/admin/doctor", &root, json!({})).await;
    assert_eq!((around.status, &around.body["checks"][1]["says"]), (200, &json!("it answers")), "{around:?}");
    let owner = scene.get("/v1/admin/owner", &root).await;
    assert_eq!(owner.body, json!({ "here": true, "holder": null }));
    let config = scene.get("/v1/admin/config", &root).await;
    assert_eq!(config.body["settings"][0]["key"], "author");
    assert_eq!(config.body["pending"], json!(["mcp.late"]));
    let check = scene.post("/v1/admin/check", &root, json!({})).await;
    assert_eq!((check.status, &check.body["faults"]), (200, &json!([])));
    let backup = scene.post("/v1/admin/backups", &root, json!({})).await;
    assert_eq!((backup.status, &backup.body["file"]), (201, &json!("entracte-1.db")));
    let refused = scene.post("/v1/admin/backups", &ann, json!({})).await;
    assert_eq!(
        (refused.status, refused.code()),
        (403, "scope-missing"),
        "an admin of one workspace is not enough"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_tool_acceptance_needs_its_tag() {
    let scene = HttpServerFixture::new().await;
    scene.life.chat(false).await;
    let root = root(&scene).await;
    let path = home("commands/files.read/acceptance");
    let accept = |etag: Option<&'static str>, body: Value| {
        let request = scene.request(Method::PUT, &path, &root);
        let request =
            etag.map(|etag| request.try_clone().unwrap().header("if-match", etag)).unwrap_or(request);
        async move { send_request(json_body(request, &body)).await }
    };
    let offers = scene.get(&home("tool-offers"), &root).await.body;
    assert_eq!((&offers["items"][0]["tool"], &offers["items"][0]["digest"]), (&json!("read"), &json!("d1")));
    let offer = scene.get(&path, &root).await;
    assert_eq!(
        (offer.status, offer.etag.as_deref(), &offer.body["waits"]),
        (200, Some("\"d1\""), &json!(true))
    );
    let code = |told: HttpTestResponse| (told.status, told.code().to_owned());
    assert_eq!(code(accept(None, json!({})).await), (428, "precondition-required".into()));
    assert_eq!(code(accept(Some("\"d0\""), json!({})).await), (412, "changed".into()));
    let loosened = accept(Some("\"d1\""), json!({})).await;
    assert_eq!(loosened.body["fields"][0]["path"], "without_approval", "it is said that approval goes");
    let accepted = accept(Some("\"d1\""), json!({ "without_approval": true })).await;
    assert_eq!(accepted.status, 200, "{accepted:?}");
}

/// Input: the tools of a server, read and decided by tokens of several reaches; expected: everybody reads them, and only
/// the operator decides, about the tools that were read.
#[tokio::test(flavor = "multi_thread")]
async fn tool_decision_needs_operator_and_tag() {
    let scene = HttpServerFixture::new().await;
    let (root, ann) = (root(&scene).await, scene.admin("ann", HOME).await);
    // A workspace that is not there has no tools either.
    scene.life.chat(false).await;
    let path = home("tool-servers/files");
    let listed = scene.get(&home("tool-servers"), &ann).await;
    let tool = &listed.body["items"][0]["tools"][0];
    assert_eq!(
        (&tool["tool"], &tool["asks"], &tool["kind"]),
        (&json!("read"), &json!(true), &json!("query"))
    );
    assert_eq!((&tool["hints"]["read_only"], &tool["sends_out"]), (&json!(true), &Value::Null));
    let commands = scene.get(&home("commands?limit=1"), &ann).await.body;
    let unusable = json!({ "name": "files.watch", "argument": null, "why": "its schema is too large" });
    assert_eq!(
        (&commands["out_of_use"], &commands["unchecked"], &commands["unlisted_servers"]),
        (&json!([unusable]), &json!([]), &json!(["notes"]))
    );
    let command = &commands["items"][0];
    assert!(command["tokens"].as_u64().unwrap() > 0 && command["server"].is_null(), "{command}");
    let read = scene.get(&path, &ann).await;
    assert_eq!(scene.get(&home("tool-servers/other"), &ann).await.status, 404);
    let decide = |token: &str, etag: Option<&str>, body: Value| {
        let request = scene.request(Method::POST, &format!("{path}/decision"), token);
        let request =
            etag.map(|etag| request.try_clone().unwrap().header("if-match", etag)).unwrap_or(request);
        send_request(json_body(request, &body))
    };
    let code = |told: HttpTestResponse| (told.status, told.code().to_owned());
    let (etag, trust) = (read.etag.as_deref(), json!({ "choice": "trust" }));
    assert!(etag.is_some(), "{read:?}");
    assert_eq!(code(decide(&ann, etag, trust.clone()).await), (403, "scope-missing".into()));
    assert_eq!(code(decide(&root, None, trust.clone()).await), (428, "precondition-required".into()));
    assert_eq!(code(decide(&root, Some("\"other\""), trust.clone()).await), (412, "changed".into()));
    assert_eq!(decide(&root, etag, json!({ "choice": "trusted" })).await.status, 422);
    let none = json!({ "choice": "trust", "tools": ["none"] });
    assert_eq!(code(decide(&root, etag, none).await), (404, "not-found".into()));
    let decided = decide(&root, etag, trust).await;
    assert_eq!((decided.status, &decided.body["decided"]), (200, &json!(["read"])), "{decided:?}");
    assert_eq!(decided.body["now"]["server"], "files");
}

#[tokio::test(flavor = "multi_thread")]
async fn provider_change_needs_its_tag() {
    let scene = HttpServerFixture::new().await;
    let root = root(&scene).await;
    let put = |name: &str, header: Option<(&'static str, &'static str)>, settings: Value| {
        let request = scene.request(Method::PUT, &format!("/v1/providers/{name}"), &root);
        let request = header.into_iter().fold(request, |request, (name, value)| request.header(name, value));
        send_request(json_body(request, &json!({ "settings": settings })))
    };
    let groq = || json!({ "kind": "groq", "api_key_env": "GROQ_API_KEY" });
    let read = scene.get("/v1/providers/fake", &root).await;
    assert_eq!(read.etag.as_deref(), Some("\"p1\""), "{read:?}");
    assert_eq!(read.body["fallback"], json!({ "down": ["spare"] }), "who goes on where it fails");
    let code = |told: HttpTestResponse| (told.status, told.code().to_owned());
    assert_eq!(code(put("fake", None, groq()).await), (428, "precondition-required".into()));
    assert_eq!(code(put("fake", Some(("if-match", "\"p0\"")), groq()).await), (412, "changed".into()));
    assert_eq!(code(put("fake", Some(("if-none-match", "*")), groq()).await), (412, "changed".into()));
    assert_eq!(code(put("other", Some(("if-match", "\"p1\"")), groq()).await), (404, "not-found".into()));
    let wrong = put("fake", Some(("if-match", "\"p1\"")), json!({})).await;
    assert_eq!(code(wrong), (422, "invalid".into()));
    let written = put("fake", Some(("if-match", "\"p1\"")), groq()).await;
    assert_eq!((written.status, &written.body["counts"]), (200, &json!("at once")), "{written:?}");
    assert_eq!(put("other", Some(("if-none-match", "*")), groq()).await.status, 201);
    let gone = scene.request(Method::DELETE, "/v1/providers/fake", &root).header("if-match", "\"p1\"");
    assert_eq!(send_request(gone).await.status, 204);
}

#[tokio::test(flavor = "multi_thread")]
async fn expelled_person_loses_rights_and_keeps_name() {
    let scene = HttpServerFixture::new().await;
    scene.life.chat(true).await;
    let (ann, root) = (scene.admin("ann", HOME).await, root(&scene).await);
    let people = home("people");
    let added = scene.post(&people, &root, json!({ "name": "eve" })).await;
    assert_eq!((added.status, &added.body["workspace"]), (201, &json!(HOME)), "{added:?}");
    let again = scene.post(&people, &root, json!({ "name": "eve" })).await;
    assert_eq!((again.status, &again.body["id"]), (200, &added.body["id"]));
    let wrong = scene.post(&people, &root, json!({ "name": " " })).await;
    assert_eq!((wrong.status, wrong.code()), (422, "invalid"));

    let eve = scene.admin("eve", HOME).await;
    let target = json!({ "name": "hers", "ntfy": "https://ntfy.example/eve", "wants": { "private": true, "links": true } });
    assert_eq!(scene.post(&home("targets"), &eve, target).await.status, 201);
    let secret = json_body(
        scene.request(Method::PUT, &home("me/secrets/github"), &eve),
        &json!({ "secret": "ghp_1234567890" }),
    );
    assert!(send_request(secret).await.status < 300);
    let path = format!("{people}/{}", added.body["id"].as_str().unwrap());
    let one = scene.get(&path, &ann).await;
    assert_eq!(
        (one.status, &one.body["name"], &one.body["tokens"]),
        (200, &json!("eve"), &json!(1)),
        "{one:?}"
    );

    let expelled = send_request(scene.request(Method::DELETE, &path, &ann)).await;
    assert_eq!(expelled.status, 204, "{expelled:?}");
    let gone = scene.get(&people, &eve).await;
    assert_eq!((gone.status, gone.code()), (401, "unauthorized"));
    let targets = scene.get(&home("targets"), &ann).await;
    assert_eq!(targets.body["items"], json!([]), "nobody holds a link of hers");
    assert_eq!(scene.get(&path, &ann).await.body["tokens"], json!(0));
    let back = scene.admin("eve", HOME).await;
    assert_eq!(
        scene.get(&home("me/secrets"), &back).await.body["names"],
        json!([]),
        "her secrets are forgotten"
    );
}

/// Input: Eve adds a private target, and is expelled while its address is checked. Expected: she is refused, and no
/// target of hers remains.
#[tokio::test(flavor = "multi_thread")]
async fn expelled_person_cannot_finish_pending_request() {
    let scene = HttpServerFixture::new().await;
    let (ann, eve) = (scene.admin("ann", HOME).await, scene.admin("eve", HOME).await);
    let people = scene.get(&home("people"), &ann).await;
    let person = people.body["items"].as_array().unwrap().iter().find(|one| one["name"] == "eve").unwrap();
    let path = format!("{}/{}", home("people"), person["id"].as_str().unwrap());
    let target = json!({ "name": "hers", "ntfy": "https://ntfy.example/eve", "wants": { "private": true, "links": true } });
    scene.outside.hold_checks(true);
    let targets = home("targets");
    let adding = scene.post(&targets, &eve, target);
    let expelling = async {
        while scene.outside.checked() == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(send_request(scene.request(Method::DELETE, &path, &ann)).await.status, 204);
        scene.outside.hold_checks(false);
    };
    let (added, ()) = tokio::join!(adding, expelling);
    assert_eq!((added.status, added.code()), (401, "unauthorized"), "{added:?}");
    assert_eq!(scene.get(&home("targets"), &ann).await.body["items"], json!([]));
}

/// Input: the log of the process, asked for by its operator and by an admin of one workspace; expected: the lines of the level
/// that was asked for, for the operator alone.
#[tokio::test(flavor = "multi_thread")]
async fn log_is_for_the_operator() {
    let scene = HttpServerFixture::new().await;
    let root = scene.token("root", AccessReach::Everywhere, &[TokenScope::Admin]).await;
    let shown = async |query: &str| {
        let read = scene.get(&format!("/v1/admin/log{query}"), &root).await;
        let lines = read.body["lines"].as_array().cloned().unwrap_or_default();
        (read.status, lines.iter().map(|line| line["level"].clone()).collect::<Vec<_>>())
    };
    assert_eq!(shown("").await, (200, vec![json!("warn"), json!("info")]));
    assert_eq!(shown("?level=warn&text=TARGET").await, (200, vec![json!("warn")]));
    assert_eq!(shown("?after=1").await, (200, vec![json!("info")]));
    assert_eq!(shown("?level=loud").await.0, 422);
    let ann = scene.admin("ann", HOME).await;
    assert_eq!(scene.get("/v1/admin/log", &ann).await.code(), "scope-missing");
}
