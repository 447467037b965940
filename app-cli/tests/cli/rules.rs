//! Standing approval, given with a decision and taken back.

use crate::stage::Stage;

/// A model that makes a zone, then renames it again and again.
const RENAMES: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I make a zone.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}]}'''
[[turn]]
envelope = '''{"pre_text": "Again.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}]}'''
[[turn]]
text = "It is there."
[[turn]]
envelope = '''{"pre_text": "Again.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Home"}}]}'''
"#;

fn approval(stage: &Stage) -> String {
    let inbox = stage.run(&["--json", "inbox"]).expect(0).json();
    inbox["items"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_rule_is_told_in_words_listed_and_revoked() {
    let stage = Stage::playing(RENAMES);
    let asked = stage.run(&["--json", "chat", "--require-approval", "--message", "Make a zone"]).expect(3);
    let session = asked.json()["session"].as_str().unwrap().to_owned();
    stage.run(&["approve", &approval(&stage), "--always", "--for", "soon"]).expect(2);
    stage.run(&["approve", &approval(&stage), "--for", "30d"]).expect(2);
    let given = stage.run(&["approve", &approval(&stage), "--always", "--for", "30d"]).expect(0);
    let words = "no approval is needed for zones.create, where name is \"Health\"; in every session of the workspace; until";
    assert!(given.err.contains(words), "{}", given.err);
    let rules = stage.run(&["--json", "rule", "list"]).expect(0).json();
    let rule = rules["rules"][0]["id"].as_str().unwrap();
    assert!(given.err.contains(&format!("entracte rule revoke {rule}")), "{}", given.err);
    assert_eq!(rules["rules"][0]["arguments"]["name"]["is"], "Health");
    let journal = stage.run(&["session", "journal", &session]).expect(0).out;
    assert!(journal.contains(&format!("and all similar calls ({rule})")), "{journal}");

    // The same call is covered; the zone is there already, so it fails, and that is told.
    stage.run(&["chat", "--session", &session, "--message", "Again"]).expect(0);
    let calls = stage.run(&["--json", "session", "calls", &session]).expect(0).json();
    assert_eq!(
        (&calls["calls"][0]["decision"], &calls["calls"][0]["decided_by"]),
        (&"approved".into(), &"ann".into())
    );
    assert_eq!((&calls["calls"][1]["decision"], &calls["calls"][1]["rule"]), (&"rule".into(), &rule.into()));
    // Another name is not covered.
    stage.run(&["chat", "--session", &session, "--message", "Another"]).expect(3);

    let shown = stage.run(&["rule", "show", &rule[..10]]).expect(0).out;
    assert!(shown.contains("any other argument needs approval") && shown.contains("given by ann"), "{shown}");
    stage.run(&["rule", "revoke", rule]).expect(0);
    stage.run(&["rule", "revoke", rule]).expect(0);
    assert_eq!(stage.run(&["rule", "list"]).expect(0).out, "");
    assert!(stage.run(&["rule", "list", "--all"]).expect(0).out.contains("revoked by ann"));
    let none = stage.run(&["rule", "revoke", "rul_none"]).expect(5);
    assert!(none.err.ends_with("\n  entracte rule list --all\n"), "{}", none.err);
}

#[test]
fn a_wrong_edit_names_the_path_and_the_command_to_look_at() {
    let stage = Stage::playing(RENAMES);
    stage.run(&["chat", "--require-approval", "--message", "Make a zone"]).expect(3);
    let wrong = stage.run(&["approve", &approval(&stage), "--edit", "{\"name\": 3}"]).expect(2);
    assert!(wrong.err.contains("name"), "{}", wrong.err);
    assert!(wrong.err.ends_with("\n  entracte command show zones.create\n"), "{}", wrong.err);
    let unknown = stage.run(&["approve", "apr_none_1_0"]).expect(5);
    assert!(unknown.err.ends_with("\n  entracte inbox\n"), "{}", unknown.err);
    stage.run(&["approve", &approval(&stage), "--edit", "{\"name\": \"Fitness\"}"]).expect(0);
}

#[test]
fn what_was_proposed_and_what_ran_are_both_shown() {
    let stage = Stage::playing(RENAMES);
    let asked = stage.run(&["--json", "chat", "--require-approval", "--message", "Make a zone"]).expect(3);
    let session = asked.json()["session"].as_str().unwrap().to_owned();
    let card = stage.run(&["--json", "inbox"]).expect(0).json();
    assert_eq!(card["items"][0]["after"], asked.json()["waiting"]["items"][0]["after"]);
    stage.run(&["approve", &approval(&stage), "--edit", "{\"name\": \"Fitness\"}"]).expect(0);
    let calls = stage.run(&["--json", "session", "calls", &session]).expect(0).json();
    let call = &calls["calls"][0];
    assert_eq!(
        (&call["proposed"]["name"], &call["arguments"]["name"]),
        (&"Health".into(), &"Fitness".into())
    );
    assert_eq!((&call["decision"], &call["decided_by"]), (&"edited".into(), &"ann".into()));
}

#[test]
fn always_may_be_said_in_a_talk() {
    let stage = Stage::playing(RENAMES);
    let mut talk = stage.begin(&["chat", "--require-approval"]);
    talk.types("Make a zone");
    talk.line_with("approval needed");
    talk.types("always");
    talk.line_with("standing approval rul_");
    talk.leave();
    assert_eq!(stage.run(&["--json", "rule", "list"]).expect(0).json()["rules"][0]["author"], "ann");
}
