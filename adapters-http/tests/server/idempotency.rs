//! Idempotency keys: repeated, reused for another request, concurrent, and repeated after the server was killed between
//! its effect and its answer.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_adapters_http::api_transport::in_process::InProcessTransport;
use entracte_adapters_http::api_transport::{ApiAnswer, ApiFault, ApiRequest, ApiTransport};
use entracte_application::failpoints::{FailpointMoment, FailpointOperation, FailpointSite};
use entracte_application::ports::{AccessReach, TokenScope};
use entracte_application::system::RandomIdGenerator;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::Input;
use entracte_tests::crash::trigger::{CrashTrigger, install_trigger, print_line};
use entracte_tests::postgres::TestDatabase;
use entracte_tests::runtime_fixture::FakeModelLine;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::every_route::{DocumentedRoute, body, create_route_data, fill_path_params, routes, unlimited};
use super::server_fixture::{
    HOME, HttpServerFixture, HttpTestResponse, json_body, open_sqlite, send_request, text_body,
};

/// Input: the same action on the person's own data, in this process and without a connection, twice under one key and once
/// under another; expected: the second answer is that of the first action, also after its result was read, and the other
/// key is another action.
#[tokio::test(flavor = "multi_thread")]
async fn request_of_this_process_is_done_once_under_its_key() {
    let scene = HttpServerFixture::new().await;
    let api = InProcessTransport::new(scene.state.clone(), "ann");
    let path = format!("/v1/workspaces/{HOME}/commands/zones.create/runs");
    let request = |key: &str| {
        let body = json!({ "arguments": { "name": "Health" } }).to_string();
        ApiRequest::new(Method::POST, path.clone()).with_body(body).with_idempotency_key(key)
    };
    let first = api.call(request("k1")).await.unwrap();
    let again = api.call(request("k1")).await.unwrap();
    let call = |answer: &ApiAnswer| serde_json::from_slice::<Value>(&answer.body).unwrap()["call"].clone();
    assert_eq!(call(&again), call(&first));
    assert!(call(&first).is_string());
    let other = api.call(request("k2")).await;
    assert!(matches!(other, Err(ApiFault::Refused(_))), "the name is taken: {other:?}");
}

const REPLAYED: &str = "idempotency-replayed";

fn is_replayed(told: &HttpTestResponse) -> bool {
    told.headers.get(REPLAYED).is_some_and(|value| value == "true")
}

async fn keyed(
    scene: &HttpServerFixture,
    route: &DocumentedRoute,
    path: &str,
    token: &str,
    (etag, body): (&str, &str),
) -> HttpTestResponse {
    let request = scene.request(route.method.clone(), path, token).header("idempotency-key", "k1");
    let request = request.header("if-match", etag);
    send_request(if route.has_body { text_body(request, body) } else { request }).await
}

/// Counts every resource that a POST could add, and the acts of people in each session.
async fn count_resources(scene: &HttpServerFixture, token: &str) -> Vec<usize> {
    let mut counts = Vec::new();
    for list in ["rules", "tokens", "automations", "zones", "tools", "texts", "targets", "sessions"] {
        let listed = scene.get(&format!("/v1/workspaces/{HOME}/{list}?limit=200"), token).await;
        let items = listed.body["items"].as_array().unwrap().clone();
        counts.push(items.len());
        for session in items.iter().filter(|_| list == "sessions") {
            let entries = scene.journal(&SessionId::new(session["id"].as_str().unwrap())).await;
            counts.push(entries.iter().filter(|entry| is_human_input(&entry.input)).count());
        }
    }
    counts
}

fn is_human_input(input: &Input) -> bool {
    matches!(
        input,
        Input::SessionCreated(_)
            | Input::UserMessageSent(_)
            | Input::CommunicationResponseReceived { .. }
            | Input::ValidationReceived { .. }
            | Input::RoundInterrupted { .. }
            | Input::StopRequested { .. }
            | Input::SessionActivationRequested { .. }
            | Input::SessionOpened(_)
            | Input::SessionLeft { .. }
            | Input::CallSettled { .. }
            | Input::CompletionConfirmed { .. }
            | Input::CompletionRejected { .. }
    )
}

