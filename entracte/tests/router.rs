//! A program in the process of a host: its router in the host's server, and by itself.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::collections::BTreeMap;
use std::path::Path;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use axum::routing::get;
use entracte::{Program, ProgramBuilder, RunningProgram};
use http::{HeaderValue, Method, Request, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tower::ServiceExt as _;

/// The names of the server.
const HOST: &str = "127.0.0.1:8723";
const ORIGIN: &str = "http://127.0.0.1:8723";

/// The configuration of the program: a model that plays a script.
const CONFIG: &str = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n";
const STORY: &str = "[[turn]]\ntext = \"One.\"\n[[turn]]\ntext = \"Two.\"\n";

/// A program under `/assistant` with its files in this folder.
fn program_in(folder: &Path) -> ProgramBuilder {
    let config = folder.join("entracte.toml");
    std::fs::write(&config, CONFIG).unwrap();
    std::fs::write(folder.join("story.toml"), STORY).unwrap();
    Program::builder()
        .config_file(config)
        .setting("data", folder.join("data").display().to_string())
        .variables(BTreeMap::from([("USER".to_owned(), "ann".to_owned())]))
        .setting("server.base_path", "/assistant")
}

/// The server of a host: a page of its own, a layer over everything, and the program under `/assistant`.
struct HostServer {
    router: Router,
    /// Cookie and proof of the browser that is logged in; empty before.
    cookie: String,
    proof: String,
}

impl HostServer {
    fn over(program: &RunningProgram) -> Self {
        let own = Router::new().route("/", get(async || "the host")).route("/{page}", get(async || "a page"));
        let router = own.merge(program.router()).layer(axum::middleware::map_response(mark_response));
        Self { router, cookie: String::new(), proof: String::new() }
    }

    async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Response {
        let mut request = Request::builder().method(method).uri(path).header(header::HOST, HOST);
        if !self.cookie.is_empty() {
            request = request.header(header::COOKIE, &self.cookie).header("entracte-proof", &self.proof);
            request = request.header(header::ORIGIN, ORIGIN);
        }
        let body = body.map(|body| body.to_string());
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let request = request.body(body.map_or_else(Body::empty, Body::from)).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.headers()["x-host"], "here", "the layers of the host are over everything");
        response
    }

    async fn text(&self, path: &str) -> (StatusCode, String) {
        text(self.send(Method::GET, path, None).await).await
    }

    async fn json(&self, method: Method, path: &str, body: Value) -> (StatusCode, Value) {
        let (status, text) = text(self.send(method, path, Some(body)).await).await;
        (status, serde_json::from_str(&text).unwrap_or(Value::Null))
    }

    /// Logs a browser in with a link; returns the whole cookie.
    async fn log_in(&mut self, link: &str) -> String {
        let (_, secret) = link.split_once("/assistant/login#").unwrap();
        let response =
            self.send(Method::POST, "/assistant/v1/login", Some(json!({ "secret": secret }))).await;
        let cookie = response.headers()[header::SET_COOKIE].to_str().unwrap().to_owned();
        let answer: Value = serde_json::from_str(&text(response).await.1).unwrap();
        self.proof = answer["proof"].as_str().unwrap().to_owned();
        self.cookie = cookie.split(';').next().unwrap().to_owned();
        cookie
    }
}

/// The layer of the host.
async fn mark_response(mut response: Response) -> Response {
    response.headers_mut().insert("x-host", HeaderValue::from_static("here"));
    response
}

