//! Callbacks of task servers: their verification, and the response to everything else.

use entracte_domain::id::SessionId;
use reqwest::Method;
use serde_json::{Value, json};

use super::fakes::{BOOKS_KEY, OTHER_KEY};
use super::server_fixture::{
    HOME, HttpServerFixture, HttpTestResponse, databases, open_sqlite, send_request, unlimited_callbacks,
};

/// A callback as a task server sends it, with a test's modifications.
struct SignedCallbackRequest {
    task: String,
    id: String,
    key: &'static str,
    /// Offset of the signature's timestamp, in seconds.
    skew: i64,
    body: String,
    /// The sent body, if it differs from the signed one.
    sent: Option<String>,
    /// The sent signature, if it differs.
    signature: Option<String>,
}

impl SignedCallbackRequest {
    fn for_task(task: &str, id: &str, said: &Value) -> Self {
        let body = said.to_string();
        let (task, id) = (task.to_owned(), id.to_owned());
        Self { task, id, key: BOOKS_KEY, skew: 0, body, sent: None, signature: None }
    }

    async fn post(self, scene: &HttpServerFixture) -> HttpTestResponse {
        let seconds = scene.life.services.clock.now().0 / 1_000_000 + self.skew;
        let library = standardwebhooks::Webhook::new(self.key).unwrap();
        let signature = library.sign(&self.id, seconds, self.body.as_bytes()).unwrap();
        let path = format!("{}/v1/callbacks/{}", scene.url, self.task);
        let request = scene
            .client
            .request(Method::POST, path)
            .header("webhook-id", self.id)
            .header("webhook-timestamp", seconds.to_string())
            .header("webhook-signature", self.signature.unwrap_or(signature))
            .body(self.sent.unwrap_or(self.body));
        send_request(request).await
    }
}

fn completed_report(task: &str) -> Value {
    json!({ "task_id": task, "status": "completed", "result": { "summary": "15 invoices" } })
}

async fn state(scene: &HttpServerFixture, task: &str, token: &str) -> Value {
    scene.get(&format!("/v1/workspaces/{HOME}/tasks/{task}"), token).await.body
}

async fn with_task(scene: &HttpServerFixture) -> (SessionId, String, String) {
    let session = scene.life.chat(false).await;
    let task = scene.task(&session).await;
    (session, task, scene.admin("ann", HOME).await)
}

