//! Snoozes and assignments of inbox items.

use serde_json::{Value, json};

use crate::cli_fixture::CliFixture;
use crate::terminal::PseudoTerminal;

const STORY: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I make a zone.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}]}'''
[[turn]]
text = "Fine."
"#;

/// A workspace with an action that waits, and its approval.
fn waiting(language: &str) -> (CliFixture, String) {
    let stage = CliFixture::with_script(STORY);
    stage.run(&["workspace", "create", "local:main", "--language", language]).expect(0);
    stage.run(&["chat", "--require-approval", "--message", "First"]).expect(3);
    let item = listed(&stage, &[])[0]["id"].as_str().unwrap().to_owned();
    (stage, item)
}

fn listed(stage: &CliFixture, options: &[&str]) -> Value {
    let all: Vec<&str> = ["--json", "inbox"].into_iter().chain(options.iter().copied()).collect();
    stage.run(&all).expect(0).json()["items"].clone()
}

/// Input: an item is snoozed, listed and brought back; expected: it leaves the list meanwhile, and what is not snoozed, does not
/// wait or has no end is refused.
#[test]
fn snoozed_item_leaves_the_list_until_it_is_brought_back() {
    let (stage, item) = waiting("en");
    let snoozed = stage.run(&["inbox", "snooze", &item, "--until", "3h"]).expect(0);
    assert!(snoozed.err.contains(&format!("{item} is out of your inbox until ")), "{}", snoozed.err);
    assert_eq!(listed(&stage, &[]), json!([]));
    let all = listed(&stage, &["--snoozed"]);
    assert_eq!(all[0]["id"], item.as_str());
    assert!(all[0]["triage"]["snoozed_until"].is_string(), "{all}");
    let drawn = stage.run(&["inbox", "--snoozed"]).expect(0).out;
    assert!(drawn.contains("snoozed until "), "{drawn}");

    let woken = stage.run(&["inbox", "unsnooze", &item]).expect(0);
    assert!(woken.err.contains(&format!("{item} is in your inbox again")), "{}", woken.err);
    assert_eq!(listed(&stage, &[])[0]["id"], item.as_str());
    stage.run(&["inbox", "unsnooze", &item]).expect(5);
    stage.run(&["inbox", "snooze", "apr_none", "--until", "3h"]).expect(5);
    let wrong = stage.run(&["inbox", "snooze", &item, "--until", "soon"]).expect(2);
    assert!(wrong.err.contains("soon is not a valid end of a snooze"), "{}", wrong.err);
    stage.run(&["inbox", "snooze", &item]).expect(2);
}

/// Input: an item is assigned to oneself, to a stranger and to nobody; expected: the list shows and filters it, and a stranger
/// is refused.
#[test]
fn assigned_item_is_listed_by_its_person() {
    let (stage, item) = waiting("en");
    let assigned = stage.run(&["--json", "inbox", "assign", &item, "--to", "me"]).expect(0).json();
    assert_eq!(assigned["schema"], "entracte.inbox_triage/1");
    assert_eq!(assigned["items"][0]["triage"]["assigned"]["person"], "ann");
    assert_eq!(listed(&stage, &["--assigned", "me"])[0]["id"], item.as_str());
    assert_eq!(listed(&stage, &["--assigned", "nobody"]), json!([]));
    let drawn = stage.run(&["inbox", "--list"]).expect(0).out;
    assert!(drawn.contains("assigned to ann by ann"), "{drawn}");

    let stranger = stage.run(&["inbox", "assign", &item, "--to", "zoe"]).expect(2);
    assert!(stranger.err.contains("nobody here is named zoe"), "{}", stranger.err);
    stage.run(&["inbox", "assign", &item]).expect(2);
    let nobody = stage.run(&["inbox", "assign", &item, "--nobody"]).expect(0);
    assert!(nobody.err.contains(&format!("{item} is assigned to nobody")), "{}", nobody.err);
    assert_eq!(listed(&stage, &["--assigned", "nobody"])[0]["id"], item.as_str());
}

/// Input: the keys `o` and `z` in the inbox of the terminal, with the usual answers; expected: the item is assigned, and then
/// snoozed, which ends the walk. Narrow and wide, in both languages.
#[test]
fn keys_snooze_and_assign() {
    for (columns, language) in [(80, "en"), (52, "fr")] {
        let (stage, item) = waiting(language);
        let says =
            |english: &'static str, french: &'static str| if language == "en" { english } else { french };
        let mut screen = PseudoTerminal::open(&stage, columns, &["inbox"]);
        screen.until_keys(says("q leave", "q quitter"));
        screen.types("o");
        screen.until_prompt(says("to whom", "à qui"));
        screen.type_line("");
        screen.until(says("Assigned.", "Confié."));
        screen.until(says("assigned to ann", "confié à ann"));
        screen.until_keys(says("q leave", "q quitter"));
        screen.types("z");
        screen.until_prompt(says("until", "jusqu’à"));
        screen.type_line("");
        screen.until(says("Snoozed.", "Reporté."));
        assert_eq!(screen.ends(), 0);
        assert_eq!(listed(&stage, &[]), json!([]));
        let snoozed = listed(&stage, &["--snoozed"]);
        assert_eq!(snoozed[0]["id"], item.as_str());
        assert_eq!(snoozed[0]["triage"]["assigned"]["person"], "ann");
    }
}