async fn text(response: Response) -> (StatusCode, String) {
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

/// Reads a stream until it contains a text.
async fn read_until(response: Response, wanted: &str) -> String {
    let (mut body, mut seen) = (response.into_body(), String::new());
    while !seen.contains(wanted) {
        let frame = body.frame().await.unwrap().unwrap();
        seen.push_str(std::str::from_utf8(&frame.into_data().unwrap_or_default()).unwrap());
    }
    seen
}

/// Input: a program under `/assistant` of a host's server, and a browser that logs in, chats, streams, and runs AG-UI there;
/// expected: the console names its files below the prefix, the cookie is for it alone, the stream and AG-UI tell what the
/// model says, the pages of the host stay its own, and after the end no new work is taken.
#[tokio::test(flavor = "multi_thread")]
async fn router_mounts_under_prefix() {
    let folder = tempfile::tempdir().unwrap();
    let program = program_in(folder.path()).build().start().await.unwrap();
    let (mut host, link) = (HostServer::over(&program), program.login_link().await.unwrap());
    let (stop, stopped) = oneshot::channel::<()>();
    // A task of its own, as hosts may run it.
    let running = tokio::spawn(program.run(async {
        let _dropped = stopped.await;
    }));
    visit_pages(&host).await;
    let cookie = host.log_in(&link).await;
    assert!(cookie.contains("; Path=/assistant/;"), "{cookie}");
    chat(&host).await;
    run_agui(&host).await;
    drop(stop);
    running.await.unwrap().unwrap();
    let home = "/assistant/v1/workspaces/local:main";
    let (status, refused) = host.json(Method::POST, &format!("{home}/sessions"), json!({})).await;
    assert_eq!((status, &refused["code"]), (StatusCode::SERVICE_UNAVAILABLE, &json!("shutting-down")));
}

async fn visit_pages(host: &HostServer) {
    assert_eq!(host.text("/").await, (StatusCode::OK, "the host".to_owned()));
    assert_eq!(host.text("/other").await, (StatusCode::OK, "a page".to_owned()));
    assert_eq!(host.text("/v1/me").await.0, StatusCode::NOT_FOUND, "nothing is beside the prefix");
    for path in ["/assistant", "/assistant/", "/assistant/inbox"] {
        let (status, page) = host.text(path).await;
        assert_eq!(status, StatusCode::OK, "{path}");
        let (_, asset) = page.split_once("src=\"/assistant/assets/").unwrap();
        let asset = format!("/assistant/assets/{}", asset.split('"').next().unwrap());
        assert_eq!(host.text(&asset).await.0, StatusCode::OK, "{asset}");
    }
    assert_eq!(host.text("/assistant/v1/me").await.0, StatusCode::UNAUTHORIZED);
}

async fn chat(host: &HostServer) {
    let home = "/assistant/v1/workspaces/local:main";
    let (status, made) = host.json(Method::PUT, home, json!({})).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let (status, chat) = host.json(Method::POST, &format!("{home}/sessions"), json!({})).await;
    assert_eq!(status, StatusCode::CREATED, "{chat}");
    let session = format!("{home}/sessions/{}", chat["id"].as_str().unwrap());
    let stream = host.send(Method::GET, &format!("{session}/stream"), None).await;
    assert_eq!(stream.headers()[header::CONTENT_TYPE], "text/event-stream");
    let (status, sent) =
        host.json(Method::POST, &format!("{session}/messages"), json!({ "text": "Hello" })).await;
    assert_eq!(status, StatusCode::ACCEPTED, "{sent}");
    let heard = read_until(stream, "event: stream_complete").await;
    assert!(heard.contains("One."), "{heard}");
}

async fn run_agui(host: &HostServer) {
    let run = json!({
        "threadId": "thread", "runId": "run", "messages": [{ "id": "m1", "role": "user", "content": "Hello" }],
    });
    let path = "/assistant/v1/workspaces/local:main/agui";
    let (status, told) = text(host.send(Method::POST, path, Some(run)).await).await;
    assert_eq!(status, StatusCode::OK, "{told}");
    assert!(told.contains("RUN_STARTED") && told.contains("RUN_FINISHED"), "{told}");
}

/// Input: a second program on the data of one that runs, then one that listens by itself, and one with a wrong setting;
/// expected: the second is refused with the address of the first, the third ends when it is told to, and the setting is named.
#[tokio::test(flavor = "multi_thread")]
async fn second_program_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let first = program_in(folder.path()).build().start().await.unwrap();
    let refused = program_in(folder.path()).build().start().await.err().unwrap().to_string();
    assert!(refused.contains(&format!("{ORIGIN}/assistant")), "{refused}");
    first.run(async {}).await.unwrap();
    let by_itself = program_in(folder.path()).setting("server.bind", "127.0.0.1:0").build();
    by_itself.serve(async {}).await.unwrap();
    let wrong = program_in(folder.path()).setting("server.base_path", "no slash").build();
    let refused = wrong.run(async {}).await.unwrap_err();
    assert!(refused.to_string().contains("server.base_path"), "{refused}");
}
