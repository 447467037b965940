//! `chat --message`: one turn, until the session rests.

use crate::cli_fixture::{CliFixture, command_output, redacted};
use crate::terminal::PseudoTerminal;

const READS: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I look.", "queries": [{"type": "ZONES", "params": {}}]}'''
usage = { input = 900, cache_read = 100, output = 12 }
[[turn]]
text = "There is no zone yet."
usage = { input = 950, output = 7 }
[[turn]]
text = "Still none."
"#;

/// Input: the demo, for a program; expected: one object with the checks, and the transcript beside it.
#[test]
fn demo_reports_its_checks_as_json() {
    let stage = CliFixture::with_script("");
    let played = stage.run(&["--json", "demo", "--auto"]).expect(0);
    let object = played.json();
    assert_eq!(
        (&object["schema"], &object["holds"]),
        (&"entracte.demo/1".into(), &true.into()),
        "{object:#}"
    );
    let checks = object["checks"].as_array().unwrap();
    assert!(checks.len() >= 6 && checks.iter().all(|check| check["holds"] == true), "{object:#}");
    assert!(played.err.contains("AiResponseReceived") || played.err.lines().count() > 10, "{}", played.err);
    assert!(played.err.contains("for about 2 seconds nothing happens"), "{}", played.err);
    // Without answers nothing is approved, and no reason is attributed to a person.
    let unasked = stage.run(&["demo"]).expect(0).out;
    assert!(unasked.contains("you: rejected cal_demo_6_0, rejected"), "{unasked}");
}

/// Input: the demo in terminals of 80 and 52 columns, in both languages; expected: it says for how long it waits and what
/// for, all of its checks hold, and no row is longer than the terminal.
#[test]
fn demo_fits_its_terminal() {
    let stage = CliFixture::with_script("");
    for (columns, language, waits) in [
        (80, "en", "for about 2 seconds nothing happens: the action may still be under way"),
        (52, "fr", "pendant environ 2 secondes, rien ne se passe : l’action est peut-être encore en cours"),
    ] {
        let variables = [("ENTRACTE_LANGUAGE", language)];
        let mut demo = PseudoTerminal::open_with(&stage, columns, &["demo", "--auto"], &variables);
        assert_eq!(demo.ends(), 0, "{}", demo.text());
        demo.until(waits);
        assert_eq!(demo.overfull_rows(), Vec::<String>::new());
    }
}

/// Input: a first message that takes more than half of the context window, and a chat that is left without a message;
/// expected: no session exists afterwards, and no record of one.
#[test]
fn empty_chat_leaves_no_session() {
    let stage = CliFixture::with_script("[[turn]]\ntext = \"Hello.\"\n");
    let refused = stage.run_with(&["chat", "--message", "-"], &"word ".repeat(38_000)).expect(2);
    assert!(refused.err.contains("half") && !refused.err.contains("session ses_"), "{}", refused.err);
    let chat = stage.begin(&["chat"]);
    chat.line_with("session ses_");
    assert_eq!(chat.close_stdin_and_wait(), 0);
    let sessions = || stage.run(&["--json", "session", "list"]).expect(0).json();
    assert_eq!(sessions()["sessions"], serde_json::json!([]));
    let deleted = stage.run(&["--json", "session", "deleted"]).expect(0).json();
    assert_eq!(deleted["deletions"], serde_json::json!([]));

    // A session with a message stays, and leaves a record.
    let session = stage.send_in_new_session("Hi", 0);
    assert_eq!(sessions()["sessions"].as_array().unwrap().len(), 1);
    stage.run(&["session", "delete", &session, "--force"]).expect(0);
    let deleted = stage.run(&["--json", "session", "deleted"]).expect(0).json();
    assert_eq!(deleted["deletions"][0]["session"], session.as_str());
}

#[test]
fn a_turn_is_one_object() {
    let stage = CliFixture::with_script(READS);
    let done = stage.run(&["--json", "chat", "--message", "Which zones are there?"]).expect(0);
    let turn = done.json();
    let session = turn["session"].as_str().unwrap();
    insta::assert_snapshot!(redacted(&format!("{turn:#}"), session));
    assert_eq!(done.out.lines().count(), 1, "one object on one line");
}

#[test]
fn reply_is_data_and_message_from_stdin() {
    let stage = CliFixture::with_script(READS);
    let done = stage.run_with(&["chat", "--message", "-"], "Which zones?\nAll of them.\n").expect(0);
    assert_eq!(done.out, "There is no zone yet.\n");
    assert!(done.err.starts_with("session ses_"), "{}", done.err);
    let quiet = stage.run(&["--quiet", "chat", "--message", "Again"]).expect(0);
    assert_eq!(quiet.err, "");
}

