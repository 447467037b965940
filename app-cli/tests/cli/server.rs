//! `serve` and `token`: the server as a process, called over its port.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};

use entracte_tests::postgres::TestDatabase;
use serde_json::{Value, json};

use crate::cli_fixture::{CliFixture, CliProcess};
use crate::databases::on_server;
use crate::decisions::MAKES;
use crate::notify::{add_file_target, read_notifications};

/// A running server, and its address.
pub(crate) struct ServeServerProcess {
    pub(crate) running: CliProcess,
    pub(crate) address: String,
    pub(crate) login: String,
}

pub(crate) fn serve(stage: &CliFixture) -> ServeServerProcess {
    serve_with(stage, &[])
}

/// Starts a server with these additional arguments.
fn serve_with(stage: &CliFixture, more: &[&str]) -> ServeServerProcess {
    serve_on(stage.begin(&[&["--json", "serve", "--bind", "127.0.0.1:0"], more].concat()))
}

/// Waits until the server of this process answers.
pub(crate) fn serve_on(running: CliProcess) -> ServeServerProcess {
    let told: Value = serde_json::from_str(&running.line_with("entracte.serve/1")).unwrap();
    let url = told["url"].as_str().unwrap();
    let address = url.split_once("://").unwrap().1.split('/').next().unwrap().to_owned();
    ServeServerProcess { running, address, login: login_of(&told) }
}

/// The login link that a server without a terminal writes to a file.
fn login_of(told: &Value) -> String {
    let file = told["login_file"].as_str().unwrap_or_else(|| panic!("{told}"));
    std::fs::read_to_string(file).unwrap().trim().to_owned()
}

/// A free address outside the range from which the system picks ports: no other process takes it before a server starts
/// there, or starts there again.
pub(crate) fn free_address() -> String {
    const PORTS: std::ops::Range<u32> = 20_000..32_000;
    static GIVEN: AtomicU32 = AtomicU32::new(0);
    let count = PORTS.end - PORTS.start;
    // Each process of a test run begins elsewhere.
    let first = std::process::id().wrapping_mul(31) % count;
    (0..count)
        .map(|_| (first + GIVEN.fetch_add(1, Ordering::Relaxed)) % count + PORTS.start)
        .map(|port| format!("127.0.0.1:{port}"))
        .find(|address| TcpListener::bind(address).is_ok())
        .unwrap()
}

/// Starts a server that binds to this address, and uses it whatever URL the server reports.
pub(crate) fn serve_at(stage: &CliFixture, address: &str) -> ServeServerProcess {
    let served = serve_on(stage.begin(&["--json", "serve", "--bind", address]));
    ServeServerProcess { address: address.to_owned(), ..served }
}

/// Status and body of a response.
pub(crate) fn send_request(
    served: &ServeServerProcess,
    method: &str,
    path: &str,
    token: &str,
    more: &str,
    body: &Value,
) -> (u16, Value) {
    send_request_to(&served.address, (method, path), token, more, body)
}

/// Posts to a server at this address, for a thread of its own.
pub(crate) fn post(address: &str, path: &str, token: &str, body: &Value) -> (u16, Value) {
    send_request_to(address, ("POST", path), token, "", body)
}

fn send_request_to(
    address: &str,
    (method, path): (&str, &str),
    token: &str,
    more: &str,
    body: &Value,
) -> (u16, Value) {
    let (status, _, text) = exchange(address, (method, path), token, more, body);
    (status, serde_json::from_str(&text).unwrap_or(Value::Null))
}

/// Status and text of the answer to a GET.
pub(crate) fn get_text(served: &ServeServerProcess, path: &str, token: &str, more: &str) -> (u16, String) {
    let (status, _, text) = exchange(&served.address, ("GET", path), token, more, &Value::Null);
    (status, text)
}

/// A browser that is logged in with the link of the server.
pub(crate) struct LoggedInBrowser<'a> {
    served: &'a ServeServerProcess,
    /// Its cookie, its proof and its origin, as lines of a request's head.
    headers: String,
}

