use entracte_application::ports::{AccessReach, TokenScope};
use entracte_domain::id::WorkspaceKey;
use reqwest::Method;
use serde_json::json;

use super::server_fixture::{HOME, HttpServerFixture, json_body, send_request};

/// Input: a workspace that ann holds, and noe who holds it too; expected: noe is refused with a code of its own and with
/// ann's hold, ann may change her reason, and noe holds it once it is released.
#[tokio::test(flavor = "multi_thread")]
async fn hold_of_another_person_is_refused() {
    let stage = HttpServerFixture::new().await;
    stage.request_zone_approval().await;
    let ann = stage.admin("ann", HOME).await;
    let home = AccessReach::Workspace(WorkspaceKey::new(HOME));
    let noe = stage.token("noe", home, &[TokenScope::Read, TokenScope::Approve]).await;
    let path = format!("/v1/workspaces/{HOME}/retention/holds/workspace");
    let hold = async |token: &str, reason: &str| {
        send_request(json_body(stage.request(Method::PUT, &path, token), &json!({ "reason": reason }))).await
    };
    assert_eq!(hold(&ann, "Audit.").await.status, 200);
    let refused = hold(&noe, "My own.").await;
    assert_eq!((refused.status, refused.code()), (409, "already-held"), "{refused:?}");
    assert_eq!(refused.body["detail"], "the workspace is already held by ann: Audit.");
    let current = &refused.body["current"];
    assert_eq!((&current["author"], &current["reason"]), (&json!("ann"), &json!("Audit.")), "{refused:?}");

    assert_eq!(hold(&ann, "The audit goes on.").await.status, 200);
    let held = stage.get(&format!("/v1/workspaces/{HOME}/retention"), &noe).await.body;
    assert_eq!(held["holds"].as_array().unwrap().len(), 1, "{held}");
    assert_eq!(held["holds"][0]["reason"], "The audit goes on.", "{held}");

    let released = send_request(stage.request(Method::DELETE, &path, &noe)).await;
    assert_eq!(released.status, 204, "{released:?}");
    assert_eq!(hold(&noe, "My own.").await.status, 200);
}
