//! The chat in a real terminal: the screen shows the stored conversation, once and in order.

use serde_json::Value;

use crate::cli_fixture::CliFixture;
use crate::terminal::{CTRL_C, CTRL_D, PseudoTerminal, without_blanks};

const STORY: &str = r#"
[[turn]]
text = "Good morning. I can look at your zones, and make one when you ask me to. Nothing changes before you said yes."
[[turn]]
envelope = '''{"pre_text": "First I look at what is there.", "queries": [{"type": "ZONES", "params": {}}]}'''
[[turn]]
envelope = '''{"pre_text": "There is none, so I make one.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}], "keep_control": true}'''
[[turn]]
text = "The zone Health is made."
[[turn]]
envelope = '''{"pre_text": "Another one, then.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Sleep"}}], "keep_control": true}'''
[[turn]]
text = "Sleep stands beside it."
[[turn]]
text = "I heard the other window."
"#;

fn session(stage: &CliFixture) -> String {
    let list = stage.run(&["--json", "session", "list"]).expect(0).json();
    list["sessions"][0]["id"].as_str().unwrap().to_owned()
}

/// Every text of the stored conversation in order: messages of people and the model, and the result of every call.
fn stored(stage: &CliFixture, session: &str) -> Vec<String> {
    let messages = stage.run(&["--json", "session", "messages", session]).expect(0).json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut texts = Vec::new();
    for message in messages["messages"].as_array().unwrap() {
        let results = message["results"].as_array().cloned().unwrap_or_default();
        texts.extend(
            results.iter().map(|one| format!("{}: {}", text(&one["command"]), text(&one["content"]))),
        );
        if results.is_empty() {
            texts.push(text(&message["text"]));
        }
    }
    texts.retain(|text| !text.is_empty());
    texts
}

/// Input: a chat with approvals, of which another process decides one and sends a message; expected: everything stored
/// is on the screen once and in order, in a wide terminal and in a narrow one.
#[test]
fn screen_shows_what_is_stored() {
    for columns in [80, 52] {
        let stage = CliFixture::with_script(STORY);
        let mut chat =
            PseudoTerminal::open(&stage, columns, &["chat", "--require-approval", "--name", "House"]);
        chat.until_prompt("you>");
        chat.type_line("Hello, what can you do for me today?");
        chat.until("before you said yes.");
        chat.until_prompt("you>");
        chat.type_line("Make a zone for my health.");
        chat.until("approval needed");
        chat.until_keys("[A] always>");
        chat.type_line("y");
        chat.until("The zone Health is made.");
        chat.until_prompt("you>");
        let session = session(&stage);
        // Another person decides while the card is shown here.
        chat.type_line("And one for my sleep.");
        chat.until_times("approval needed", 2);
        chat.until_keys("[A] always>");
        stage.run(&["approve", "--session", &session, "--all"]).expect(0);
        chat.until("already decided by ann: approved “Create the zone “Sleep””");
        chat.until("Sleep stands beside it.");
        chat.until_prompt("you>");
        // Another person writes while a line is started here, which is kept.
        chat.types("half a li");
        chat.until("half a li");
        stage.run(&["chat", "--session", &session, "--message", "This comes from elsewhere."]).expect(0);
        chat.until("I heard the other window.");
        chat.until_prompt("you> half a li");
        chat.types("\u{15}");
        chat.types(CTRL_D);
        assert_eq!(chat.ends(), 0);

        let (shown, stored) = (chat.text(), stored(&stage, &session));
        assert!(stored.len() >= 12, "{stored:#?}");
        let screen = without_blanks(&shown);
        let mut rest = screen.as_str();
        for text in &stored {
            let wanted = without_blanks(text);
            let at = rest.find(&wanted);
            let at =
                at.unwrap_or_else(|| panic!("“{text}” does not come next at {columns} columns:\n{shown}"));
            rest = &rest[at + wanted.len()..];
            assert_eq!(screen.matches(&wanted).count(), 1, "“{text}” stands there once:\n{shown}");
        }
        stage.run(&["session", "verify", "--all"]).expect(0);
        if std::env::vars_os().any(|(name, _)| name == "ENTRACTE_TEST_SHOW") {
            eprintln!("{shown}");
        }
    }
}