/// A turn without the number of its last entry: that it was read is an entry, too.
fn without_last(turn: serde_json::Value) -> serde_json::Value {
    let mut turn = turn;
    turn["last"].take();
    turn
}

#[test]
fn the_same_client_key_is_the_same_message() {
    let stage = CliFixture::with_script(READS);
    let session = stage.send_in_new_session("Hello", 0);
    let say = ["--json", "chat", "--session", &session, "--client-key", "k1", "--message", "Once"];
    let first = stage.run(&say).expect(0).json();
    let again = stage.run(&say).expect(0).json();
    assert_eq!(without_last(first), without_last(again));
    let messages = stage.run(&["--json", "session", "messages", &session]).expect(0).json();
    let said = messages["messages"].as_array().unwrap().iter().filter(|message| message["text"] == "Once");
    assert_eq!(said.count(), 1);
}

/// Input: a first message, twice under one key, then another one under it; expected: one session with one message, and
/// the same answer; the other message is refused, and creates nothing.
#[test]
fn first_message_with_client_key_is_idempotent() {
    let stage = CliFixture::with_script(READS);
    let say = |text| stage.run(&["--json", "chat", "--client-key", "k1", "--message", text]);
    let first = say("Once").expect(0).json();
    let again = say("Once").expect(0).json();
    assert_eq!(without_last(first.clone()), without_last(again));
    let refused = say("Something else").expect(2);
    assert!(refused.err.contains("k1"), "{}", refused.err);
    let sessions = stage.run(&["--json", "session", "list"]).expect(0).json();
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 1);
    let session = first["session"].as_str().unwrap();
    let messages = stage.run(&["--json", "session", "messages", session]).expect(0).json();
    let said = messages["messages"].as_array().unwrap().iter().filter(|message| message["text"] == "Once");
    assert_eq!(said.count(), 1);
}

#[test]
fn provider_failure_exits_1_with_reason() {
    let stage = CliFixture::with_script("[[turn]]\nfail = \"misconfigured\"\n");
    let done = stage.run(&["--json", "chat", "--message", "Hello"]).expect(1);
    assert_eq!(done.json()["schema"], "entracte.turn/2");
    assert!(done.err.contains("the script says that this call fails"), "{}", done.err);
    assert!(done.err.ends_with("\n  entracte provider check stage\n"), "{}", done.err);
}

#[test]
fn a_limit_ends_the_turn_with_7() {
    let stage = CliFixture::with_script(READS);
    stage.write(
        "entracte.toml",
        "[limits]\nrounds = 1\n[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n",
    );
    let done = stage.run(&["chat", "--message", "Which zones?"]).expect(7);
    assert!(done.err.contains("limits.rounds = 1"), "{}", done.err);
}

#[test]
fn a_key_that_is_not_set_is_named() {
    let stage = CliFixture::with_config(
        "[providers.c]\nkind = \"claude\"\nmodel = \"m\"\napi_key_env = \"NO_SUCH_KEY\"\nbase_url = \"http://127.0.0.1:9\"\n",
    );
    let done = stage.run(&["chat", "--message", "Hello"]).expect(1);
    assert!(done.err.contains("NO_SUCH_KEY"), "{}", done.err);
    let check = stage.run(&["provider", "check"]).expect(1).out;
    assert!(check.starts_with("fail  c  ") && check.contains("NO_SUCH_KEY"), "{check}");
}

#[test]
fn too_long_message_is_refused_without_loss() {
    let stage = CliFixture::with_script(READS);
    let session = stage.send_in_new_session("Hello", 0);
    let before = stage.run(&["session", "journal", &session]).out;
    let long = "x".repeat(10 * 1024 * 1024);
    let done = stage.run_with(&["chat", "--session", &session, "--message", "-"], &long).expect(2);
    assert!(
        done.err.contains("10485760 characters") && done.err.contains("message.max_chars"),
        "{}",
        done.err
    );
    assert_eq!(stage.run(&["session", "journal", &session]).out, before);
    stage.run(&["chat", "--session", &session, "--message", "Short"]).expect(0);
    stage.run_with(&["chat", "--message", "-"], &long).expect(2);
    let list = stage.run(&["--json", "session", "list"]).json();
    assert_eq!(list["sessions"].as_array().unwrap().len(), 1, "no empty session is left behind");
}