impl<'a> LoggedInBrowser<'a> {
    pub(crate) fn log_in(served: &'a ServeServerProcess) -> Self {
        let (_, secret) = served.login.split_once("/login#").unwrap();
        let body = serde_json::json!({ "secret": secret });
        let (status, head, text) = exchange(&served.address, ("POST", "/v1/login"), "", "", &body);
        assert_eq!(status, 200, "{text}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        let headers = format!(
            "Cookie: {}\r\nEntracte-Proof: {}\r\nOrigin: http://{}\r\n",
            cookie.split(';').next().unwrap(),
            answer["proof"].as_str().unwrap(),
            served.address
        );
        Self { served, headers }
    }

    /// Status, head and body of an answer.
    pub(crate) fn ask(&self, method: &str, path: &str, more: &str, body: &Value) -> (u16, String, Value) {
        let more = format!("{}{more}", self.headers);
        let (status, head, text) = exchange(&self.served.address, (method, path), "", &more, body);
        (status, head, serde_json::from_str(&text).unwrap_or(Value::Null))
    }

    /// The tag of an entry, as a line that sends it back.
    pub(crate) fn if_match(&self, path: &str) -> String {
        let (_, head, _) = self.ask("GET", path, "", &Value::Null);
        let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap_or_default();
        format!("If-Match: {tag}\r\n")
    }
}

fn exchange(
    address: &str,
    (method, path): (&str, &str),
    token: &str,
    more: &str,
    body: &Value,
) -> (u16, String, String) {
    let text = if body.is_null() { String::new() } else { body.to_string() };
    let named = if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{named}\
         Content-Type: application/json\r\nContent-Length: {}\r\n{more}\r\n{text}",
        text.len()
    );
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_owned(), body.to_owned())
}

pub(crate) fn token(stage: &CliFixture, arguments: &[&str]) -> (String, String) {
    let mut all = vec!["--json", "token", "create"];
    all.extend(arguments);
    let made = stage.run(&all).expect(0).json();
    (made["id"].as_str().unwrap().to_owned(), made["secret"].as_str().unwrap().to_owned())
}

/// The pause between two looks at a running server, and the most looks: a minute.
const LOOK: std::time::Duration = std::time::Duration::from_millis(120);
const LOOKS: usize = 500;

fn wait_for_approval(served: &ServeServerProcess, token: &str) -> Value {
    for _ in 0..LOOKS {
        let path = "/v1/workspaces/local:main/approvals";
        let (status, found) = send_request(served, "GET", path, token, "", &Value::Null);
        assert_eq!(status, 200, "{found}");
        if !found["items"][0].is_null() {
            return found["items"][0].clone();
        }
        // The server counts the requests of a token.
        std::thread::sleep(LOOK);
    }
    panic!("nothing waits for approval")
}

#[test]
fn server_chat_continues_after_approval_by_card() {
    let stage = CliFixture::with_script(MAKES);
    let (_, ann) = token(&stage, &["--person", "ann", "--scope", "read,chat"]);
    let (_, noe) = token(&stage, &["--person", "noe", "--scope", "read,approve"]);
    let mut served = serve(&stage);
    let sessions = "/v1/workspaces/local:main/sessions";
    let (status, chat) =
        send_request(&served, "POST", sessions, &ann, "", &json!({ "require_validation": true }));
    assert_eq!(status, 201, "{chat}");
    let session = chat["id"].as_str().unwrap();
    let messages = format!("{sessions}/{session}/messages");
    let (status, sent) = send_request(&served, "POST", &messages, &ann, "", &json!({ "text": "do it" }));
    assert_eq!(status, 202, "{sent}");
    let card = wait_for_approval(&served, &noe);
    let decision = format!("/v1/workspaces/local:main/approvals/{}/decision", card["id"].as_str().unwrap());
    let seen = format!("If-Match: \"{}\"\r\n", card["digest"].as_str().unwrap());
    let approve = json!({ "decision": "approve" });
    let (status, refused) = send_request(&served, "POST", &decision, &ann, &seen, &approve);
    assert_eq!((status, &refused["code"]), (403, &json!("scope-missing")));
    let (status, decided) = send_request(&served, "POST", &decision, &noe, &seen, &approve);
    assert_eq!((status, &decided["decided_by"]), (200, &json!("noe")), "{decided}");
    // The command line posts beside the server, and sees the same.
    let calls = stage.wait_for_output(&["--json", "session", "calls", session], "succeeded");
    assert!(calls.contains("\"decided_by\":\"noe\""), "{calls}");
    assert_eq!(end(&mut served), 0);
}