/// Input: every kind of forgery; expected: one response, byte for byte, and no change.
#[tokio::test(flavor = "multi_thread")]
async fn callback_forged() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, unlimited_callbacks()).await;
        let (session, task, ann) = with_task(&scene).await;
        let other = scene.task(&session).await;
        let (before, log) = (state(&scene, &task, &ann).await, scene.journal(&session).await);
        let good = || SignedCallbackRequest::for_task(&task, "msg_1", &completed_report(&task));
        let forgeries = [
            ("another secret", SignedCallbackRequest { key: OTHER_KEY, ..good() }),
            ("no signature", SignedCallbackRequest { signature: Some(String::new()), ..good() }),
            ("no version", SignedCallbackRequest { signature: Some("AAAA".into()), ..good() }),
            (
                "a guess",
                SignedCallbackRequest { signature: Some(format!("v1,{}", "A".repeat(44))), ..good() },
            ),
            ("too old", SignedCallbackRequest { skew: -400, ..good() }),
            ("from the future", SignedCallbackRequest { skew: 400, ..good() }),
            (
                "another body",
                SignedCallbackRequest {
                    sent: Some(completed_report(&task).to_string().replace("15", "99")),
                    ..good()
                },
            ),
            ("an unknown task", SignedCallbackRequest { task: "tsk_nobody".into(), ..good() }),
            ("no task at all", SignedCallbackRequest { task: "x".into(), ..good() }),
            (
                "a body about another task",
                SignedCallbackRequest::for_task(&task, "msg_1", &completed_report(&other)),
            ),
            ("a message for another task", SignedCallbackRequest { task: other.clone(), ..good() }),
            ("no id", SignedCallbackRequest { id: String::new(), ..good() }),
            ("an id that is too long", SignedCallbackRequest { id: "m".repeat(300), ..good() }),
        ];
        let mut bytes = None;
        for (what, forgery) in forgeries {
            let told = forgery.post(&scene).await;
            assert_eq!(told.status, 401, "{what}: {told:?}");
            assert_eq!(told.headers.get("www-authenticate"), None, "{what}");
            assert_eq!(*bytes.get_or_insert(told.text.clone()), told.text, "{what}");
        }
        assert_eq!(state(&scene, &task, &ann).await, before, "nothing of it was taken in");
        assert_eq!(scene.journal(&session).await, log);
        assert_eq!(good().post(&scene).await.status, 202, "the true one still counts");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn verified_callback_is_applied_once() {
    for database in databases() {
        let scene = HttpServerFixture::start_on(database, unlimited_callbacks()).await;
        let (_, task, ann) = with_task(&scene).await;
        let post = async |id: &str, said: Value| {
            let told = SignedCallbackRequest::for_task(&task, id, &said).post(&scene).await;
            (told.status, told.body["verdict"].as_str().map(str::to_owned))
        };
        let verdict = |status, word: &str| (status, Some(word.to_owned()));
        let progress = json!({ "task_id": task, "status": "running", "progress": "3 of 15" });
        assert_eq!(post("msg_1", progress.clone()).await, verdict(202, "progress"));
        assert_eq!(state(&scene, &task, &ann).await["progress"]["text"], "3 of 15");
        assert_eq!(post("msg_2", completed_report(&task)).await, verdict(202, "normal"));
        assert_eq!(post("msg_2", completed_report(&task)).await, verdict(200, "duplicate"));
        assert_eq!(post("msg_3", completed_report(&task)).await, verdict(200, "duplicate"));
        assert_eq!(post("msg_4", progress).await, verdict(200, "past"));
        let otherwise = json!({ "task_id": task, "status": "failed", "error": "no" });
        assert_eq!(post("msg_5", otherwise).await, (409, None));
        let shown = state(&scene, &task, &ann).await;
        assert_eq!((&shown["state"], &shown["contradicted"]), (&json!("completed"), &json!(1)), "{shown}");
        assert_eq!(shown["result"]["content"], r#"{"summary":"15 invoices"}"#);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_verified_callback_names_field() {
    let scene = HttpServerFixture::start_on(open_sqlite(), unlimited_callbacks()).await;
    let (_, task, ann) = with_task(&scene).await;
    let before = state(&scene, &task, &ann).await;
    for (said, field) in [
        (json!({ "task_id": task, "status": "done" }), "status"),
        (json!({ "task_id": task }), "status"),
        (json!({ "status": "completed" }), "task_id"),
        (json!({ "task_id": task, "status": "completed", "result": "15" }), "result"),
        (json!({ "task_id": task, "task_type": "another", "status": "completed" }), "task_type"),
    ] {
        let told = SignedCallbackRequest::for_task(&task, "msg_1", &said).post(&scene).await;
        assert_eq!((told.status, told.code()), (422, "invalid"), "{told:?}");
        assert_eq!(told.body["fields"][0]["path"], field, "{told:?}");
    }
    let told = SignedCallbackRequest {
        body: "no JSON".into(),
        ..SignedCallbackRequest::for_task(&task, "m", &json!({}))
    }
    .post(&scene)
    .await;
    assert_eq!(told.status, 422);
    let long = json!({ "task_id": task, "status": "completed", "result": { "data": "x".repeat(1 << 20) } });
    let told = SignedCallbackRequest::for_task(&task, "msg_1", &long).post(&scene).await;
    assert_eq!((told.status, told.code()), (413, "too-large"));
    assert_eq!(state(&scene, &task, &ann).await, before);
}

/// A flooding client is refused before its requests are verified, whatever they contain.
#[tokio::test(flavor = "multi_thread")]
async fn flooding_address_is_refused_before_lookup() {
    let limits = entracte_adapters_http::limits::HttpServerLimits { callbacks: 2, ..unlimited_callbacks() };
    let scene = HttpServerFixture::start_on(open_sqlite(), limits).await;
    let (_, task, _) = with_task(&scene).await;
    for _ in 0..2 {
        let forged = SignedCallbackRequest {
            key: OTHER_KEY,
            ..SignedCallbackRequest::for_task(&task, "msg_1", &completed_report(&task))
        };
        assert_eq!(forged.post(&scene).await.status, 401);
    }
    let told = SignedCallbackRequest::for_task(&task, "msg_1", &completed_report(&task)).post(&scene).await;
    assert_eq!((told.status, told.code()), (429, "rate-limited"));
    assert!(told.headers.contains_key("retry-after"));
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_are_listed_read_and_cancelled() {
    let scene = HttpServerFixture::new().await;
    let (session, task, ann) = with_task(&scene).await;
    let list = async |query: &str| {
        let told = scene.get(&format!("/v1/workspaces/{HOME}/tasks{query}"), &ann).await;
        assert_eq!(told.status, 200, "{told:?}");
        told.body["items"].as_array().unwrap().clone()
    };
    assert_eq!(list("").await[0]["id"], task.as_str());
    assert_eq!(list(&format!("?session={session}&open=true")).await.len(), 1);
    assert_eq!(list("?session=ses_none").await.len(), 0);
    let cancel = scene.post(&format!("/v1/workspaces/{HOME}/tasks/{task}/cancel"), &ann, json!({})).await;
    assert_eq!(cancel.status, 200, "{cancel:?}");
    let shown = state(&scene, &task, &ann).await;
    assert_eq!(
        (&shown["cancel"]["why"], &shown["cancel"]["author"]),
        (&json!("person"), &json!("ann")),
        "{shown}"
    );
    let none = scene.post(&format!("/v1/workspaces/{HOME}/tasks/tsk_none/cancel"), &ann, json!({})).await;
    assert_eq!(none.status, 404);
    let path = format!("/v1/workspaces/{HOME}/tasks/{task}/answer");
    let refused = scene.post(&path, &ann, json!({ "text": "FR76" })).await;
    assert!(matches!(refused.status, 409 | 422), "it asks nothing: {refused:?}");
}