/// Prepares the state that a POST needs, and returns its body.
async fn prepare(
    scene: &HttpServerFixture,
    operation: &str,
    session: &SessionId,
    ann: &str,
    card: &Value,
) -> String {
    let home = format!("/v1/workspaces/{HOME}/sessions/{session}");
    match operation {
        "resume_session" => {
            scene.post(&format!("{home}/stop"), ann, json!({})).await;
        }
        "answer_question" => {
            scene.post(&format!("{home}/interrupt"), ann, json!({})).await;
            let question = json!({ "pre_text": "", "question": { "type": "Validation", "message": "So?" } });
            scene.model.push_lines([FakeModelLine::Says(question.to_string())]);
            scene.life.send_and_wait(session, "ask me").await;
            return json!({ "text": "yes" }).to_string();
        }
        "decide_all" => {
            let decision = json!({ "approval": card["id"], "digest": card["digest"], "decision": "approve" });
            return json!({ "decisions": [decision] }).to_string();
        }
        "snooze_items" => return json!({ "items": [card["id"]], "until": "3h" }).to_string(),
        "assign_items" => return json!({ "items": [card["id"]], "person": "me" }).to_string(),
        "wake_items" => {
            let path = format!("/v1/workspaces/{HOME}/inbox/snooze");
            scene.post(&path, ann, json!({ "items": [card["id"]], "until": "3h" })).await;
            return json!({ "items": [card["id"]] }).to_string();
        }
        "run_command" => return json!({ "arguments": { "name": "Mind" } }).to_string(),
        "add_tool" => {
            let zones = scene.get(&format!("/v1/workspaces/{HOME}/zones"), ann).await;
            let zone = &zones.body["items"][0]["id"];
            return json!({ "zone": zone, "type": "notes", "name": "Notes" }).to_string();
        }
        "import_session" => return scene.get(&format!("{home}/export"), ann).await.text,
        _ => {}
    }
    body(operation).to_string()
}

/// Operations for which this fixture has no state: they are refused, and refusals are not stored.
const REFUSED: [&str; 8] = [
    "answer_spending",
    "answer_task",
    "compact_session",
    "confirm_completion",
    "decide_tools",
    "reject_completion",
    "settle_call",
    "settle_model_call",
];

#[tokio::test(flavor = "multi_thread")]
async fn every_post_under_a_key_is_done_once() {
    let (mut done, mut refused) = (0, Vec::new());
    for route in routes().iter().filter(|route| route.takes_key) {
        let scene = HttpServerFixture::start_on(open_sqlite(), unlimited()).await;
        let (ids, ann, session) = create_route_data(&scene).await;
        let card = scene.get(&format!("/v1/workspaces/{HOME}/approvals/{}", ids["apr"]), &ann).await;
        let etag = card.etag.clone().unwrap();
        let sent = prepare(&scene, &route.operation, &session, &ann, &card.body).await;
        let (name, mut path) = (&route.operation, fill_path_params(&route.path, &ids));
        if name == "run_command" {
            path = path.replace("zones.list", "zones.create");
        }
        path.push_str(if name == "import_session" { "?as_new=true" } else { "?" });

        let first = keyed(&scene, route, &path, &ann, (&etag, &sent)).await;
        assert!(!is_replayed(&first), "{name}");
        let before = count_resources(&scene, &ann).await;
        let again = keyed(&scene, route, &path, &ann, (&etag, &sent)).await;
        assert_eq!(again.status, first.status, "{name}: {first:?} {again:?}");
        assert_eq!(count_resources(&scene, &ann).await, before, "{name}: nothing was done twice");
        if first.status >= 300 {
            assert!(!is_replayed(&again), "{name}: a refusal is not kept: {again:?}");
            refused.push(name.clone());
            continue;
        }
        assert!(is_replayed(&again), "{name}: {again:?}");
        for id in ["id", "session", "message"] {
            assert_eq!(again.body[id], first.body[id], "{name}");
        }
        let other = keyed(&scene, route, &format!("{path}&"), &ann, (&etag, &sent)).await;
        assert_eq!((other.status, other.code()), (422, "idempotency-mismatch"), "{name}: {other:?}");
        assert_eq!(count_resources(&scene, &ann).await, before, "{name}");
        done += 1;
    }
    refused.sort();
    assert_eq!(refused, REFUSED, "a POST that this scene can do is prepared here");
    assert!(done > 12, "{done}");
}

