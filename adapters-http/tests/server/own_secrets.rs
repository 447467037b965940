use entracte_application::ports::{AccessReach, TokenScope};
use entracte_domain::id::WorkspaceKey;
use reqwest::Method;
use serde_json::json;

use super::server_fixture::{HOME, HttpServerFixture, OTHER, json_body, send_request};

/// Input: Ann stores a secret; expected: she sees its name, no other person does, and no person sees the secret again.
#[tokio::test(flavor = "multi_thread")]
async fn own_secrets_are_visible_to_owner_only() {
    let scene = HttpServerFixture::new().await;
    let home = || AccessReach::Workspace(WorkspaceKey::new(HOME));
    let ann = scene.token("ann", home(), &[TokenScope::Read, TokenScope::Secret]).await;
    let bob = scene.token("bob", home(), &[TokenScope::Admin]).await;
    let path = |workspace: &str| format!("/v1/workspaces/{workspace}/me/secrets");
    let put = |token: &str, name: &str, secret: &str| {
        let request = scene.request(Method::PUT, &format!("{}/{name}", path(HOME)), token);
        send_request(json_body(request, &json!({ "secret": secret })))
    };
    assert_eq!(put(&ann, "github", "ghp_1234567890").await.status, 204);
    let mine = scene.get(&path(HOME), &ann).await;
    assert_eq!(mine.body, json!({ "person": "ann", "names": ["github"] }), "and nothing else");
    assert_eq!(
        scene.get(&path(HOME), &bob).await.body,
        json!({ "person": "bob", "names": [] }),
        "an admin is another person"
    );
    assert_eq!(scene.get(&path(OTHER), &ann).await.status, 404);
    let wrong = put(&ann, "git%20hub", "ghp_1234567890").await;
    assert_eq!((wrong.status, wrong.code()), (422, "invalid"));
    let wrong = put(&ann, "github", "two\nlines-of-it").await;
    assert!(wrong.status == 422 && !wrong.body.to_string().contains("lines-of-it"), "{wrong:?}");

    let remove =
        |token: &str| send_request(scene.request(Method::DELETE, &format!("{}/github", path(HOME)), token));
    assert_eq!(remove(&bob).await.status, 404);
    assert_eq!(remove(&ann).await.status, 204);
    assert_eq!(remove(&ann).await.status, 404);
}

/// Input: tokens of each other scope that would store, replace and remove an own secret, and read the names; expected:
/// only `secret` and `admin` change one, and `read` reads the names.
#[tokio::test(flavor = "multi_thread")]
async fn own_secrets_need_secret_scope() {
    let scene = HttpServerFixture::new().await;
    let home = || AccessReach::Workspace(WorkspaceKey::new(HOME));
    let path = format!("/v1/workspaces/{HOME}/me/secrets");
    let one = format!("{path}/github");
    let put = |token: &str, secret: &str| {
        send_request(json_body(scene.request(Method::PUT, &one, token), &json!({ "secret": secret })))
    };
    let remove = |token: &str| send_request(scene.request(Method::DELETE, &one, token));
    let keeper = scene.token("ann", home(), &[TokenScope::Secret]).await;
    assert_eq!(put(&keeper, "ghp_1234567890").await.status, 204);
    for scope in [TokenScope::Read, TokenScope::Chat, TokenScope::Approve] {
        let other = scene.token("ann", home(), &[scope]).await;
        assert_eq!(put(&other, "of-somebody-else").await.code(), "scope-missing", "{scope:?}");
        assert_eq!(remove(&other).await.code(), "scope-missing", "{scope:?}");
    }
    let reader = scene.token("ann", home(), &[TokenScope::Read]).await;
    assert_eq!(scene.get(&path, &reader).await.body["names"], json!(["github"]));
    assert_eq!(scene.get(&path, &keeper).await.code(), "scope-missing");
    assert_eq!(remove(&scene.admin("ann", HOME).await).await.status, 204);
}
