//! The small clients of `examples/stream-client`, and where their tickets stay.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::cli_fixture::CliFixture;
use crate::files::node;
use crate::server::{free_address, send_request, serve_at, token};

/// Speaks slowly enough to be killed in between; each word has a line of its own.
const SPEAKS: &str =
    "[[turn]]\ntext = \"alpha\\n beta\\n gamma\\n delta\\n epsilon\\n zeta\\n end\"\nword_delay_ms = 900\n";

const WORDS: &str = "alpha\n beta\n gamma\n delta\n epsilon\n zeta\n end\n";

/// The same client in two languages.
fn clients() -> [Command; 2] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/stream-client");
    let mut in_node = Command::new(node());
    in_node.arg(folder.join("stream.mjs"));
    let mut in_python = Command::new("/usr/bin/env");
    in_python.arg("python3").arg(folder.join("stream.py"));
    [in_node, in_python]
}

/// Input: a client shows the words of a model, and the server is killed in the middle and starts again; expected: the
/// client takes back what was lost, shows the whole answer, and has checked its hash.
#[test]
fn stream_clients_lose_no_word() {
    for mut client in clients() {
        let stage = CliFixture::with_script(SPEAKS);
        let (_, ann) = token(&stage, &["--person", "ann", "--scope", "read,chat"]);
        let address = free_address();
        let mut served = serve_at(&stage, &address);
        let sessions = "/v1/workspaces/local:main/sessions";
        let (_, chat) = send_request(&served, "POST", sessions, &ann, "", &json!({}));
        let session = chat["id"].as_str().unwrap();
        let url = format!("http://{address}");
        let mut shown = stage.spawn_command(client.args([&url, &ann, "local:main", session, "0", "--once"]));
        let messages = format!("{sessions}/{session}/messages");
        let (status, sent) = send_request(&served, "POST", &messages, &ann, "", &json!({ "text": "speak" }));
        assert_eq!(status, 202, "{sent}");
        shown.line_with("beta");
        served.running.child.kill().unwrap();
        served.running.child.wait().unwrap();
        let served = serve_at(&stage, &address);
        let told = shown.lines_until("end");
        let whole = told.join("\n");
        assert!(whole.contains("[taken back: lost]"), "{client:?}: {whole}");
        assert!(format!("{whole}\n").ends_with(WORDS), "{client:?}: {whole}");
        assert!(shown.child.wait().unwrap().success(), "{client:?}");
        drop(served);
        stage.run(&["session", "verify", session]).expect(0);
    }
}

/// A ticket stands in an address: no line of any log has it, however much is logged.
#[test]
fn ticket_is_in_no_log() {
    let stage = CliFixture::with_script(SPEAKS);
    let (_, ann) = token(&stage, &["--person", "ann", "--scope", "read"]);
    let mut command = stage.command(&["--json", "serve", "--bind", "127.0.0.1:0"]);
    command.env("ENTRACTE_LOG", "trace");
    let served = crate::server::serve_on(stage.spawn_command(&mut command));
    let path = "/v1/workspaces/local:main/events";
    let (status, made) = send_request(&served, "POST", "/v1/tickets", &ann, "", &json!({ "path": path }));
    assert_eq!(status, 200, "{made}");
    let ticket = made["ticket"].as_str().unwrap();
    // With a cursor that is refused, the answer ends.
    let asked = format!("{path}?after=wrong&ticket={ticket}");
    let (status, refused) = send_request(&served, "GET", &asked, "", "", &Value::Null);
    assert_eq!((status, &refused["code"]), (400, &json!("cursor-invalid")), "{refused}");
    let mut served = served;
    served.running.child.kill().unwrap();
    served.running.child.wait().unwrap();
    let logged = served.running.rest().join("\n");
    assert!(logged.contains("cursor-invalid") || logged.contains("/events"), "{logged}");
    assert!(!logged.contains(ticket), "{logged}");
}