/// Repeats a key with another body, with another token of the same person, and by another person.
#[tokio::test(flavor = "multi_thread")]
async fn key_is_bound_to_request_and_person() {
    for beside in [false, true] {
        let ids = Arc::new(entracte_tests::runtime_fixture::SequentialIds::default());
        let scene = HttpServerFixture::start_with_ids(open_sqlite(), unlimited(), ids, beside).await;
        let (ann, noe) = (scene.admin("ann", HOME).await, scene.admin("noe", HOME).await);
        let path = format!("/v1/workspaces/{HOME}/sessions");
        let start = |token: &str, key: &str, text: &str| {
            let request = scene.request(Method::POST, &path, token).header("idempotency-key", key);
            send_request(request.header("content-type", "application/json").body(text.to_owned()))
        };
        let first = start(&ann, "k1", r#"{"name":"a","require_validation":true}"#).await;
        assert_eq!((first.status, is_replayed(&first)), (201, false), "{first:?}");
        let rotated = scene.admin("ann", HOME).await;
        let again = start(&rotated, "k1", r#"{ "require_validation": true, "name": "a" }"#).await;
        assert_eq!((&again.body["id"], is_replayed(&again)), (&first.body["id"], true), "{again:?}");
        let other = start(&ann, "k1", r#"{"name":"b","require_validation":true}"#).await;
        assert_eq!((other.status, other.code()), (422, "idempotency-mismatch"), "{other:?}");
        let his = start(&noe, "k1", r#"{"name":"a","require_validation":true}"#).await;
        assert!(his.status == 201 && !is_replayed(&his) && his.body["id"] != first.body["id"], "{his:?}");
        let wrong = start(&ann, "a key", "{}").await;
        assert_eq!((wrong.status, wrong.code()), (400, "malformed"));
        let all = scene.get(&path, &ann).await;
        assert_eq!(all.body["items"].as_array().unwrap().len(), 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn token_secret_is_shown_once_per_key() {
    let scene = HttpServerFixture::new().await;
    let ann = scene.admin("ann", HOME).await;
    let path = format!("/v1/workspaces/{HOME}/tokens");
    let make = |name: &str| {
        let request = scene.request(Method::POST, &path, &ann).header("idempotency-key", "k1");
        let body = json!({ "person": "ann", "name": name, "scopes": ["read"] });
        send_request(json_body(request, &body))
    };
    let first = make("laptop").await;
    assert!(first.body["secret"].as_str().unwrap().starts_with("entr_"), "{first:?}");
    let again = make("laptop").await;
    assert_eq!((&again.body["id"], &again.body["secret"]), (&first.body["id"], &Value::Null));
    assert!(is_replayed(&again));
    assert_eq!(make("phone").await.code(), "idempotency-mismatch");
    let listed = scene.get(&path, &ann).await;
    assert_eq!(
        listed.body["items"].as_array().unwrap().len(),
        2,
        "the one that she asked with, and the new one"
    );
}

/// The first request has not sent all of its body when the second arrives.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_repeat_is_refused() {
    let scene = HttpServerFixture::start_on(open_sqlite(), unlimited()).await;
    let ann = scene.admin("ann", HOME).await;
    let path = format!("/v1/workspaces/{HOME}/sessions");
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {ann}\r\nIdempotency-Key: k1\r\n\
         Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{",
        scene.host
    );
    let begin = async || {
        let mut slow = tokio::net::TcpStream::connect(&scene.host).await.unwrap();
        slow.write_all(head.as_bytes()).await.unwrap();
        slow
    };
    let mut slow = begin().await;
    // Invalid in itself, so that neither runs before the first is known.
    let wrong = || {
        let request = scene.request(Method::POST, &path, &ann).header("idempotency-key", "k1");
        send_request(json_body(request, &json!({ "nmae": "x" })))
    };
    let mut refused = wrong().await;
    while refused.code() == "invalid" {
        // It came while the other one was known, and was refused itself.
        if slow.try_read(&mut [0]).is_ok() {
            slow = begin().await;
        }
        scene.life.follow().wait_for_change().await;
        refused = wrong().await;
    }
    assert_eq!((refused.status, refused.code()), (409, "idempotency-in-progress"), "{refused:?}");
    assert_eq!(refused.headers["retry-after"], "1");
    slow.write_all(b"}").await.unwrap();
    let mut answer = String::new();
    slow.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    let request = scene.request(Method::POST, &path, &ann).header("idempotency-key", "k1");
    let again = send_request(json_body(request, &json!({}))).await;
    assert_eq!((again.status, is_replayed(&again)), (201, true), "{again:?}");
}

/// Environment variables from the parent test to its server process.
const LOCATION: &str = "ENTRACTE_TEST_LIFE";
const DEATH: &str = "ENTRACTE_TEST_DEATH";

/// The value that the parent set for this variable.
fn parent_variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.into_string().unwrap())
}

/// A server in a child process: prints its address, and kills itself at the configured point.
#[test]
#[ignore = "a process that idempotency_survives_kill starts"]
fn one_life() {
    let Some(location) = parent_variable(LOCATION) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let database = Database::open(&location, DatabaseOptions::default()).unwrap();
        let scene = HttpServerFixture::start_with_ids(
            (database, Arc::new(())),
            unlimited(),
            Arc::new(RandomIdGenerator),
            false,
        )
        .await;
        let home = AccessReach::Workspace(WorkspaceKey::new(HOME));
        let token = scene.token("ann", home, &[TokenScope::Read, TokenScope::Chat]).await;
        // The workspace exists, so that the next commit is the one that counts.
        scene.life.chat(false).await;
        install_trigger(CrashTrigger::parse(&parent_variable(DEATH).unwrap()).unwrap());
        print_line("");
        print_line(&format!("at {} {token}", scene.url));
        std::future::pending::<()>().await;
    });
}

struct IdempotencyServerProcess {
    process: Child,
    url: String,
    token: String,
}

impl Drop for IdempotencyServerProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts a server process; on Postgres the lock of a killed process may be released with a delay.
fn spawn_server(location: &str, death: CrashTrigger) -> IdempotencyServerProcess {
    let mut said = String::new();
    for _ in 0..20 {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "idempotency::one_life", "--ignored", "--nocapture"])
            .env(LOCATION, location)
            .env(DEATH, death.argument())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        for line in BufReader::new(process.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            if let Some((url, token)) = line.strip_prefix("at ").and_then(|rest| rest.split_once(' ')) {
                let (url, token) = (url.to_owned(), token.to_owned());
                return IdempotencyServerProcess { process, url, token };
            }
        }
        process.wait().unwrap();
        process.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    }
    panic!("no life served: {said}")
}

