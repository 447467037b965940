use entracte_application::ports::{AccessReach, DeliveryOutcome, TokenScope};
use entracte_domain::id::WorkspaceKey;
use reqwest::Method;
use serde_json::{Value, json};

use super::server_fixture::{HOME, HttpServerFixture, HttpTestResponse, json_body, send_request};

fn home() -> AccessReach {
    AccessReach::Workspace(WorkspaceKey::new(HOME))
}

fn path() -> String {
    format!("/v1/workspaces/{HOME}/targets")
}

async fn change(scene: &HttpServerFixture, id: &str, token: &str, body: Value) -> HttpTestResponse {
    let request = scene.request(Method::PATCH, &format!("{}/{id}", path()), token);
    send_request(json_body(request, &body)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn target_is_added_tested_changed_and_removed() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.token("ann", home(), &[TokenScope::Read, TokenScope::Approve]).await;
    let new = json!({
        "name": "phone", "ntfy": "https://ntfy.example/a-secret-topic", "secret_env": "ENTRACTE_NOTIFY_TOKEN",
        "wants": { "kinds": ["approval.requested"], "quiet_hours": "22:00-07:00" },
    });
    let made = scene.post(&path(), &ann, new.clone()).await;
    assert_eq!((made.status, &made.body["person"]), (201, &json!("ann")), "{made:?}");
    assert_eq!(made.body["place"], "https://ntfy.example", "a topic is a secret of those who read it");
    assert_eq!(made.body["secret"], "env:ENTRACTE_NOTIFY_TOKEN");
    let id = made.body["id"].as_str().unwrap().to_owned();
    assert_eq!(scene.post(&path(), &ann, new).await.status, 409, "the name is taken");

    let tried = scene.post(&format!("{}/{id}/test", path()), &ann, json!({})).await;
    assert_eq!(tried.body, json!({ "taken": true, "why": null }));
    scene.outside.set_next_delivery(DeliveryOutcome::Refused("HTTP 500".into()));
    let tried = scene.post(&format!("{}/{id}/test", path()), &ann, json!({})).await;
    assert_eq!(tried.body, json!({ "taken": false, "why": "HTTP 500" }));
    let told = scene.get(&format!("/v1/workspaces/{HOME}/notifications"), &ann).await;
    let states: Vec<&Value> =
        told.body["items"].as_array().unwrap().iter().map(|one| &one["state"]).collect();
    assert_eq!(states.len(), 2, "{told:?}");
    assert!(states.contains(&&json!("sent")) && states.contains(&&json!("dead")));

    let changed =
        change(&scene, &id, &ann, json!({ "enabled": false, "wants": { "quiet_hours": "" } })).await;
    assert_eq!((&changed.body["disabled"], &changed.body["quiet_hours"]), (&json!("ann"), &Value::Null));
    assert_eq!(changed.body["kinds"], json!(["approval.requested"]), "what is left out stays");
    assert_eq!(scene.get(&format!("{}/{id}", path()), &ann).await.body, changed.body);
    let listed = scene.get(&path(), &ann).await;
    assert_eq!(listed.body["items"], json!([changed.body]));
    let gone =
        super::server_fixture::send_request(scene.request(Method::DELETE, &format!("{}/{id}", path()), &ann))
            .await;
    assert_eq!(gone.status, 204);
    assert_eq!(scene.get(&format!("{}/{id}", path()), &ann).await.status, 404);
}

/// A token with the scope `chat` only extracts no secret of the server, starts no program, and gives no person a
/// decision.
#[tokio::test(flavor = "multi_thread")]
async fn chat_token_gains_nothing_through_target() {
    let scene = HttpServerFixture::new().await;
    let chat = scene.token("eve", home(), &[TokenScope::Chat, TokenScope::Read]).await;
    let refused = scene.post(&path(), &chat, json!({ "name": "t", "ntfy": "https://evil.example/x" })).await;
    assert_eq!(refused.code(), "scope-missing");
    // A person with `approve` but without `read` is sent no more than a title.
    let eve = scene.token("eve", home(), &[TokenScope::Chat, TokenScope::Approve]).await;
    let ntfy = "https://evil.example/x";
    for secret in ["AWS_SECRET_ACCESS_KEY", "ENTRACTE_NOTIFY_", "ENTRACTE_NOTIFY_x", "HOME"] {
        let new = json!({ "name": "t", "ntfy": ntfy, "secret_env": secret });
        assert_eq!(scene.post(&path(), &eve, new).await.code(), "invalid", "{secret}");
    }
    for kept in ["env:AWS_SECRET_ACCESS_KEY", "env:ENTRACTE_NOTIFY_", "file:/etc/passwd"] {
        let new = json!({ "name": "t", "ntfy": kept });
        assert_eq!(scene.post(&path(), &eve, new).await.code(), "invalid", "{kept}");
    }
    let program = json!({ "name": "t", "command": ["/bin/sh", "-c", "id"] });
    assert_eq!(scene.post(&path(), &eve, program).await.code(), "invalid");
    for wants in
        [json!({ "links": true }), json!({ "private": true }), json!({ "private": true, "full": true })]
    {
        let new = json!({ "name": "t", "ntfy": ntfy, "wants": wants });
        assert_eq!(scene.post(&path(), &eve, new).await.code(), "scope-missing", "{wants}");
    }
    // Nor through another person's target, which acts for that person.
    let id = scene.target("mine", json!({ "links": true, "private": true })).await;
    let approver =
        scene.token("eve", home(), &[TokenScope::Chat, TokenScope::Read, TokenScope::Approve]).await;
    for token in [&eve, &approver] {
        let refused = change(&scene, &id, token, json!({ "wants": { "kinds": [] } })).await;
        assert_eq!(refused.code(), "scope-missing", "{refused:?}");
    }
    let plain = scene.target("plain", json!({})).await;
    let refused = change(&scene, &plain, &approver, json!({ "wants": { "links": true } })).await;
    assert_eq!(refused.code(), "scope-missing", "links of Ann's are for Ann to want: {refused:?}");
}

/// Input: a browser that subscribes, twice, and once more after its push service ended the subscription; expected: one
/// private target of its person, whose address nobody reads back.
#[tokio::test(flavor = "multi_thread")]
async fn browser_subscribes_to_push_messages() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.token("ann", home(), &[TokenScope::Read, TokenScope::Approve]).await;
    let key = scene.get(&format!("/v1/workspaces/{HOME}/push-key"), &ann).await;
    assert!(key.status == 200 && key.body["key"].is_string(), "{key:?}");

    let new = |name: &str, path: &str| {
        let endpoint = format!("https://push.example/send/{path}");
        json!({ "name": name, "push": { "endpoint": endpoint, "p256dh": "BA", "auth": "Bw" } })
    };
    let made = scene.post(&path(), &ann, new("phone", "canary-1")).await;
    assert_eq!((made.status, &made.body["way"]), (201, &json!("push")), "{made:?}");
    assert_eq!((&made.body["private"], &made.body["full"]), (&json!(true), &json!(false)));
    assert_eq!(made.body["place"], "https://push.example");
    assert!(!made.body.to_string().contains("canary"), "{made:?}");
    // The same browser under another name: it would be told everything twice.
    let again = scene.post(&path(), &ann, new("my phone", "canary-1")).await;
    let names = async || {
        let listed = scene.get(&path(), &ann).await;
        let items = listed.body["items"].as_array().unwrap();
        items.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((again.status, names().await), (201, vec!["my phone".to_owned()]));

    // Nobody else changes it, and it is not made readable by others.
    let id = again.body["id"].as_str().unwrap();
    let eve = scene.token("eve", home(), &[TokenScope::Read, TokenScope::Approve]).await;
    assert_eq!(change(&scene, id, &eve, json!({ "enabled": false })).await.code(), "scope-missing");
    assert_eq!(change(&scene, id, &ann, json!({ "wants": { "private": false } })).await.code(), "invalid");
    assert_eq!(
        change(&scene, id, &ann, json!({ "wants": { "full": true } })).await.body["full"],
        json!(true)
    );

    scene.outside.set_next_delivery(DeliveryOutcome::Gone);
    let tried = scene.post(&format!("{}/{id}/test", path()), &ann, json!({})).await;
    assert_eq!(tried.body["taken"], false, "{tried:?}");
    for wrong in [
        json!({ "name": "x", "ntfy": "https://ntfy.example/x", "push": new("x", "y")["push"] }),
        json!({ "name": "x", "secret_env": "ENTRACTE_NOTIFY_TOKEN", "push": new("x", "y")["push"] }),
        json!({ "name": "x", "push": { "endpoint": "https://push.example/x" } }),
    ] {
        assert_eq!(scene.post(&path(), &ann, wrong).await.code(), "invalid");
    }
}
