//! A night from the automation to its effect: the real server, which is killed in between, a webhook verified by a
//! third-party library, a link opened by a scanner and a person, and a server that counts the payments.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use entracte_application::ports::Clock as _;
use entracte_application::system::SystemClock;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

use crate::cli_fixture::CliFixture;
use crate::server::{ServeServerProcess, end, free_address, send_request, serve_at};

/// How long the night may take before the test fails.
const DEADLINE: Duration = Duration::from_secs(60);

/// 24 bytes.
const KEY: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// Pays a bill, and reports completion.
const PAYS: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I pay it.", "actions": [{"type": "pay.send", "params": {"to": "bob"}}], "keep_control": true}'''
[[turn]]
envelope = '''{"pre_text": "It is paid.", "completed": true}'''
"#;

/// A server on this machine that accepts every request and records them in order.
struct WebhookTestServer {
    address: String,
    received: Receiver<(HeaderMap, String)>,
}

impl WebhookTestServer {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (tell, received) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                // A client that is killed during its request is ignored.
                let Some(request) = read(&stream) else { continue };
                let answered = (&stream).write_all(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
                );
                if answered.is_err() || tell.send(request).is_err() {
                    continue;
                }
            }
        });
        Self { address, received }
    }

    fn next(&self) -> (HeaderMap, String) {
        self.received.recv_timeout(DEADLINE).unwrap()
    }
}

/// Head and body of a request.
fn read(stream: &std::net::TcpStream) -> Option<(HeaderMap, String)> {
    let mut lines = BufReader::new(stream);
    let mut headers = HeaderMap::new();
    let mut line = String::new();
    lines.read_line(&mut line).ok().filter(|read| *read > 0)?;
    loop {
        line.clear();
        lines.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.append(HeaderName::try_from(name).ok()?, HeaderValue::try_from(value).ok()?);
    }
    let length =
        headers.get("content-length").map_or(Some(0), |length| length.to_str().ok()?.parse().ok())?;
    let mut body = vec![0; length];
    lines.read_exact(&mut body).ok()?;
    Some((headers, String::from_utf8(body).ok()?))
}

/// A schedule that is due at two in the night, in a moment: its second and minute, and a zone where it is two o'clock
/// then.
fn schedule_due_soon_at_two() -> (String, String) {
    let then = SystemClock.now().0 / 1_000_000 + 8;
    let (hour, minute, second) = (then / 3600 % 24, then / 60 % 60, then % 60);
    let ahead = (2 - hour).rem_euclid(24);
    let ahead = if ahead > 14 { ahead - 24 } else { ahead };
    // The names of these zones have the opposite sign of their offset.
    (format!("{second} {minute} 2 * * *"), format!("Etc/GMT{:+}", -ahead))
}

/// An automation whose payments need approval, and a webhook of Ann's that gets a link.
fn at_night(bank: &WebhookTestServer, phone: &WebhookTestServer) -> CliFixture {
    let stage = CliFixture::with_script(PAYS);
    stage.write("hook.key", KEY);
    stage.write(
        "entracte.toml",
        &format!(
            "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n\
             [server]\npublic_url = \"https://night.example\"\n\
             [tools.http]\nallow = [\"127.0.0.1\"]\n\
             [notify]\nallow = [\"127.0.0.1\"]\n\
             [[tools.http.tool]]\nname = \"pay.send\"\nmethod = \"POST\"\nurl = \"http://{}/pay\"\nbody = \"json\"\n\
             doc = \"Pays.\"\ndestructive = false\n\
             arguments = {{ type = \"object\", properties = {{ to = {{ type = \"string\" }} }}, \
             additionalProperties = false }}\n",
            bank.address
        ),
    );
    let (url, place) = (
        format!("http://{}/hook", phone.address),
        format!("file:{}/hook.key", stage.folder.path().display()),
    );
    let wants = ["--private", "--links", "--kinds", "approval.requested"];
    let add = ["notify", "add", "phone", "--webhook", &url, "--secret", &place];
    stage.run(&[&add[..], &wants].concat()).expect(0);
    stage
}