async fn start(
    client: &reqwest::Client,
    served: &IdempotencyServerProcess,
) -> Result<HttpTestResponse, reqwest::Error> {
    let url = format!("{}/v1/workspaces/{HOME}/sessions", served.url);
    let request = client.post(url).bearer_auth(&served.token).header("idempotency-key", "k1");
    let answer = json_body(request, &json!({ "name": "once" })).send().await?;
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    let body = serde_json::from_str(&answer.text().await?).unwrap();
    Ok(HttpTestResponse { status, etag: None, headers, body, text: String::new() })
}

/// Kills the server with SIGKILL around the commit of a request, and repeats the request under the same key.
async fn replay_after_kill(client: &reqwest::Client, location: &str, moment: FailpointMoment) {
    let point = FailpointSite { operation: FailpointOperation::Commit, moment };
    let is_done = matches!(moment, FailpointMoment::Committed | FailpointMoment::After);
    let first = spawn_server(location, CrashTrigger::At(point, 1));
    let answer = start(client, &first).await;
    assert!(answer.is_err(), "{point}: it died before it answered: {answer:?}");
    drop(first);

    let second = spawn_server(location, CrashTrigger::Never);
    let again = start(client, &second).await.unwrap();
    assert_eq!((again.status, is_replayed(&again)), (201, is_done), "{point}: {again:?}");
    let third = start(client, &second).await.unwrap();
    assert_eq!((&third.body["id"], is_replayed(&third)), (&again.body["id"], true), "{point}: {third:?}");
    let list = client.get(format!("{}/v1/workspaces/{HOME}/sessions", second.url));
    let list: Value =
        serde_json::from_str(&list.bearer_auth(&second.token).send().await.unwrap().text().await.unwrap())
            .unwrap();
    let made = list["items"].as_array().unwrap().iter().filter(|session| session["name"] == "once").count();
    assert_eq!(made, 1, "{point}: one effect");
}

#[tokio::test(flavor = "multi_thread")]
async fn idempotency_survives_kill() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    for moment in [
        FailpointMoment::Before,
        FailpointMoment::Written,
        FailpointMoment::Committed,
        FailpointMoment::After,
    ] {
        let folder = tempfile::tempdir().unwrap();
        replay_after_kill(&client, folder.path().join("entracte.db").to_str().unwrap(), moment).await;
        if let Some(made) = TestDatabase::make() {
            replay_after_kill(&client, &made.url(), moment).await;
        }
    }
}
