//! Complete display before approval: content that a card folds, or shows with letters of several alphabets, cannot be
//! approved unread.

use crate::cli_fixture::CliFixture;
use crate::terminal::{CTRL_D, PseudoTerminal};

/// A model that creates a zone of this name, and then replies with text.
fn zone_creating_fixture(name: &str) -> CliFixture {
    CliFixture::with_script(&format!(
        "[[turn]]\nenvelope = '''{{\"pre_text\": \"I make it.\", \"actions\": [{{\"type\": \"CREATE_ZONE\", \"params\": {{\"name\": \"{name}\"}}}}]}}'''\n[[turn]]\ntext = \"Fine.\"\n"
    ))
}

fn zones(stage: &CliFixture) -> usize {
    let all = stage.run(&["--json", "zone", "list"]).expect(0).json();
    all["result"]["zones"].as_array().unwrap().len()
}

/// Requests the zone, and returns the session and the open approval.
fn request_zone_approval(stage: &CliFixture) -> (String, String) {
    let asked = stage.run(&["--json", "chat", "--require-approval", "--message", "Make it"]).expect(3).json();
    let inbox = stage.run(&["--json", "inbox"]).expect(0).json();
    let id = inbox["items"][0]["id"].as_str().unwrap().to_owned();
    (asked["session"].as_str().unwrap().to_owned(), id)
}

/// Inputs: a card with a name that is longer than its line, and one with a word of two alphabets; expected: no single
/// key, line or command approves it, each reports that not all was shown, and after a complete display it is approved:
/// in the inbox, in a chat, and by its id and all together, with a terminal and without.
#[test]
fn folded_value_needs_confirmation() {
    let long = format!("Health{} the end", "y".repeat(100));
    for (name, shown) in [(long.as_str(), "the end"), ("p\u{430}ypal", "U+0430")] {
        // In the inbox.
        let stage = zone_creating_fixture(name);
        request_zone_approval(&stage);
        let mut inbox = PseudoTerminal::open(&stage, 80, &["inbox"]);
        inbox.until_keys("q leave");
        inbox.types("a");
        inbox.until("not shown whole. Press ? to read all of it");
        inbox.until_keys("q leave");
        inbox.types("e");
        inbox.until_times("not shown whole. Press ? to read all of it", 2);
        inbox.until_keys("q leave");
        assert_eq!(zones(&stage), 0, "{name}");
        inbox.types("?");
        inbox.until(shown);
        inbox.until("entracte session messages ses_");
        inbox.until_keys("q leave");
        inbox.types("a");
        inbox.until("Approved.");
        assert_eq!(inbox.ends(), 0);
        assert_eq!(zones(&stage), 1, "{name}");

        // In a chat.
        let stage = zone_creating_fixture(name);
        let mut chat = PseudoTerminal::open(&stage, 80, &["chat", "--require-approval"]);
        chat.until_prompt("you>");
        chat.type_line("Make it");
        chat.until("[a] approve, [r] reject, [e] edit, [i] answer instead, [?] show all of it");
        chat.until_prompt("[A] always>");
        chat.type_line("y");
        chat.until("not shown whole. Type ? to read all of it");
        chat.until_prompt("[A] always>");
        assert_eq!(zones(&stage), 0, "{name}");
        chat.type_line("?");
        chat.until(shown);
        chat.until_prompt("[a] approve, [r] reject, [e] edit, [i] answer instead, [A] always>");
        chat.type_line("y");
        chat.until_prompt("you>");
        chat.types(CTRL_D);
        assert_eq!(chat.ends(), 0);
        assert_eq!(zones(&stage), 1, "{name}");

        // By id and all together, without a terminal: by the digest of the card that was read.
        let stage = zone_creating_fixture(name);
        let (session, id) = request_zone_approval(&stage);
        let mut digests = Vec::new();
        for wanted in [&["approve", &id][..], &["approve", "--session", &session, "--all"]] {
            let refused = stage.run(wanted).expect(2);
            assert!(
                refused.err.contains("was not shown whole before; nothing was approved"),
                "{}",
                refused.err
            );
            assert!(refused.err.contains(shown), "it is shown now: {}", refused.err);
            let (_, digest) = refused.err.split_once("entracte approve --seen ").unwrap();
            digests.push(digest.split_whitespace().next().unwrap().to_owned());
        }
        assert_eq!(zones(&stage), 0, "{name}");
        stage.run(&["approve", "--seen", &digests[0]]).expect(0);
        assert_eq!((zones(&stage), &digests[0]), (1, &digests[1]), "{name}");

        // By id, at a terminal.
        let stage = zone_creating_fixture(name);
        let (_, id) = request_zone_approval(&stage);
        for (answer, code, made) in [("n", 130, 0), ("y", 0, 1)] {
            let mut asks = PseudoTerminal::open(&stage, 80, &["approve", &id]);
            asks.until_prompt("approve all that is shown above?");
            assert!(asks.text().contains(shown), "{}", asks.text());
            asks.type_line(answer);
            assert_eq!(asks.ends(), code, "{}", asks.text());
            assert_eq!(zones(&stage), made, "{name}");
        }
    }
}

/// Input: a card whose values fit the screen, though not one line; expected: all of it is shown, and one key approves
/// it.
#[test]
fn card_that_is_shown_whole_needs_one_key() {
    let stage = zone_creating_fixture(&"word ".repeat(18));
    request_zone_approval(&stage);
    let mut inbox = PseudoTerminal::open(&stage, 80, &["inbox"]);
    inbox.until_keys("q leave");
    inbox.types("a");
    inbox.until("Approved.");
    assert_eq!(inbox.ends(), 0);
    assert_eq!(zones(&stage), 1);
}