#[cfg(unix)]
pub(crate) fn end(served: &mut ServeServerProcess) -> i32 {
    send_sigterm(served);
    served.running.child.wait().unwrap().code().unwrap_or(-1)
}

/// Asks the server to end.
#[cfg(unix)]
fn send_sigterm(served: &ServeServerProcess) {
    let pid = nix::unistd::Pid::from_raw(served.running.child.id().try_into().unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
}

#[test]
fn server_owns_database_and_ends_in_order() {
    let stage = CliFixture::with_script(MAKES);
    let mut served = serve(&stage);
    assert!(served.login.contains("/login#"), "{}", served.login);
    let (status, health) = send_request(&served, "GET", "/readyz", "", "", &Value::Null);
    let ready = json!({ "status": "ready", "owner": true, "last_commit_seconds": null });
    assert_eq!((status, health), (200, ready));
    let second = stage.run(&["serve", "--bind", "127.0.0.1:0"]).expect(6);
    assert!(second.err.contains("another process owns the database"), "{}", second.err);
    let same = stage.run(&["serve", "--bind", &served.address]).expect(6);
    let first = format!("another process owns the database: serve, process {}", served.running.child.id());
    assert!(same.err.contains(&first), "{}", same.err);
    assert_eq!(end(&mut served), 0);
    assert_eq!(end(&mut serve(&stage)), 0, "the next one takes it at once");
}

#[test]
fn beyond_this_machine_tokens_need_tls() {
    let stage = CliFixture::with_script(MAKES);
    let refused = stage.run(&["serve", "--bind", "0.0.0.0:0"]).expect(2);
    assert!(refused.err.contains("give a certificate"), "{}", refused.err);
    let files = ["serve", "--bind", "0.0.0.0:0", "--tls-cert", "none.pem", "--tls-key", "none.pem"];
    let refused = stage.run(&files).expect(2);
    assert!(refused.err.contains("none.pem"), "{}", refused.err);
    for wrong in [["serve", "--bind", "8723"], ["serve", "--base-path", "x y"]] {
        stage.run(&wrong).expect(2);
    }
}

/// The certificate of these tests, for `localhost` and 127.0.0.1; it is worth nothing anywhere else.
const TLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/tls");

/// The server's response over TLS to a client that trusts only its certificate; otherwise the connection error.
fn over_tls(address: &str, trusted: &str, name: &str) -> Result<String, std::io::Error> {
    let head = format!("GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    tls_exchange(address, trusted, name, &head)
}

/// The response to this request.
fn tls_exchange(address: &str, trusted: &str, name: &str, head: &str) -> Result<String, std::io::Error> {
    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, ServerName};
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(trusted).unwrap()).unwrap();
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let client = rustls::ClientConnection::new(std::sync::Arc::new(config), name).unwrap();
    let mut stream = rustls::StreamOwned::new(client, TcpStream::connect(address)?);
    stream.write_all(head.as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// Input: a server with a certificate; expected: a handshake and a response for a client that trusts it and uses its
/// name, and nothing for others, nor without TLS.
#[test]
fn with_a_certificate_it_answers_over_tls_only() {
    let stage = CliFixture::with_script(MAKES);
    let (cert, key) = (format!("{TLS}/cert.pem"), format!("{TLS}/key.pem"));
    let mut served = serve_with(&stage, &["--tls-cert", &cert, "--tls-key", &key]);
    assert!(served.login.starts_with("https://127.0.0.1:"), "{}", served.login);
    let answer = over_tls(&served.address, &cert, "127.0.0.1").unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let refused = over_tls(&served.address, &cert, "elsewhere.example").unwrap_err();
    assert!(refused.to_string().contains("certificate"), "{refused}");
    let mut clear = TcpStream::connect(&served.address).unwrap();
    clear.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ended = clear.read_to_end(&mut answer);
    assert!(!String::from_utf8_lossy(&answer).contains("200 OK"), "nothing in the clear");
    assert_eq!(end(&mut served), 0);
}

/// Input: a server at every address of its machine; expected: its link names an address that can be opened, and the server
/// answers to it.
#[test]
fn server_at_every_address_names_one() {
    let stage = CliFixture::with_script(MAKES);
    let (cert, key) = (format!("{TLS}/cert.pem"), format!("{TLS}/key.pem"));
    let arguments = ["--json", "serve", "--bind", "0.0.0.0:0", "--tls-cert", &cert, "--tls-key", &key];
    let mut served = serve_on(stage.begin(&arguments));
    assert!(!served.login.contains("0.0.0.0"), "{}", served.login);
    let port = served.address.rsplit_once(':').unwrap().1.to_owned();
    let head = format!("GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", served.address);
    let answer = tls_exchange(&format!("127.0.0.1:{port}"), &cert, "127.0.0.1", &head).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(end(&mut served), 0);
}

/// Input: a server behind a path; expected: everything is under it, and nothing beside it.
#[test]
fn with_a_base_path_everything_is_under_it() {
    let stage = CliFixture::with_script(MAKES);
    let (_, ann) = token(&stage, &["--person", "ann", "--scope", "read"]);
    let mut served = serve_with(&stage, &["--base-path", "/entracte"]);
    assert!(served.login.contains("/entracte/login#"), "{}", served.login);
    let status = |path: &str| send_request(&served, "GET", path, &ann, "", &Value::Null).0;
    assert_eq!((status("/entracte/healthz"), status("/entracte/v1/me")), (200, 200));
    assert_eq!(
        (status("/entracte"), status("/entracte/")),
        (200, 200),
        "the console, with and without the slash"
    );
    assert_eq!((status("/healthz"), status("/v1/me"), status("/entractev1/me")), (404, 404, 404));
    assert_eq!(end(&mut served), 0);
}

#[test]
fn token_is_shown_once_listed_and_revoked() {
    let stage = CliFixture::with_script(MAKES);
    let made =
        stage.run(&["token", "create", "--person", "noe", "--scope", "read", "--for", "30d"]).expect(0);
    let secret = made.out.trim().to_owned();
    assert!(secret.starts_with("entr_"), "{secret}");
    assert!(!made.err.contains(&secret) && made.err.contains("noe"), "{}", made.err);
    let listed = stage.run(&["--json", "token", "list"]).expect(0);
    let hidden = secret.split_once('.').unwrap().1;
    assert!(!listed.out.contains(hidden) && listed.out.contains("\"name\":\"noe\""), "{}", listed.out);
    assert!(stage.run(&["token", "list"]).expect(0).out.contains("noe"));
    let elsewhere = ["--workspace", "eve:other", "token", "revoke", secret.as_str()];
    stage.run(&elsewhere).expect(5);

    let mut served = serve(&stage);
    let me = |served: &ServeServerProcess| send_request(served, "GET", "/v1/me", &secret, "", &Value::Null).0;
    assert_eq!(me(&served), 200);
    // Beside the server that owns the database, with immediate effect.
    stage.run(&["token", "revoke", &secret]).expect(0);
    assert_eq!(me(&served), 401);
    assert_eq!(end(&mut served), 0);
}

const SPEAKS: &str = r#"
[[turn]]
text = "One."
[[turn]]
text = "Two."
[[turn]]
text = "Three."
"#;

/// Reads a stream from a cursor until the model's whole text is stored; returns the cursor. `entries` receives the
/// numbers of the received entries.
fn read_stream_from(
    served: &ServeServerProcess,
    path: &str,
    token: &str,
    cursor: &str,
    entries: &mut Vec<u64>,
) -> String {
    let mut stream = TcpStream::connect(&served.address).unwrap();
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nLast-Event-ID: {cursor}\r\n\r\n",
        served.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    let (mut id, mut is_over) = (cursor.to_owned(), false);
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap();
        if let Some(told) = line.strip_prefix("id: ") {
            told.clone_into(&mut id);
        }
        is_over |= line == "event: stream_complete";
        let Some(data) = line.strip_prefix("data: ") else { continue };
        let data: Value = serde_json::from_str(data).unwrap();
        if data["type"] == "entry" {
            entries.push(data["seq"].as_u64().unwrap());
        }
        if is_over {
            return id;
        }
    }
    panic!("the stream ended")
}

/// kill -9 between any two frames, again and again: nothing is received twice, and nothing is missed.
#[test]
fn stream_resumes_after_server_kill() {
    let stage = CliFixture::with_script(SPEAKS);
    let (_, ann) = token(&stage, &["--person", "ann", "--scope", "read,chat"]);
    let mut served = serve(&stage);
    let sessions = "/v1/workspaces/local:main/sessions";
    let (status, chat) = send_request(&served, "POST", sessions, &ann, "", &json!({}));
    assert_eq!(status, 201, "{chat}");
    let session = format!("{sessions}/{}", chat["id"].as_str().unwrap());
    let (mut cursor, mut entries) = ("0".to_owned(), Vec::new());
    for _ in 0..3 {
        let sent = send_request(
            &served,
            "POST",
            &format!("{session}/messages"),
            &ann,
            "",
            &json!({ "text": "go on" }),
        );
        assert_eq!(sent.0, 202, "{}", sent.1);
        cursor = read_stream_from(&served, &format!("{session}/stream"), &ann, &cursor, &mut entries);
        served.running.child.kill().unwrap();
        served.running.child.wait().unwrap();
        served = serve(&stage);
    }
    let journal =
        send_request(&served, "GET", &format!("{session}/journal?limit=200"), &ann, "", &Value::Null).1;
    let stored =
        journal["items"].as_array().unwrap().iter().rev().map(|entry| entry["seq"].as_u64().unwrap());
    let last = *entries.last().unwrap();
    assert_eq!(entries, stored.filter(|seq| *seq <= last).collect::<Vec<_>>());
    assert_eq!(end(&mut served), 0);
}

/// Once, also after a restart.
#[test]
fn server_notifies_target_of_approval() {
    let stage = CliFixture::with_script(MAKES);
    let file = add_file_target(&stage, &[]);
    stage.run(&["chat", "--require-approval", "--message", "Make a zone"]).expect(3);
    for _ in 0..2 {
        let mut served = serve(&stage);
        stage.wait_for_output(&["--json", "notify", "list"], "\"state\":\"sent\"");
        assert_eq!(end(&mut served), 0);
    }
    let told = read_notifications(&file);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0]["type"], "approval.requested");
    assert!(told[0]["data"]["approval"].as_str().unwrap().starts_with("apr_"), "{told:?}");
}

