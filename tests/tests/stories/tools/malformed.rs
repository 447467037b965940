//! Invalid replies through the whole loop: nothing runs, nothing panics, the chat rests.

use entracte_application::rule_book::RuleBook;
use entracte_domain::session::Dialect;
use entracte_tests::fakes::strict_model::{StrictModelStep, says};
use entracte_tests::strict::StrictApi;
use entracte_tests::test_scale;
use serde_json::{Value, json};

use super::fixture::NativeToolFixture;
use super::wire::{WireCallArgs, stream, whole};

/// Total number of malformed replies, in the long form and in the short one.
const REPLIES: u64 = 10_000;
const REPLIES_SHORT: u64 = 600;
/// Number of replies per chat; then its log is replayed and another chat starts.
const OF_ONE_CHAT: u64 = 20;

/// Reproducible pseudo-random numbers.
struct MalformedReplyRng(u64);

impl MalformedReplyRng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next() % most.max(1) as u64).unwrap()
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// A valid reply with an action that would run.
fn good(dialect: Dialect) -> (String, Vec<WireCallArgs<'static>>) {
    match dialect {
        Dialect::Tools => {
            ("I send it.".to_owned(), vec![("c0", "outside_send", r#"{"to":"bob","n":[1,"é"]}"#)])
        }
        Dialect::Envelope => (json!({"pre_text": "I send it.", "actions": [send()]}).to_string(), Vec::new()),
    }
}

fn send() -> Value {
    json!({"type": "SEND", "params": {"to": "bob", "n": [1, "é"]}})
}

/// Broken on the wire: cut, invalid UTF-8, no response at all.
fn broken_on_the_wire(api: StrictApi, dialect: Dialect, numbers: &mut MalformedReplyRng) -> StrictModelStep {
    let (text, calls) = good(dialect);
    let mut answer = whole(api, &text, &calls).to_string().into_bytes();
    let mut streamed = stream(api, &text, &calls).into_bytes();
    // Bytes that start no character, or an incomplete one.
    let wrong = *numbers.one(&[0xff_u8, 0xc3, 0x80, 0xed]);
    match numbers.below(5) {
        0 => {
            answer.truncate(numbers.below(answer.len()));
            StrictModelStep::Answers(answer)
        }
        1 => {
            // After the event that reports how the model ended, the response is complete.
            streamed.truncate(numbers.below(end_of(api, &streamed)));
            StrictModelStep::Streams(streamed)
        }
        2 => {
            answer.insert(numbers.below(answer.len()), wrong);
            StrictModelStep::Answers(answer)
        }
        3 => {
            let inside: Vec<usize> =
                (0..streamed.len()).filter(|at| streamed[*at].is_ascii_alphanumeric()).collect();
            streamed.insert(*numbers.one(&inside), wrong);
            StrictModelStep::Streams(streamed)
        }
        _ => {
            let nothing: [&[u8]; 7] = [b"", b"null", b"[]", b"{}", b"<html>busy</html>", b"7", b"\"send\""];
            StrictModelStep::Answers(numbers.one(&nothing).to_vec())
        }
    }
}

/// The position of the event that reports how the model ended.
fn end_of(api: StrictApi, streamed: &[u8]) -> usize {
    let last = match api {
        StrictApi::Messages => "message_stop",
        StrictApi::Responses => "response.completed",
        StrictApi::Chat => "finish_reason",
    };
    let text = std::str::from_utf8(streamed).unwrap();
    let at = text.rfind(last).unwrap();
    at + text[at..].find('\n').unwrap()
}

/// The words of a name with look-alike letters, or with invisible characters.
fn look_alike(name: &str, numbers: &mut MalformedReplyRng) -> String {
    let twins =
        [('o', 'о'), ('e', 'е'), ('s', 'ѕ'), ('d', 'ԁ'), ('S', 'Ѕ'), ('E', 'Е'), ('_', '＿'), ('a', 'а')];
    let (is, looks) = *numbers.one(&twins);
    let changed = name.replace(is, &looks.to_string());
    if changed == name {
        format!("{name}{}", numbers.one(&["\u{200b}", "\u{200d}", "\u{feff}", " ", "\u{0}"]))
    } else {
        changed
    }
}

fn unknown(numbers: &mut MalformedReplyRng) -> String {
    let names =
        ["", "send", "Outside_Send", "outside__send", "rm -rf /", "../outside_send", "zones_creates", "🚀"];
    format!("{}{}", numbers.one(&names), numbers.one(&["", "2", "'", "\n"]))
}

fn nested(depth: usize, open: &str, close: &str) -> String {
    format!("{}1{}", open.repeat(depth), close.repeat(depth))
}

/// Valid on the wire, but with wrong names, types, arguments or sizes.
fn wrong_calls(api: StrictApi, numbers: &mut MalformedReplyRng) -> StrictModelStep {
    let value = |numbers: &mut MalformedReplyRng| {
        let values = ["7", "null", "[]", "{}", "true", "1e999", "[\"Health\"]", "{\"a\":1}"];
        (*numbers.one(&values)).to_owned()
    };
    let (name, arguments): (String, String) = match numbers.below(8) {
        0 => (unknown(numbers), r#"{"to":"bob"}"#.to_owned()),
        1 => (look_alike("outside_send", numbers), r#"{"to":"bob"}"#.to_owned()),
        2 => ("zones_create".to_owned(), format!(r#"{{"name":{}}}"#, value(numbers))),
        3 => ("outside_send".to_owned(), (*numbers.one(&["7", "null", "[1]", "true", "\"bob\""])).to_owned()),
        4 => {
            let depth = *numbers.one(&[60, 127, 128, 1000, 20_000]);
            let (open, close) = *numbers.one(&[("[", "]"), ("{\"a\":", "}")]);
            ("zones_create".to_owned(), format!(r#"{{"name":{}}}"#, nested(depth, open, close)))
        }
        5 => ("zones_create".to_owned(), format!(r#"{{"nam":"{}"}}"#, "x".repeat(numbers.below(30_000)))),
        6 => (look_alike("zones_create", numbers), r#"{"name":"Health"}"#.to_owned()),
        _ => {
            let (_, calls) = good(Dialect::Tools);
            let arguments = calls[0].2;
            let mut at = 1 + numbers.below(arguments.len() - 1);
            while !arguments.is_char_boundary(at) {
                at -= 1;
            }
            ("outside_send".to_owned(), arguments[..at].to_owned())
        }
    };
    let id = format!("c{}", numbers.next());
    let calls = [(id.as_str(), name.as_str(), arguments.as_str())];
    // Invalid JSON is possible in the response of a server that sends arguments as text.
    let is_json = serde_json::from_str::<Value>(&arguments).is_ok();
    match (api, numbers.below(2)) {
        (StrictApi::Messages, 0) if is_json => {
            StrictModelStep::Answers(whole(api, "I do.", &calls).to_string().into_bytes())
        }
        (StrictApi::Messages, _) => StrictModelStep::Streams(stream(api, "I do.", &calls).into_bytes()),
        (StrictApi::Responses | StrictApi::Chat, 0) => {
            StrictModelStep::Answers(whole(api, "I do.", &calls).to_string().into_bytes())
        }
        (StrictApi::Responses | StrictApi::Chat, _) => {
            StrictModelStep::Streams(stream(api, "I do.", &calls).into_bytes())
        }
    }
}

/// A complete response whose text is no envelope.
fn wrong_envelope(api: StrictApi, numbers: &mut MalformedReplyRng) -> StrictModelStep {
    let (good, _) = good(Dialect::Envelope);
    let text = match numbers.below(12) {
        0 => {
            let mut at = numbers.below(good.len());
            while !good.is_char_boundary(at) {
                at -= 1;
            }
            good[..at].to_owned()
        }
        1 => json!({"pre_text": 7, "actions": [send()]}).to_string(),
        2 => json!({"pre_text": "x", "actions": {"0": send()}}).to_string(),
        3 => json!({"pre_text": "x", "actions": [{"type": look_alike("SEND", numbers), "params": {}}]})
            .to_string(),
        4 => json!({"pre_text": "x", look_alike("actions", numbers): [send()]}).to_string(),
        5 => json!({"pre_text": "x", "actions": [send()], "queries": [{"type": "LOOK"}]}).to_string(),
        6 => json!({"pre_text": "x", "actions": [{"type": unknown(numbers), "params": {}}]}).to_string(),
        7 => format!("{good}\n{good}"),
        8 => {
            let depth = *numbers.one(&[127, 128, 1000, 20_000]);
            let name = nested(depth, "[", "]");
            format!(r#"{{"pre_text":"x","actions":[{{"type":"CREATE_ZONE","params":{{"name":{name}}}}}]}}"#)
        }
        9 => json!({"pre_text": "x", "queries": [send()]}).to_string(),
        10 => json!({"actions": [send()]}).to_string(),
        _ => json!({"pre_text": "x".repeat(numbers.below(30_000)), "actions": [7, null, "SEND"]}).to_string(),
    };
    match numbers.below(2) {
        0 => StrictModelStep::Answers(whole(api, &text, &[]).to_string().into_bytes()),
        _ => StrictModelStep::Streams(stream(api, &text, &[]).into_bytes()),
    }
}

fn malformed(api: StrictApi, dialect: Dialect, numbers: &mut MalformedReplyRng) -> StrictModelStep {
    match (dialect, numbers.below(2)) {
        (_, 0) => broken_on_the_wire(api, dialect, numbers),
        (Dialect::Tools, _) => wrong_calls(api, numbers),
        (Dialect::Envelope, _) => wrong_envelope(api, numbers),
    }
}

fn shown(turn: &StrictModelStep) -> String {
    match turn {
        StrictModelStep::Answers(bytes) | StrictModelStep::Streams(bytes) => {
            String::from_utf8_lossy(bytes).chars().take(600).collect()
        }
        StrictModelStep::Says(_) | StrictModelStep::Fails(_) => format!("{turn:?}"),
    }
}

/// A chat with this many malformed replies, each followed by a valid one.
async fn chat(api: StrictApi, dialect: Dialect, seed: u64) {
    let scene = NativeToolFixture::with(api, RuleBook::default(), dialect).await;
    let after = match dialect {
        Dialect::Tools => says("so"),
        Dialect::Envelope => says(r#"{"pre_text":"so"}"#),
    };
    let mut numbers = MalformedReplyRng(seed);
    for _ in 0..OF_ONE_CHAT {
        let reply = malformed(api, dialect, &mut numbers);
        scene.model.replace_steps([reply.clone(), after.clone()]);
        scene.life.send_and_wait(&scene.chat, "go on").await;
        let case = format!("{api:?} {dialect:?} {seed}: {}", shown(&reply));
        assert_eq!(scene.life.phase(&scene.chat).await, "IDLE", "{case}");
        assert_eq!(scene.outside.recorded_effects(), [], "{case}");
        assert_eq!(scene.model.refusals(), [] as [String; 0], "{case}");
    }
    assert_eq!(scene.zones().await, [] as [String; 0]);
    let states = scene.states().await;
    assert!(!states.iter().any(|state| state == "succeeded"), "{states:?}");
    scene.life.verify(&scene.chat).await;
}

/// The chats of one dialect, a share for each wire dialect.
async fn chats(dialect: Dialect) {
    for number in 0..test_scale::scaled(REPLIES_SHORT, REPLIES) / 2 / OF_ONE_CHAT {
        let api = StrictApi::ALL[usize::try_from(number % 3).unwrap()];
        chat(api, dialect, number).await;
    }
}

#[tokio::test(start_paused = true)]
async fn malformed_replies_do_nothing_with_tools() {
    chats(Dialect::Tools).await;
}

#[tokio::test(start_paused = true)]
async fn malformed_replies_do_nothing_in_the_envelope() {
    chats(Dialect::Envelope).await;
}

/// The valid replies are valid: their actions run on every wire.
#[tokio::test(start_paused = true)]
async fn valid_replies_would_have_run() {
    for api in StrictApi::ALL {
        for dialect in [Dialect::Tools, Dialect::Envelope] {
            let (text, calls) = good(dialect);
            let answer = whole(api, &text, &calls).to_string().into_bytes();
            for turn in [
                StrictModelStep::Answers(answer),
                StrictModelStep::Streams(stream(api, &text, &calls).into_bytes()),
            ] {
                let scene = NativeToolFixture::with(api, RuleBook::default(), dialect).await;
                scene.model.push_steps([turn.clone(), says(r#"{"pre_text":"so"}"#)]);
                scene.turn("send it").await;
                assert_eq!(scene.outside.recorded_effects().len(), 1, "{api:?} {dialect:?} {}", shown(&turn));
            }
        }
    }
}