/// Input: a model that does not answer; expected: its name and the elapsed seconds are shown, Ctrl-C reports the
/// interrupt, and Ctrl-D leaves at once and reports the future of the session.
#[test]
fn waiting_person_may_interrupt_or_leave() {
    let stage = CliFixture::with_script(
        "[[turn]]\ndelay_ms = 600000\ntext = \"late\"\n[[turn]]\ndelay_ms = 600000\ntext = \"late\"\n",
    );
    let mut chat = PseudoTerminal::open(&stage, 80, &["chat"]);
    chat.until_prompt("you>");
    chat.type_line("Hello");
    chat.until_seconds("rehearsal", 1);
    chat.types("and then");
    chat.until("you> and then");
    chat.types(CTRL_C);
    chat.until("interrupted");
    chat.until_prompt("you> and then");
    chat.types("\r");
    chat.until_seconds("rehearsal", 0);
    chat.types(CTRL_D);
    assert_eq!(chat.ends(), 0);
    let shown = chat.text();
    let shown_whole = shown.replace('\n', "");
    assert!(shown_whole.contains(" waits; continue it: entracte chat --session ses_"), "{shown}");
    assert!(!shown.contains("· 0 s"), "what passes is gone:\n{shown}");
}

/// Input: lines that start with a slash, and Markdown with terminal sequences; expected: each line is executed or
/// refused with a message, and the model's text is rendered and harmless. A reopened session shows its last exchange.
#[test]
fn slashes_are_for_us_and_markdown_is_drawn() {
    let said = "# Zones\\n\\n- **one**\\n- \\u001b[2Jtwo\\n\\n| a | b |\\n|---|---|\\n| 1 | 2 |";
    let stage = CliFixture::with_script(&format!(
        "[[turn]]\nenvelope = '''{{\"pre_text\": \"{said}\", \"plan\": [\"Look\", \"Say\"]}}'''\n[[turn]]\ntext = \"Done.\"\n"
    ));
    let mut chat = PseudoTerminal::open(&stage, 80, &["chat", "--name", "House"]);
    chat.until_prompt("you>");
    chat.type_line("/nonsense");
    chat.until("there is no /nonsense; list what there is: /help");
    chat.until_prompt("you>");
    chat.type_line("/help");
    chat.until("/model which model speaks");
    chat.until_prompt("you>");
    chat.type_line("/model");
    chat.until("rehearsal of stage (envelope)");
    chat.until_prompt("you>");
    chat.type_line("Which zones?");
    chat.until("Done.");
    chat.until_prompt("you>");
    chat.type_line("/plan");
    chat.until_times("1. Look", 2);
    chat.until_prompt("you>");
    chat.type_line("/quit");
    assert_eq!(chat.ends(), 0);
    let shown = chat.text();
    assert!(shown.contains("Zones\n\n• one\n• ⟨U+001B⟩[2Jtwo\n\na  b\n─  ─\n1  2\n"), "{shown}");
    // Reopened: the last exchange, and the line that was typed before behind the arrow key.
    let session = session(&stage);
    let mut again = PseudoTerminal::open(&stage, 80, &["chat", "--session", &session]);
    again.until("House · stage, rehearsal");
    again.until("ann> Which zones?");
    again.until("Done.");
    again.until_prompt("you>");
    again.types("\u{1b}[A\u{1b}[A\u{1b}[A");
    again.until_prompt("you> Which zones?");
    let history = std::fs::metadata(stage.folder.path().join("data/chat-history.txt")).unwrap();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&history.permissions()) & 0o777, 0o600);
}

const GREETS: &str =
    "[[turn]]\ntext = \"Hello.\"\n[[turn]]\ntext = \"Again.\"\n[[turn]]\ntext = \"Once more.\"\n";