/// Follows a link without a token.
fn follow(served: &ServeServerProcess, verb: &str, body: &Value) -> (u16, Value) {
    send_request(served, "POST", &format!("/v1/links/{verb}"), "", "", body)
}

#[test]
fn a_night_played_fast() {
    let (bank, phone) = (WebhookTestServer::new(), WebhookTestServer::new());
    let stage = at_night(&bank, &phone);
    let address = free_address();
    let mut served = serve_at(&stage, &address);
    let (cron, zone) = schedule_due_soon_at_two();
    let create = ["automation", "create", "Bills", "--message", "Pay the bill.", "--require-approval"];
    stage.run(&[&create[..], &["--cron", &cron, "--zone", &zone]].concat()).expect(0);

    // At two: the run requests an approval, and the phone is notified. A third-party library verifies the webhook.
    let (headers, told) = phone.next();
    let library = standardwebhooks::Webhook::new(KEY).unwrap();
    library.verify(told.as_bytes(), &headers).unwrap();
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["type"], "approval.requested", "{told}");
    let link = told["data"]["links"]["review"].as_str().unwrap();
    let (page, secret) = link.split_once('#').unwrap();
    assert_eq!(page, "https://night.example/a", "the secret is behind the #");

    served.running.child.kill().unwrap();
    served.running.child.wait().unwrap();
    let mut served = serve_at(&stage, &address);

    // A scanner opens the page and runs its script; and again, for the copy of the mail.
    for _ in 0..2 {
        assert_eq!(send_request(&served, "GET", "/a", "", "", &Value::Null).0, 200);
        let (status, opened) = follow(&served, "open", &json!({ "secret": secret }));
        assert_eq!((status, &opened["card"]["id"]), (200, &told["data"]["approval"]), "{opened}");
    }
    let guess = json!({ "secret": secret, "nonce": "guess", "decision": "approve" });
    assert_eq!(follow(&served, "act", &guess).0, 422);
    let history = || stage.run(&["--json", "automation", "history", "Bills"]).expect(0).json();
    assert_eq!(history()["occurrences"][0]["standing"], "parked", "{}", history());

    // The person opens it, reads, and approves; tapped twice, it counts once.
    let (status, opened) = follow(&served, "open", &json!({ "secret": secret }));
    assert_eq!((status, &opened["person"]), (200, &json!("ann")), "{opened}");
    let yes = json!({ "secret": secret, "nonce": opened["nonce"], "decision": "approve" });
    let (status, decided) = follow(&served, "act", &yes);
    assert_eq!((status, &decided["decided_by"]), (200, &json!("ann")), "{decided}");
    assert_eq!(follow(&served, "act", &yes).0, 410);

    let ended = stage.wait_for_output(&["--json", "automation", "history", "Bills"], "COMPLETED");
    let ended: Value = serde_json::from_str(&ended).unwrap();
    let [only] = ended["occurrences"].as_array().unwrap().as_slice() else { panic!("{ended}") };
    let session = only["session"].as_str().unwrap();
    assert_eq!(end(&mut served), 0);
    let paid: Vec<String> = bank.received.try_iter().map(|(_, body)| body).collect();
    assert_eq!(paid, [r#"{"to":"bob"}"#], "one effect");
    // A notification may be repeated after a crash, with the same id.
    for (again, _) in phone.received.try_iter() {
        assert_eq!(again["webhook-id"], headers["webhook-id"]);
    }
    let calls = stage.run(&["--json", "session", "calls", session]).expect(0).json();
    assert_eq!(
        (&calls["calls"][0]["state"], calls["calls"].as_array().unwrap().len()),
        (&json!("succeeded"), 1)
    );
    stage.run(&["session", "verify", "--all"]).expect(0);
}
