//! Chats on a server: live words, Ctrl-C, and connections that are lost.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::cli_fixture::{CliFixture, CliProcess};

/// The number of words of the answer, each streamed a moment after the one before.
const WORDS: usize = 40;

/// A model that asks for an action, and says that it is done.
const ASKS: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I ask.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}], "validation_request": true, "keep_control": true}'''
[[turn]]
text = "It is made."
"#;

fn answer() -> String {
    (1..=WORDS).map(|number| format!("word {number}, né")).collect::<Vec<_>>().join(" ")
}

/// A proxy in front of a server, whose connections a test cuts.
struct CuttingProxy {
    url: String,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl CuttingProxy {
    fn in_front_of(server: &str, listener: TcpListener) -> Self {
        let url = format!("http://{}", listener.local_addr().unwrap());
        let open = Arc::new(Mutex::new(Vec::new()));
        let (kept, server) = (open.clone(), server.trim_start_matches("http://").to_owned());
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(there) = TcpStream::connect(&server) else { continue };
                let mut kept = kept.lock().unwrap();
                for (from, to) in [(&client, &there), (&there, &client)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    kept.push(from.try_clone().unwrap());
                    std::thread::spawn(move || pass_on(from, to));
                }
            }
        });
        Self { url, open }
    }

    /// Cuts all connections; returns how many there were.
    fn cut(&self) -> usize {
        let cut: Vec<TcpStream> = std::mem::take(&mut *self.open.lock().unwrap());
        cut.iter().filter(|one| one.shutdown(Shutdown::Both).is_ok()).count()
    }
}

fn pass_on(mut from: TcpStream, mut to: TcpStream) {
    let mut bytes = [0; 4096];
    while let Ok(count) = from.read(&mut bytes) {
        if count == 0 || to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

/// A command through a proxy.
fn begin_through(proxy: &CuttingProxy, stage: &CliFixture, arguments: &[&str]) -> CliProcess {
    stage.spawn_command(stage.command(arguments).env("ENTRACTE_SERVER", &proxy.url))
}

fn session_of(running: &CliProcess) -> String {
    running.line_with("session ses_").trim_start_matches("session ").to_owned()
}

/// Input: connections that are cut while the model speaks; expected: every word and every entry once, for a message whose
/// turn is streamed, and for a chat, which goes on with the next message.
#[test]
fn remote_chat_resumes_after_disconnect() {
    // It still speaks when its connections are cut, also on a machine that stands still for a moment.
    let turn = format!("[[turn]]\ntext = \"{}\"\nword_delay_ms = 120\n", answer());
    let script = format!("{turn}[[turn]]\ntext = \"Bye.\"\n");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let stage = CliFixture::with_script(&script).on_a_server();
    // The server answers to the name of the proxy.
    let hosts = format!("[server]\nhosts = \"{}\"\n", listener.local_addr().unwrap());
    let provider = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n";
    stage.write("entracte.toml", &format!("{hosts}{provider}"));
    let proxy = CuttingProxy::in_front_of(&stage.server_of_commands().0, listener);

    let asks = begin_through(&proxy, &stage, &["--json", "chat", "--stream", "--message", "Tell me."]);
    let (mut words, mut entries, mut cuts) = (Vec::<String>::new(), Vec::new(), 0);
    let turn = loop {
        let line: Value = serde_json::from_str(&asks.line_with("\"schema\"")).unwrap();
        match line["schema"].as_str().unwrap() {
            "entracte.delta/1" => words.push(line["text"].as_str().unwrap().to_owned()),
            "entracte.entry/2" => entries.push(line["sequence"].as_u64().unwrap()),
            "entracte.turn/2" => break line,
            other => panic!("{other}: {line}"),
        }
        if matches!(words.len(), 3 | 12) && words.len() > cuts {
            assert!(proxy.cut() > 0, "it has a stream");
            cuts = words.len();
        }
    };
    assert!(cuts > 0 && words.len() > WORDS / 4, "they came as they were said, in {} pieces", words.len());
    assert_eq!(words.concat(), answer(), "no gap, and no repeat");
    assert_eq!(turn["reply"]["text"], answer());
    let first = entries[0];
    assert_eq!(
        entries,
        (first..first + entries.len() as u64).collect::<Vec<_>>(),
        "each entry once, in order"
    );

    let mut talk = begin_through(&proxy, &stage, &["chat"]);
    let session = session_of(&talk);
    let words = stage.begin(&["--json", "session", "follow", &session, "--after", "0"]);
    talk.type_line("Tell me.");
    words.line_with("entracte.delta/1");
    assert!(proxy.cut() > 0, "the chat has a stream");
    talk.line_with(&format!("word {WORDS}, né"));
    talk.type_line("Thanks.");
    talk.line_with("Bye.");
    assert_eq!(talk.close_stdin_and_wait(), 0);
    let said = stage.run(&["session", "messages", &session]).expect(0).out;
    assert_eq!(said.matches("Thanks.").count(), 1, "{said}");
}

/// Input: Ctrl-C while the model of a server speaks, in a chat; expected: its round is interrupted there, and the chat goes
/// on.
#[test]
fn ctrl_c_interrupts_chat_on_a_server() {
    let script = "[[turn]]\ndelay_ms = 100000\ntext = \"late\"\n";
    let stage = CliFixture::with_script(script).on_a_server();
    let mut talk = stage.begin(&["chat"]);
    let session = session_of(&talk);
    talk.type_line("Hello");
    stage.wait_for_output(&["session", "journal", &session], "UserMessageSent");
    let pid = nix::unistd::Pid::from_raw(talk.child.id().try_into().unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    stage.wait_for_output(&["session", "journal", &session], "RoundInterrupted");
    talk.type_line("/model");
    talk.line_with("rehearsal");
    assert_eq!(talk.close_stdin_and_wait(), 0);
}

/// Input: an approval and a stop on a server; expected: the turn is followed to its end there, as on this machine.
#[test]
fn requests_on_a_server_are_followed() {
    let stage = CliFixture::with_script(ASKS).on_a_server();
    let turn = stage.run(&["--json", "chat", "--message", "Make a zone"]).expect(3).json();
    assert_eq!(turn["schema"], "entracte.turn/2");
    let card = &turn["waiting"]["items"][0];
    assert_eq!(card["session"], turn["session"], "{card}");
    let done = stage.run(&["approve", card["id"].as_str().unwrap()]).expect(0);
    assert_eq!(done.out, "It is made.\n", "{}", done.err);
    let session = turn["session"].as_str().unwrap();
    stage.run(&["session", "stop", session, "--end"]).expect(0);
    let shown = stage.run(&["--json", "session", "show", session]).expect(0).json();
    assert_eq!(shown["end_reason"], "CANCELLED", "{shown}");
}
