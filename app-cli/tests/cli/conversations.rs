//! One conversation on every surface: the command line, the HTTP API and its streams.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::cli_fixture::CliFixture;
use crate::server::{ServeServerProcess, send_request, serve, token};

/// A reply with native calls, and the same as an envelope.
const PLAYS: [(&str, &str); 2] = [
    (
        "tools",
        r#"
[[turn]]
text = "I make it."
calls = [
  { name = "zones.list", arguments = {} },
  { name = "zones.create", arguments = { name = "Health" } },
]
[[turn]]
text = "It is made."
"#,
    ),
    (
        "envelope",
        r#"
[[turn]]
envelope = '''{"pre_text": "I make it.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}], "keep_control": true}'''
[[turn]]
text = "It is made."
"#,
    ),
];

/// The messages of all entries that a stream of the session tells, as many as `count`.
fn streamed_messages(served: &ServeServerProcess, path: &str, token: &str, count: usize) -> Vec<Value> {
    let mut stream = TcpStream::connect(&served.address).unwrap();
    let head = format!(
        "GET {path}?after=0 HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n\r\n",
        served.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut messages = Vec::new();
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap();
        let Some(data) = line.strip_prefix("data: ") else { continue };
        let data: Value = serde_json::from_str(data).unwrap();
        messages.extend(data["messages"].as_array().into_iter().flatten().cloned());
        if messages.len() >= count {
            return messages;
        }
    }
    panic!("the stream ended: {messages:?}")
}

/// Input: a session with native calls, read by the command line, as a page, and as a stream from the beginning; expected:
/// the same messages with the same fields. Only a stream has no reader, so that nothing is unread there.
#[test]
fn message_fields_match_on_every_surface() {
    for (dialect, plays) in PLAYS {
        let stage = CliFixture::with_config(&format!(
            "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\ndialect = \"{dialect}\"\n"
        ));
        stage.write("story.toml", plays);
        let session = stage.send_in_new_session("Make a zone", 0);
        let printed = stage.run(&["--json", "session", "messages", &session]).expect(0).json();
        assert_eq!(printed["schema"], "entracte.messages/2");
        let printed = printed["messages"].as_array().unwrap().clone();
        let asked = printed.iter().find(|message| message["role"] == "ai").unwrap();
        if dialect == "tools" {
            assert_eq!(asked["queries"][0]["command"], "zones.list", "{asked}");
        }
        // As the model wrote it: an envelope has words of its own for commands.
        let create = if dialect == "tools" { "zones.create" } else { "CREATE_ZONE" };
        assert_eq!(
            asked["actions"][0],
            json!({"command": create, "arguments": {"name": "Health"}}),
            "{dialect}"
        );
        let text = stage.run(&["session", "messages", &session]).expect(0).out;
        assert!(text.contains(&format!("→ {create} {{\"name\":\"Health\"}}")), "{dialect}: {text}");

        // The same person, so that the same messages are unread.
        let (_, reader) = token(&stage, &["--scope", "read"]);
        let served = serve(&stage);
        let path = format!("/v1/workspaces/local:main/sessions/{session}");
        let (status, mut page) =
            send_request(&served, "GET", &format!("{path}/messages?limit=200"), &reader, "", &Value::Null);
        assert_eq!(status, 200, "{page}");
        let mut paged = page["items"].take().as_array().unwrap().clone();
        paged.reverse();
        let mut streamed = streamed_messages(&served, &format!("{path}/stream"), &reader, printed.len());
        for (message, page) in streamed.iter_mut().zip(&paged) {
            assert_eq!(message["unread"], Value::Null, "{dialect}");
            message["unread"] = page["unread"].clone();
        }
        assert_eq!(paged, streamed, "{dialect}");
        // The reader of the command line and the person of the token are two readers.
        for (message, page) in paged.iter_mut().zip(&printed) {
            message["unread"] = page["unread"].clone();
        }
        assert_eq!(printed, paged, "{dialect}");
    }
}