/// Thinks for a moment, creates a zone, and reports it. The moment is longer than a busy machine stands still, and shorter
/// than a server that ends waits for it.
const THINKS: &str = r#"
[[turn]]
delay_ms = 8000
envelope = '''{"pre_text": "I make a zone.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}], "keep_control": true}'''
[[turn]]
text = "So it is."
"#;

/// Creates a session with one message, on a server whose model has not answered yet; returns the session.
#[cfg(unix)]
fn at_work(stage: &CliFixture, served: &ServeServerProcess, ann: &str) -> String {
    let sessions = "/v1/workspaces/local:main/sessions";
    let (status, chat) = send_request(served, "POST", sessions, ann, "", &json!({}));
    assert_eq!(status, 201, "{chat}");
    let session = chat["id"].as_str().unwrap().to_owned();
    let messages = format!("{sessions}/{session}/messages");
    let (status, sent) = send_request(served, "POST", &messages, ann, "", &json!({ "text": "do it" }));
    assert_eq!(status, 202, "{sent}");
    stage.wait_for_output(&["session", "journal", &session], "StandingChanged");
    session
}

/// The server is asked to end while its model thinks. It reports that, starts nothing, stores the answer, and exits;
/// the next one executes the answer's request, once.
#[cfg(unix)]
fn lets_end_what_runs(stage: &CliFixture) {
    let (_, ann) = token(stage, &["--person", "ann", "--scope", "read,chat"]);
    let mut served = serve(stage);
    let session = at_work(stage, &served, &ann);
    send_sigterm(&served);
    served.running.line_with("nothing new starts");
    let (status, problem) = send_request(&served, "GET", "/readyz", "", "", &Value::Null);
    assert_eq!((status, &problem["code"]), (503, &json!("shutting-down")));
    let more = format!("/v1/workspaces/local:main/sessions/{session}/messages");
    let (status, problem) = send_request(&served, "POST", &more, &ann, "", &json!({ "text": "and this" }));
    assert_eq!((status, &problem["code"]), (503, &json!("shutting-down")));
    assert_eq!(served.running.child.wait().unwrap().code(), Some(0));

    let calls = stage.run(&["--json", "session", "calls", &session]).expect(0).out;
    assert!(calls.contains("\"proposed\""), "the answer is kept, and nothing of it was begun: {calls}");
    let mut next = serve(stage);
    let messages = stage.wait_for_output(&["session", "messages", &session], "So it is.");
    assert_eq!(messages.matches("do it").count(), 1, "{messages}");
    assert_eq!(end(&mut next), 0);
    let zones = stage.run(&["--json", "command", "run", "ZONES"]).expect(0).out;
    assert_eq!(zones.matches("Health").count(), 1, "{zones}");
    stage.run(&["session", "verify", "--all"]).expect(0);
}