/// Input: `--continue` without a chat and with two of them; expected: refused with the remedy, then the last one
/// continues.
#[test]
fn the_last_chat_is_continued() {
    let stage = CliFixture::with_script(GREETS);
    let none = stage.run(&["chat", "--continue", "--message", "Hi"]).expect(5);
    assert!(none.err.contains("there is no open chat in local:main"), "{}", none.err);
    stage.send_in_new_session("First", 0);
    let last = stage.send_in_new_session("Second", 0);
    let turn = stage.run(&["--json", "chat", "--continue", "--message", "Third"]).expect(0).json();
    assert_eq!(turn["session"], last.as_str());
    stage.run(&["chat", "--continue", "--name", "New", "--message", "Hi"]).expect(2);
}

/// Input: a chat on a terminal while others are open; expected: they are offered by number, a new one is the default,
/// and no question is asked if a flag decides or no terminal is there.
#[test]
fn recent_chats_are_offered_by_number() {
    let stage = CliFixture::with_script(GREETS);
    stage.run(&["chat", "--name", "Garden", "--message", "Hi"]).expect(0);
    stage.run(&["chat", "--name", "House", "--message", "Hi"]).expect(0);
    let mut chat = PseudoTerminal::open(&stage, 80, &["chat"]);
    chat.until("recent chats:");
    chat.until("1 House");
    chat.until("2 Garden");
    chat.until_prompt("number, or Enter for a new chat>");
    chat.type_line("7");
    chat.until("type a number from 1 to 2, or press Enter");
    chat.until_prompt("number, or Enter for a new chat>");
    chat.type_line("2");
    chat.until("Garden · stage, rehearsal");
    chat.until("ann> Hi");
    chat.until_prompt("you>");
    chat.types(CTRL_D);
    assert_eq!(chat.ends(), 0);
    let mut named = PseudoTerminal::open(&stage, 80, &["chat", "--name", "Third"]);
    named.until_prompt("you>");
    assert!(!named.text().contains("recent chats"), "{}", named.text());
    let piped = stage.run_with(&["chat"], "");
    assert!(!piped.err.contains("recent chats"), "{}", piped.err);
}

/// Input: a message typed where a number is asked for; expected: it begins a new chat.
#[test]
fn message_in_place_of_number_begins_a_chat() {
    let stage = CliFixture::with_script(GREETS);
    stage.run(&["chat", "--name", "Garden", "--message", "Hi"]).expect(0);
    let mut chat = PseudoTerminal::open(&stage, 80, &["chat"]);
    chat.until_prompt("number, or Enter for a new chat>");
    chat.type_line("What grows in May?");
    chat.until("Hello.");
    chat.until_prompt("you>");
    chat.types(CTRL_D);
    assert_eq!(chat.ends(), 0);
    let list = stage.run(&["--json", "session", "list"]).expect(0).json();
    let names: Vec<&str> =
        list["sessions"].as_array().unwrap().iter().filter_map(|row| row["name"].as_str()).collect();
    assert!(names.contains(&"What grows in May?"), "{names:?}");
}

/// Input: a log of every detail at a terminal; expected: it is in a file with private permissions, and no line of it is
/// on the screen.
#[test]
fn log_is_not_on_screen() {
    let stage = CliFixture::with_script(GREETS);
    let arguments = ["chat", "--name", "House"];
    let mut chat = PseudoTerminal::open_with(&stage, 80, &arguments, &[("ENTRACTE_LOG", "trace")]);
    chat.until_prompt("you>");
    chat.type_line("Hi");
    chat.until("Hello.");
    chat.until_prompt("you>");
    chat.types(CTRL_D);
    assert_eq!(chat.ends(), 0);
    let shown = chat.text();
    assert!(!shown.contains("DEBUG") && !shown.contains("TRACE"), "{shown}");
    let file = stage.folder.path().join("data/entracte.log");
    let log = std::fs::read_to_string(&file).unwrap();
    assert!(log.contains("TRACE") || log.contains("DEBUG"), "{log}");
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}
