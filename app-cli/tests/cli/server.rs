//! `serve` and `token`: the server as a process, asked over its port.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::decisions::MAKES;
use crate::notify::{keeps, told};
use crate::stage::{Running, Stage};

/// A server that runs, and where.
struct Served {
    running: Running,
    address: String,
    login: String,
}

fn serve(stage: &Stage) -> Served {
    let running = stage.begin(&["--json", "serve", "--bind", "127.0.0.1:0"]);
    let told: Value = serde_json::from_str(&running.line_with("entracte.serve/1")).unwrap();
    let address = told["url"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
    Served { running, address, login: told["login"].as_str().unwrap().to_owned() }
}

/// Status and body of an answer.
fn ask(served: &Served, method: &str, path: &str, token: &str, more: &str, body: &Value) -> (u16, Value) {
    let text = if body.is_null() { String::new() } else { body.to_string() };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n{more}\r\n{text}",
        served.address,
        text.len()
    );
    let mut stream = TcpStream::connect(&served.address).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap_or(Value::Null))
}

fn token(stage: &Stage, arguments: &[&str]) -> (String, String) {
    let mut all = vec!["--json", "token", "create"];
    all.extend(arguments);
    let made = stage.run(&all).expect(0).json();
    (made["id"].as_str().unwrap().to_owned(), made["secret"].as_str().unwrap().to_owned())
}

fn asked(served: &Served, token: &str) -> Value {
    for _ in 0..500 {
        let path = "/v1/workspaces/local:main/approvals";
        let (status, found) = ask(served, "GET", path, token, "", &Value::Null);
        assert_eq!(status, 200, "{found}");
        if !found["items"][0].is_null() {
            return found["items"][0].clone();
        }
        std::thread::yield_now();
    }
    panic!("nothing waits for approval")
}

#[test]
fn a_chat_over_the_server_is_approved_by_its_card_and_goes_on() {
    let stage = Stage::playing(MAKES);
    let (_, ann) = token(&stage, &["--person", "ann", "--scope", "read,chat"]);
    let (_, noe) = token(&stage, &["--person", "noe", "--scope", "read,approve"]);
    let mut served = serve(&stage);
    let sessions = "/v1/workspaces/local:main/sessions";
    let (status, chat) = ask(&served, "POST", sessions, &ann, "", &json!({ "require_validation": true }));
    assert_eq!(status, 201, "{chat}");
    let session = chat["id"].as_str().unwrap();
    let messages = format!("{sessions}/{session}/messages");
    let (status, sent) = ask(&served, "POST", &messages, &ann, "", &json!({ "text": "do it" }));
    assert_eq!(status, 202, "{sent}");
    let card = asked(&served, &noe);
    let decision = format!("/v1/workspaces/local:main/approvals/{}/decision", card["id"].as_str().unwrap());
    let seen = format!("If-Match: \"{}\"\r\n", card["digest"].as_str().unwrap());
    let approve = json!({ "decision": "approve" });
    let (status, refused) = ask(&served, "POST", &decision, &ann, &seen, &approve);
    assert_eq!((status, &refused["code"]), (403, &json!("scope-missing")));
    let (status, decided) = ask(&served, "POST", &decision, &noe, &seen, &approve);
    assert_eq!((status, &decided["decided_by"]), (200, &json!("noe")), "{decided}");
    // The command line posts beside the server, and sees the same.
    let calls = stage.until(&["--json", "session", "calls", session], "succeeded");
    assert!(calls.contains("\"decided_by\":\"noe\""), "{calls}");
    assert_eq!(end(&mut served), 0);
}

#[cfg(unix)]
fn end(served: &mut Served) -> i32 {
    let pid = nix::unistd::Pid::from_raw(served.running.child.id().try_into().unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
    served.running.child.wait().unwrap().code().unwrap_or(-1)
}

#[test]
fn the_server_owns_the_database_and_ends_in_order() {
    let stage = Stage::playing(MAKES);
    let mut served = serve(&stage);
    assert!(served.login.contains("/login#"), "{}", served.login);
    let (status, health) = ask(&served, "GET", "/readyz", "", "", &Value::Null);
    assert_eq!((status, health), (200, json!({ "status": "ready" })));
    let second = stage.run(&["serve", "--bind", "127.0.0.1:0"]).expect(6);
    assert!(second.err.contains("another process owns the database"), "{}", second.err);
    assert_eq!(end(&mut served), 0);
    assert_eq!(end(&mut serve(&stage)), 0, "the next one takes it at once");
}

#[test]
fn beyond_this_machine_tokens_need_tls() {
    let stage = Stage::playing(MAKES);
    let refused = stage.run(&["serve", "--bind", "0.0.0.0:0"]).expect(2);
    assert!(refused.err.contains("give a certificate"), "{}", refused.err);
    let files = ["serve", "--bind", "0.0.0.0:0", "--tls-cert", "none.pem", "--tls-key", "none.pem"];
    let refused = stage.run(&files).expect(2);
    assert!(refused.err.contains("none.pem"), "{}", refused.err);
    for wrong in [["serve", "--bind", "8723"], ["serve", "--base-path", "x y"]] {
        stage.run(&wrong).expect(2);
    }
}

#[test]
fn a_token_is_shown_once_listed_without_its_secret_and_revoked() {
    let stage = Stage::playing(MAKES);
    let made =
        stage.run(&["token", "create", "--person", "noe", "--scope", "read", "--for", "30d"]).expect(0);
    let secret = made.out.trim().to_owned();
    assert!(secret.starts_with("entr_"), "{secret}");
    assert!(!made.err.contains(&secret) && made.err.contains("noe"), "{}", made.err);
    let listed = stage.run(&["--json", "token", "list"]).expect(0);
    let hidden = secret.split_once('.').unwrap().1;
    assert!(!listed.out.contains(hidden) && listed.out.contains("\"person\":\"noe\""), "{}", listed.out);
    assert!(stage.run(&["token", "list"]).expect(0).out.contains("noe"));
    let elsewhere = ["--workspace", "eve:other", "token", "revoke", secret.as_str()];
    stage.run(&elsewhere).expect(5);

    let mut served = serve(&stage);
    let me = |served: &Served| ask(served, "GET", "/v1/me", &secret, "", &Value::Null).0;
    assert_eq!(me(&served), 200);
    // Beside the server that owns the database, and at once.
    stage.run(&["token", "revoke", &secret]).expect(0);
    assert_eq!(me(&served), 401);
    assert_eq!(end(&mut served), 0);
}

/// Once, also when it is started again.
#[test]
fn the_server_tells_a_target_of_an_approval() {
    let stage = Stage::playing(MAKES);
    let file = keeps(&stage, &[]);
    stage.run(&["chat", "--require-approval", "--message", "Make a zone"]).expect(3);
    for _ in 0..2 {
        let mut served = serve(&stage);
        stage.until(&["--json", "notify", "list"], "\"state\":\"sent\"");
        assert_eq!(end(&mut served), 0);
    }
    let told = told(&file);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0]["type"], "approval.requested");
    assert!(told[0]["data"]["approval"].as_str().unwrap().starts_with("apr_"), "{told:?}");
}