/// Input: a reply that requests an action without text; expected: no data line, because the model wrote nothing.
#[test]
fn a_reply_without_words_prints_no_line() {
    let stage = CliFixture::with_script(
        "[[turn]]\nenvelope = { pre_text = \"\", actions = [{ type = \"CREATE_ZONE\", params = { name = \"Health\" } }] }\n",
    );
    let done = stage.run(&["chat", "--require-approval", "--message", "Make a zone"]).expect(3);
    assert_eq!(done.out, "", "{}", done.err);
}

/// Input: more than the limit, as from a program that never ends; expected: the command stops reading.
#[test]
fn standard_input_is_read_up_to_a_limit() {
    let stage = CliFixture::with_script(READS);
    let endless = "x".repeat((64 << 20) + 1);
    for command in [&["chat", "--message", "-"][..], &["secret", "set", "github"]] {
        let done = stage.run_with(command, &endless).expect(2);
        let says = "the input cannot be read: it is larger than 64 MiB";
        assert!(done.err.contains(says), "{command:?}: {}", done.err);
    }
}

#[test]
fn ctrl_c_interrupts_round_and_exits_130() {
    let stage =
        CliFixture::with_script("[[turn]]\ndelay_ms = 100000\ntext = \"late\"\n[[turn]]\ntext = \"Bye.\"\n");
    let mut running = stage.begin(&["chat", "--message", "Hello"]);
    let line = running.line_with("session ses_");
    let session = line.trim_start_matches("session ").to_owned();
    stage.wait_for_output(&["session", "journal", &session], "StandingChanged");
    let pid = nix::unistd::Pid::from_raw(running.child.id().try_into().unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    running.stdin = None;
    assert_eq!(running.child.wait().unwrap().code(), Some(130));
    let journal = stage.run(&["session", "journal", &session]).out;
    assert!(journal.contains("RoundInterrupted"), "{journal}");
}

#[test]
fn repeated_api_key_is_neither_shown_nor_stored() {
    const KEY: &str = "sk-7f3Q+z9/and-more";
    let looks = [KEY, "sk-7f3Q%2Bz9%2Fand-more", "c2stN2YzUSt6OS9hbmQtbW9yZQ=="];
    let said = format!("Your keys: {}.", looks.join(", "));
    for (dialect, turn) in [
        ("envelope", format!("envelope = '''{{\"pre_text\": \"{said}\"}}'''")),
        ("tools", format!("text = \"{said}\"")),
    ] {
        let stage = CliFixture::with_config(&format!(
            "default_provider = \"stage\"\n[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n\
             dialect = \"{dialect}\"\n[providers.big]\nkind = \"claude\"\nmodel = \"claude-opus-5-5\"\n\
             api_key_env = \"BIG_KEY\"\n"
        ));
        stage.write("story.toml", &format!("[[turn]]\n{turn}\n"));
        std::fs::create_dir_all(stage.folder.path().join("data")).unwrap();
        let run = |arguments: &[&str]| {
            let output = stage.command(arguments).env("BIG_KEY", KEY).output().unwrap();
            (output.status.code(), String::from_utf8(output.stdout).unwrap(), output.stderr)
        };
        let (code, out, err) = run(&["chat", "--message", "Hi"]);
        assert_eq!(code, Some(0), "{out}{}", String::from_utf8_lossy(&err));
        assert!(out.contains("[secret], [secret], [secret]"), "{dialect}: {out}");
        let mut stored = Vec::new();
        for file in std::fs::read_dir(stage.folder.path().join("data")).unwrap() {
            let path = file.unwrap().path();
            if path.is_file() {
                stored.extend(std::fs::read(path).unwrap());
            }
        }
        let stored = String::from_utf8_lossy(&stored);
        for look in looks {
            assert!(!out.contains(look) && !stored.contains(look), "{dialect}: {look}");
        }
    }
}

/// Two turns of a model in each dialect: its text is only a plan, then it answers.
const PLANS: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I look first.", "plan": ["Read the zones", "Say how many"]}'''
[[turn]]
envelope = '''{"pre_text": "There is none."}'''
"#;

const PLANS_BY_TOOL: &str = r#"
[[turn]]
text = "I look first."
calls = [{ name = "plan", arguments = { steps = ["Read the zones", "Say how many"] } }]
[[turn]]
text = "There is none."
"#;

/// Input: a reply that is only a plan, in each dialect; expected: the plan is on the screen, in the messages, the
/// journal and the JSON, and the turn continues to its answer.
#[test]
fn plan_is_shown() {
    for (dialect, script) in [("envelope", PLANS), ("tools", PLANS_BY_TOOL)] {
        let provider = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n";
        let stage = CliFixture::with_config(&format!("{provider}dialect = \"{dialect}\"\n"));
        stage.write("story.toml", script);
        let turn = stage.run(&["--json", "chat", "--message", "How many zones?"]).expect(0).json();
        assert_eq!(turn["rounds"], 2, "{dialect}: the turn goes on: {turn:#}");
        assert_eq!(turn["reply"]["text"], "There is none.");
        let steps = serde_json::json!(["Read the zones", "Say how many"]);
        assert_eq!(turn["reply"]["plan"], steps, "{dialect}");
        let session = turn["session"].as_str().unwrap();
        let messages = stage.run(&["--json", "session", "messages", session]).expect(0).json();
        assert_eq!(messages["messages"][1]["plan"], steps, "{dialect}: {messages:#}");
        let plain = stage.run(&["session", "messages", session]).expect(0).out;
        assert!(plain.contains("Plan:\n  1. Read the zones\n  2. Say how many\n"), "{dialect}: {plain}");
        let journal = stage.run(&["session", "journal", session]).expect(0).out;
        assert!(journal.contains("Plan: Read the zones; Say how many"), "{dialect}: {journal}");
        stage.run(&["session", "verify", "--all"]).expect(0);
    }
    let stage = CliFixture::with_script(PLANS);
    let told = stage.run(&["chat", "--message", "How many zones?"]).expect(0);
    assert_eq!(told.out, "There is none.\n");
    assert!(told.err.contains("Plan:\n  1. Read the zones\n  2. Say how many\n"), "{}", told.err);
    let talk = stage_of_talk();
    assert!(talk.contains("  2. Say how many"), "{talk}");
}

/// The interactive chat on standard input shows the same.
fn stage_of_talk() -> String {
    let stage = CliFixture::with_script(PLANS);
    let talk = stage.run_with(&["chat"], "How many zones?\n");
    format!("{}{}", talk.out, talk.err)
}

/// Input: a turn with --stream; expected: one object per line, the pieces before the entry that contains them all, and
/// the turn at the end.
#[test]
fn a_streamed_turn_is_one_object_a_line() {
    let stage = CliFixture::with_script(PLANS);
    let lines = stage.run(&["--json", "chat", "--stream", "--message", "How many zones?"]).expect(0).out;
    let objects: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let schemas: Vec<&str> = objects.iter().map(|object| object["schema"].as_str().unwrap()).collect();
    assert_eq!(schemas.iter().filter(|schema| **schema == "entracte.turn/2").count(), 1, "{schemas:?}");
    assert_eq!(schemas.last(), Some(&"entracte.turn/2"));
    let first = |wanted: &str| schemas.iter().position(|schema| *schema == wanted).unwrap();
    let replied = objects.iter().position(|object| object["label"] == "AiResponseReceived").unwrap();
    assert!(first("entracte.delta/1") < replied, "{schemas:?}");
    let refused = stage.run(&["chat", "--stream", "--message", "Hi"]).expect(2);
    assert!(refused.err.contains("add --json"), "{}", refused.err);
}

/// At `debug` the log describes a round, and every line of it has the same trace id.
#[test]
fn round_is_logged_under_one_trace_id() {
    let stage = CliFixture::with_script("[[turn]]\ntext = \"Here I am.\"\n");
    let told = command_output(
        stage.command(&["chat", "--message", "hello"]).env("ENTRACTE_LOG", "debug").output().unwrap(),
    );
    let story: Vec<&str> = told.err.lines().filter(|line| line.contains("trace=")).collect();
    let places = ["the round begins", "the model call begins", "the model call ends", "the round rests"]
        .map(|text| story.iter().position(|line| line.contains(text)));
    assert!(places.is_sorted() && places.iter().all(Option::is_some), "{places:?}: {}", told.err);
    let trace = |line: &&str| line.split("trace=").nth(1).and_then(|rest| rest.get(..34)).map(str::to_owned);
    let traces: std::collections::BTreeSet<Option<String>> = story.iter().map(trace).collect();
    assert_eq!(traces.len(), 1, "{story:?}");
    assert!(story.iter().any(|line| line.contains("took_ms=") && line.contains("class=\"answered\"")));
}
