//! The relay: text that a model streams in a server reaches the terminal beside it immediately.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::cli_fixture::{CliFixture, CliProcess};
use crate::server::{end, post, serve, token};

/// The number of words of the answer, each streamed a moment after the one before.
const WORDS: usize = 40;

/// Two answers, with this many milliseconds between their words.
fn story(word_delay: u32) -> String {
    let turn = format!("[[turn]]\ntext = \"{}\"\nword_delay_ms = {word_delay}\n", answer());
    turn.repeat(2)
}

fn answer() -> String {
    (1..=WORDS).map(|number| format!("word {number}, né")).collect::<Vec<_>>().join(" ")
}

/// A chat beside the server that prints its turn as objects.
fn asks(stage: &CliFixture) -> CliProcess {
    stage.begin(&["--json", "chat", "--stream", "--message", "Tell me."])
}

fn object(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

/// The pieces of the attempt whose reply is stored, and the turn.
fn told(running: &CliProcess) -> (Vec<String>, Value) {
    let mut pieces = Vec::new();
    loop {
        let line = object(&running.line_with("\"schema\""));
        match line["schema"].as_str().unwrap() {
            "entracte.delta/1" => pieces.push(line["text"].as_str().unwrap().to_owned()),
            "entracte.turn/2" => return (pieces, line),
            // Any other commit in between ended the attempt before.
            _ if line["label"].is_string() && line["label"] != "AiResponseReceived" => pieces.clear(),
            _ => {}
        }
    }
}

#[test]
fn words_are_relayed_from_the_server_that_speaks() {
    for stage in CliFixture::playing_on_each(&story(50)) {
        let served = serve(&stage);
        let (pieces, turn) = told(&asks(&stage));
        assert_eq!(pieces.concat(), answer(), "no gap, and no repeat");
        assert!(pieces.len() > WORDS / 4, "they came as they were said, in {} pieces", pieces.len());
        assert_eq!(turn["reply"]["text"], answer());

        // Its token is in no list.
        let tokens = stage.run(&["--json", "token", "list"]).expect(0).out;
        assert!(!tokens.contains("relay"), "{tokens}");
        drop(served);
    }
}

#[test]
fn a_server_that_is_killed_takes_no_word_with_it() {
    // It still speaks when it is killed, also on a machine that stands still for a moment.
    for stage in CliFixture::playing_on_each(&story(120)) {
        let mut served = serve(&stage);
        let asked = asks(&stage);
        for _ in 0..3 {
            asked.line_with("entracte.delta/1");
        }
        served.running.child.kill().unwrap();
        served.running.child.wait().unwrap();
        // The terminal continues by itself: the streamed text is void, and is streamed anew.
        let (pieces, turn) = told(&asked);
        assert_eq!(pieces.concat(), answer(), "what was told of the last attempt is what is stored");
        assert_eq!(turn["reply"]["text"], answer());
        let session = turn["session"].as_str().unwrap();
        let messages = stage.run(&["--json", "session", "messages", session]).expect(0).json();
        let said = messages["messages"].as_array().unwrap().iter().filter(|one| one["type"] == "ai");
        assert_eq!(said.count(), 1, "{messages}");
        stage.run(&["session", "verify", "--all"]).expect(0);
    }
}

/// The frames of a stream of a server, from now on.
fn frames(address: &str, path: &str, token: &str) -> impl Iterator<Item = Value> {
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nAccept: text/event-stream\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    lines.filter_map(|line| line.strip_prefix("data:").map(|data| object(data.trim())))
}

/// Input: two servers that share a database, the requests to one and the stream of the session from the other; expected:
/// the other one streams every word as it is said.
#[test]
fn stream_from_any_server() {
    let Some(stage) = CliFixture::playing_on_each(&story(50)).into_iter().nth(1) else { return };
    let stage = stage.on_this_machine();
    stage.write(
        "entracte.toml",
        "[runtime]\nshares_database = true\n[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n",
    );
    let (mut one, mut other) = (serve(&stage), serve(&stage));
    let (_, ann) = token(&stage, &["--person", "ann", "--scope", "read,chat"]);
    let sessions = "/v1/workspaces/local:main/sessions";
    let (status, made) = post(&one.address, sessions, &ann, &json!({}));
    assert_eq!(status, 201, "{made}");
    let session = format!("{sessions}/{}", made["id"].as_str().unwrap());

    let path = format!("{session}/stream");
    let mut frames = frames(&other.address, &path, &ann);
    assert!(frames.any(|frame| frame["type"] == "hello"), "the stream begins");
    let message = json!({ "text": "Tell me." });
    let (status, sent) = post(&one.address, &format!("{session}/messages"), &ann, &message);
    assert_eq!(status, 202, "{sent}");
    let said = frames.take_while(|frame| frame["type"] != "stream_complete");
    let pieces: Vec<String> = said
        .filter(|frame| frame["type"] == "stream_chunk")
        .map(|frame| frame["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(pieces.concat(), answer(), "no gap, and no repeat");
    assert!(pieces.len() > WORDS / 4, "they came as they were said, in {} pieces", pieces.len());
    assert_eq!((end(&mut other), end(&mut one)), (0, 0));
}

/// Input: a read-only follower, beside a server that streams, and then alone; expected: it gets every word and every
/// event once, it ends when the session rests, and no process owns the database because of it.
#[test]
fn a_session_is_followed_by_somebody_who_only_reads() {
    let stage = CliFixture::with_script(&format!(
        "[[turn]]\ntext = \"Hello.\"\n[[turn]]\ntext = \"{}\"\ndelay_ms = 6000\nword_delay_ms = 50\n",
        answer()
    ));
    let session = stage.send_in_new_session("Hi", 0);
    let journal = || -> Vec<u64> {
        let journal = stage.run(&["--json", "session", "journal", &session]).expect(0).out;
        journal.lines().filter_map(|line| object(line)["seq"].as_u64()).collect()
    };
    let before = journal();
    // Past events, without a server and without becoming the owner.
    let past =
        stage.run(&["--json", "session", "follow", &session, "--after", "0", "--until-rest"]).expect(0).out;
    let past: Vec<u64> = past.lines().filter_map(|line| object(line)["seq"].as_u64()).collect();
    assert_eq!(past, before);

    let served = serve(&stage);
    let last = before.last().unwrap().to_string();
    let follows = stage.begin(&["--json", "session", "follow", &session, "--after", &last]);
    let asks = stage.begin(&["--json", "chat", "--session", &session, "--stream", "--message", "Tell me."]);
    let (mut pieces, mut seen) = (String::new(), Vec::new());
    while !pieces.ends_with(&format!("word {WORDS}, né")) {
        let line = object(&follows.line_with("\"schema\""));
        match line["seq"].as_u64() {
            Some(seq) => seen.push(seq),
            None => pieces.push_str(line["text"].as_str().unwrap()),
        }
    }
    assert_eq!(pieces, answer(), "no gap, and no repeat");
    let (_, turn) = told(&asks);
    assert_eq!(turn["reply"]["text"], answer());
    let after: Vec<u64> = journal().into_iter().filter(|seq| !before.contains(seq)).collect();
    assert!(after.starts_with(&seen) && !seen.is_empty(), "{seen:?} of {after:?}");
    drop(served);

    stage.run(&["session", "stop", &session, "--end"]);
    let ended = stage.run(&["session", "follow", &session]).expect(0);
    assert!(ended.out.is_empty(), "{}", ended.out);
    stage.run(&["session", "follow", "ses_nope"]).expect(5);
}