/// The model needs longer than the server waits: the call is cut, and the next server repeats it.
#[cfg(unix)]
fn cuts_what_takes_too_long(stage: &CliFixture) {
    stage.write("story.toml", "[[turn]]\ndelay_ms = 600000\ntext = \"late\"\n");
    let (_, ann) = token(stage, &["--person", "ann", "--scope", "read,chat"]);
    let config = std::fs::read_to_string(stage.folder.path().join("entracte.toml")).unwrap();
    stage.write("entracte.toml", &format!("{config}[server]\ngrace = \"300ms\"\n"));
    let mut served = serve(stage);
    let session = at_work(stage, &served, &ann);
    send_sigterm(&served);
    served.running.line_with("work that was still in progress was interrupted");
    assert_eq!(served.running.child.wait().unwrap().code(), Some(0));
    stage.write("story.toml", "[[turn]]\ntext = \"Here I am.\"\n");
    let mut next = serve(stage);
    stage.wait_for_output(&["session", "messages", &session], "Here I am.");
    assert_eq!(end(&mut next), 0);
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[cfg(unix)]
#[test]
fn shutdown_loses_nothing() {
    lets_end_what_runs(&CliFixture::with_script(THINKS).on_a_file());
    cuts_what_takes_too_long(&CliFixture::with_script(THINKS).on_a_file());
    for scene in [lets_end_what_runs, cuts_what_takes_too_long] {
        let Some(made) = TestDatabase::make() else { return };
        let stage = on_server(&made);
        stage.write("story.toml", THINKS);
        scene(&stage);
    }
}

/// A person chats; a server starts, and takes over. The chat continues through it.
#[test]
fn server_takes_over_and_chat_continues() {
    let stage = CliFixture::with_script("[[turn]]\ntext = \"First.\"\n[[turn]]\ntext = \"Second.\"\n");
    let mut chat = stage.begin(&["chat"]);
    chat.line_with("session ses_");
    chat.type_line("hello");
    chat.line_with("First.");
    let running = stage.begin(&["--json", "serve", "--bind", "127.0.0.1:0"]);
    running.line_with("belongs to chat, process");
    let told: Value = serde_json::from_str(&running.line_with("entracte.serve/1")).unwrap();
    chat.type_line("and now?");
    chat.line_with("Second.");
    assert_eq!(chat.close_stdin_and_wait(), 0);
    let address = told["url"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
    let mut served = ServeServerProcess { running, address, login: login_of(&told) };
    let second = stage.run(&["serve", "--bind", "127.0.0.1:0"]).expect(6);
    assert!(second.err.contains(&format!("serve, process {}", served.running.child.id())), "{}", second.err);
    assert_eq!(end(&mut served), 0);
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn automatic_backups_can_be_restored() {
    let stage = CliFixture::with_script(MAKES).on_a_file();
    let config = std::fs::read_to_string(stage.folder.path().join("entracte.toml")).unwrap();
    stage.write("entracte.toml", &format!("{config}[backup]\nevery = \"24h\"\nfolder = \"kept\"\n"));
    stage.send_in_new_session("Make a zone", 0);
    let mut served = serve(&stage);
    let kept = stage.folder.path().join("kept");
    let whole = || {
        let names =
            std::fs::read_dir(&kept).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names.into_iter().find(|name| name.ends_with(".db"))
    };
    let file = (0..1_000_000).find_map(|_| {
        whole().or_else(|| {
            std::thread::yield_now();
            None
        })
    });
    let file = kept.join(file.expect("a backup is made at once"));
    assert_eq!(end(&mut served), 0);
    stage.run(&["db", "copy", &file.display().to_string(), "data/back.db"]).expect(0);
}
