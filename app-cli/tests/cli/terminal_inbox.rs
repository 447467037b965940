//! The inbox with keys, in a real terminal.

use crate::cli_fixture::CliFixture;
use crate::terminal::{CTRL_D, PseudoTerminal};

const STORY: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I make a zone.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}]}'''
[[turn]]
text = "Fine."
"#;

fn zones(stage: &CliFixture) -> Vec<String> {
    let all = stage.run(&["--json", "zone", "list"]).expect(0).json();
    let zones = all["result"]["zones"].as_array().unwrap();
    zones.iter().map(|zone| zone["name"].as_str().unwrap().to_owned()).collect()
}

/// Input: three waiting sessions, and the keys to reject, move, approve and edit; expected: each decision is for the
/// card on the screen, and the walk ends when nothing waits. Narrow and wide, in both languages.
#[test]
fn the_inbox_is_gone_through_with_keys() {
    for (columns, language) in [(80, "en"), (52, "fr")] {
        let stage = CliFixture::with_script(STORY);
        stage.run(&["workspace", "create", "local:main", "--language", language]).expect(0);
        for text in ["First", "Second", "Third"] {
            stage.run(&["chat", "--require-approval", "--message", text]).expect(3);
        }
        let says =
            |english: &'static str, french: &'static str| if language == "en" { english } else { french };
        let mut screen = PseudoTerminal::open(&stage, columns, &["inbox"]);
        let keys = says("q leave", "q quitter");
        let sees = |screen: &mut PseudoTerminal, wanted: &str, times: usize| {
            screen.until_times(wanted, times);
            screen.until_keys(keys);
        };
        sees(&mut screen, says("1 of 3", "1 sur 3"), 1);
        screen.types("?");
        sees(&mut screen, "entracte session messages ses_", 1);
        screen.types("j");
        sees(&mut screen, says("2 of 3", "2 sur 3"), 1);
        screen.types("k");
        sees(&mut screen, says("1 of 3", "1 sur 3"), 2);
        screen.types("r");
        screen.until_prompt(says("why", "pourquoi"));
        screen.type_line("not now");
        screen.until(says("Rejected.", "Refusé."));
        sees(&mut screen, says("1 of 2", "1 sur 2"), 1);
        screen.types("a");
        screen.until(says("Approved.", "Approuvé."));
        sees(&mut screen, says("1 of 1", "1 sur 1"), 1);
        screen.types("q");
        assert_eq!(screen.ends(), 0);
        let made = zones(&stage);
        assert_eq!(made.len(), 1, "one was approved: {made:?}");
        let left = stage.run(&["--json", "inbox"]).expect(0).json();
        assert_eq!(left["items"].as_array().unwrap().len(), 1);
        // With the option it is printed without keys; and without a terminal, as usual.
        assert!(stage.run(&["inbox", "--list"]).expect(0).out.contains("entracte approve apr_"));
        for row in screen.text().lines() {
            assert!(row.chars().count() <= usize::from(columns), "{row}");
        }
    }
}

/// Input: two like actions that wait, and the keys `A` and then no, `A` and then yes; expected: the walk says which later
/// calls it means and asks once more, nothing is approved before the yes, the other one needs no approval any more, and
/// no word is broken. Narrow and wide, in both languages.
#[test]
fn capital_a_approves_like_calls_from_now_on() {
    for (columns, language) in [(80, "en"), (52, "fr")] {
        let stage = CliFixture::with_script(STORY);
        stage.run(&["workspace", "create", "local:main", "--language", language]).expect(0);
        stage.run(&["chat", "--require-approval", "--message", "First"]).expect(3);
        let says =
            |english: &'static str, french: &'static str| if language == "en" { english } else { french };
        let mut screen = PseudoTerminal::open(&stage, columns, &["inbox"]);
        screen.until(says("A always", "A toujours"));
        screen.until_keys(says("q leave", "q quitter"));
        screen.types("A");
        screen.until("zones.create");
        screen.until_keys(says("[n]o>", "[n]on>"));
        screen.type_line("n");
        screen.until(says("nothing was approved", "rien n’a été approuvé"));
        screen.until_keys(says("q leave", "q quitter"));
        assert_eq!(zones(&stage), Vec::<String>::new());
        screen.types("A");
        screen.until_keys(says("[n]o>", "[n]on>"));
        screen.type_line(says("y", "o"));
        screen.until(says("Approved.", "Approuvé."));
        assert_eq!(screen.ends(), 0);
        assert_eq!(zones(&stage), ["Health"]);
        assert_eq!(screen.overfull_rows(), Vec::<String>::new());
        let rules = stage.run(&["--json", "rule", "list"]).expect(0).json();
        assert_eq!(rules["rules"][0]["command"], "zones.create", "{rules:#}");
    }
}

/// Input: an action that waits, the key `i`, and words; expected: the model reads the words at once, nothing is made, and
/// no words send nothing. In the inbox and in a chat.
#[test]
fn key_i_answers_in_place_of_a_decision() {
    let story = STORY.replace("[[turn]]\ntext", "[[turn]]\nexpect = \"Not a zone, a note\"\ntext");
    for (columns, language) in [(80, "en"), (52, "fr")] {
        let stage = CliFixture::with_script(&story);
        stage.run(&["workspace", "create", "local:main", "--language", language]).expect(0);
        stage.run(&["chat", "--require-approval", "--message", "First"]).expect(3);
        let says =
            |english: &'static str, french: &'static str| if language == "en" { english } else { french };
        let mut screen = PseudoTerminal::open(&stage, columns, &["inbox"]);
        screen.until_keys(says("q leave", "q quitter"));
        screen.types("i");
        screen.until_prompt(says("instead", "à la place"));
        screen.type_line("");
        screen.until_keys(says("q leave", "q quitter"));
        screen.types("i");
        screen.until_prompt(says("instead", "à la place"));
        screen.type_line("Not a zone, a note");
        screen.until(says("Answered.", "Répondu."));
        assert_eq!(screen.ends(), 0);
        assert_eq!(zones(&stage), Vec::<String>::new());
        let session = stage.run(&["--json", "session", "list"]).expect(0).json()["sessions"][0]["id"].clone();
        let said = stage.run(&["session", "messages", session.as_str().unwrap()]).expect(0).out;
        assert!(said.contains("Not a zone, a note") && said.contains("Fine."), "{said}");
        stage.run(&["session", "verify", "--all"]).expect(0);

        let stage = CliFixture::with_script(&story);
        stage.run(&["workspace", "create", "local:main", "--language", language]).expect(0);
        let mut chat = PseudoTerminal::open(&stage, columns, &["chat", "--require-approval"]);
        chat.until_prompt(says("you>", "vous>"));
        chat.type_line(says("Make it", "Crée-la"));
        chat.until_keys(says("[A] always>", "[A] toujours>"));
        chat.type_line("i");
        chat.until_prompt(says("instead", "à la place"));
        chat.type_line("Not a zone, a note");
        chat.until("Fine.");
        chat.until_prompt(says("you>", "vous>"));
        chat.types(CTRL_D);
        assert_eq!(chat.ends(), 0);
        assert_eq!(zones(&stage), Vec::<String>::new());
    }
}

/// Input: actions that wait, the key `r`, and no reason: then one, or none once more; expected: nothing is rejected before
/// the second line, which counts as it is. In the inbox and in a chat, narrow and wide, in both languages.
#[test]
fn rejection_without_reason_is_asked_twice() {
    for (columns, language) in [(80, "en"), (52, "fr")] {
        let stage = CliFixture::with_script(STORY);
        stage.run(&["workspace", "create", "local:main", "--language", language]).expect(0);
        for text in ["First", "Second"] {
            stage.run(&["chat", "--require-approval", "--message", text]).expect(3);
        }
        let open = || stage.run(&["--json", "inbox"]).expect(0).json()["items"].as_array().unwrap().len();
        let says =
            |english: &'static str, french: &'static str| if language == "en" { english } else { french };
        let mut screen = PseudoTerminal::open(&stage, columns, &["inbox"]);
        for (left, reason) in [(1, "not now"), (0, "")] {
            screen.until_keys(says("q leave", "q quitter"));
            screen.types("r");
            screen.until_prompt(says("why", "pourquoi"));
            screen.type_line("");
            screen.until_keys(says("say why>", "dites pourquoi>"));
            assert_eq!(open(), left + 1, "nothing is rejected yet");
            screen.type_line(reason);
            screen.until_times(says("Rejected.", "Refusé."), 2 - left);
        }
        assert_eq!(screen.ends(), 0);
        assert_eq!((open(), zones(&stage)), (0, Vec::<String>::new()));

        let mut chat = PseudoTerminal::open(&stage, columns, &["chat", "--require-approval"]);
        chat.until_prompt(says("you>", "vous>"));
        chat.type_line(says("Make it", "Crée-la"));
        chat.until_keys(says("[A] always>", "[A] toujours>"));
        chat.type_line("r");
        chat.until_prompt(says("why", "pourquoi"));
        chat.type_line("");
        chat.until_keys(says("say why>", "dites pourquoi>"));
        chat.type_line("");
        chat.until_prompt(says("you>", "vous>"));
        chat.types(CTRL_D);
        assert_eq!(chat.ends(), 0);
        assert_eq!(zones(&stage), Vec::<String>::new());
    }
}

/// Input: an approval in a French chat of 52 columns, whose choices do not fit one row; expected: they break after a
/// comma, and the key typed behind them decides.
#[test]
fn choices_of_a_narrow_chat_break_after_commas() {
    let stage = CliFixture::with_script(STORY);
    stage.run(&["workspace", "create", "local:main", "--language", "fr"]).expect(0);
    let mut chat = PseudoTerminal::open(&stage, 52, &["chat", "--require-approval"]);
    chat.until_prompt("vous>");
    chat.type_line("Crée-la");
    chat.until_prompt("[i] répondre, [A] toujours>");
    let rows = chat.text();
    assert!(
        rows.contains("[a] approuver, [r] rejeter, [e] modifier,\n[i] répondre, [A] toujours>"),
        "{rows}"
    );
    assert_eq!(chat.overfull_rows(), Vec::<String>::new());
    chat.type_line("a");
    chat.until_prompt("vous>");
    chat.types(CTRL_D);
    assert_eq!(chat.ends(), 0);
    assert_eq!(zones(&stage), ["Health"]);
}

/// Input: twelve approvals that wait; expected: `inbox --list` prints ten of them at a terminal and says how many there
/// are, all of them elsewhere, and as many as it is asked for.
#[test]
fn long_inbox_is_cut_at_a_terminal() {
    let action = |number: u32| format!(r#"{{"type": "CREATE_ZONE", "params": {{"name": "Zone {number}"}}}}"#);
    let actions: Vec<String> = (1..=12).map(action).collect();
    let stage = CliFixture::with_config(
        "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n[limits]\ncalls_per_reply = 12\n",
    );
    let reply = format!(r#"{{"pre_text": "I make them.", "actions": [{}]}}"#, actions.join(", "));
    stage.write("story.toml", &format!("[[turn]]\nenvelope = '''{reply}'''\n"));
    stage.run(&["chat", "--require-approval", "--message", "Make them"]).expect(3);
    let mut screen = PseudoTerminal::open(&stage, 80, &["inbox", "--list"]);
    assert_eq!(screen.ends(), 0);
    let cards = |text: &str| text.matches("entracte reject apr_").count();
    let text = screen.text();
    assert_eq!(cards(&text), 10, "{text}");
    assert!(text.contains("10 of 12 are shown; --limit 0 shows all of them"), "{text}");
    assert_eq!(cards(&stage.run(&["inbox"]).expect(0).out), 12);
    let three = stage.run(&["inbox", "--limit", "3"]).expect(0);
    assert_eq!(cards(&three.out), 3, "{}", three.out);
    assert!(three.err.contains("3 of 12 are shown"), "{}", three.err);
    let object = stage.run(&["--json", "inbox", "--limit", "3"]).expect(0).json();
    assert_eq!(object["items"].as_array().unwrap().len(), 3);
}
