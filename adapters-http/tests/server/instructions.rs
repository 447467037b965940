use entracte_application::ports::{AccessReach, TokenScope};
use entracte_domain::id::WorkspaceKey;
use reqwest::Method;
use serde_json::{Value, json};

use super::server_fixture::{HOME, HttpServerFixture as Stage, HttpTestResponse, json_body, send_request};

async fn write(stage: &Stage, path: &str, token: &str, etag: &str, body: Value) -> HttpTestResponse {
    send_request(json_body(stage.request(Method::PATCH, path, token).header("if-match", etag), &body)).await
}

/// Input: instructions of each scope, written by authorized people; expected: versions, and no change without
/// `If-Match`.
#[tokio::test(flavor = "multi_thread")]
async fn instructions_are_read_written_and_listed() {
    let stage = Stage::new().await;
    let ann = stage.admin("ann", HOME).await;
    let (session, _) = stage.request_zone_approval().await;
    let (_, automation) = stage.create_rule_and_automation(&session).await;
    let base = format!("/v1/workspaces/{HOME}");
    for path in [
        format!("{base}/instructions"),
        format!("{base}/sessions/{session}/instructions"),
        format!("{base}/automations/{automation}/instructions"),
    ] {
        let none = stage.get(&path, &ann).await;
        assert_eq!((&none.body["version"], &none.body["text"]), (&json!(0), &json!("")), "{path}");
        let etag = none.etag.unwrap();
        let first = write(&stage, &path, &ann, &etag, json!({ "text": "You are Fernando.\r\n" })).await;
        assert_eq!((first.status, &first.body["text"]), (200, &json!("You are Fernando.")), "{first:?}");
        let late = write(&stage, &path, &ann, &etag, json!({ "text": "You are Nora." })).await;
        assert_eq!((late.status, late.code()), (412, "changed"));
        assert_eq!(late.body["current"]["author"], first.body["author"]);
        let from_file = json!({ "text": "You are Nora.", "file": "nora.md" });
        let second = write(&stage, &path, &ann, &first.etag.unwrap(), from_file).await;
        assert_eq!(second.body["source"], "file:nora.md");
        let cleared = write(&stage, &path, &ann, &second.etag.unwrap(), json!({ "text": "" })).await;
        assert_eq!((&cleared.body["version"], &cleared.body["text"]), (&json!(3), &json!("")));
        let page = stage.get(&format!("{path}/versions?limit=2"), &ann).await;
        let versions = |page: &HttpTestResponse| {
            let all = page.body["items"].as_array().unwrap();
            all.iter().map(|one| one["version"].as_u64().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(versions(&page), [3, 2]);
        let next = page.body["next"].as_str().unwrap();
        let last = stage.get(&format!("{path}/versions?limit=2&after={next}"), &ann).await;
        assert_eq!((versions(&last), &last.body["next"]), (vec![1], &Value::Null));
        let wrong = write(&stage, &path, &ann, &cleared.etag.unwrap(), json!({ "text": "a\u{0}b" })).await;
        assert_eq!(wrong.status, 422, "{wrong:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn workspace_instructions_need_admin() {
    let stage = Stage::new().await;
    let (session, _) = stage.request_zone_approval().await;
    let home = AccessReach::Workspace(WorkspaceKey::new(HOME));
    let bob = stage.token("bob", home, &[TokenScope::Read, TokenScope::Chat]).await;
    let of_all = format!("/v1/workspaces/{HOME}/instructions");
    let own = format!("/v1/workspaces/{HOME}/sessions/{session}/instructions");
    let etag = stage.get(&of_all, &bob).await.etag.unwrap();
    assert_eq!(write(&stage, &of_all, &bob, &etag, json!({ "text": "Mine." })).await.status, 403);
    let etag = stage.get(&own, &bob).await.etag.unwrap();
    assert_eq!(write(&stage, &own, &bob, &etag, json!({ "text": "Be brief." })).await.status, 200);
}
