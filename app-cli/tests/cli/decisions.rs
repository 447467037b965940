//! Approvals, rejections, questions: each decided by another process than the requesting one.

use crate::cli_fixture::{CliFixture, redacted};

pub(crate) const MAKES: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I make a zone.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}], "keep_control": true}'''
[[turn]]
text = "So it is."
"#;

fn asking() -> (CliFixture, String) {
    let stage = CliFixture::with_script(MAKES);
    let done = stage.run(&["--json", "chat", "--require-approval", "--message", "Make a zone"]).expect(3);
    let session = done.json()["session"].as_str().unwrap().to_owned();
    (stage, session)
}

fn approval(stage: &CliFixture) -> String {
    let inbox = stage.run(&["--json", "inbox"]).expect(0).json();
    inbox["items"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn requested_approval_is_given_and_applied() {
    let stage = CliFixture::with_script(MAKES);
    let asked = stage.run(&["--json", "chat", "--require-approval", "--message", "Make a zone"]).expect(3);
    let session = asked.json()["session"].as_str().unwrap().to_owned();
    let shown = asked.json();
    let digest = shown["waiting"]["items"][0]["digest"].as_str().unwrap();
    assert_eq!(digest.len(), 64, "SHA-256 of the card");
    let text = format!("{shown:#}").replace(digest, "[digest]");
    insta::assert_snapshot!("asked", redacted(&text, &session));
    insta::assert_snapshot!("inbox", redacted(&stage.run(&["inbox"]).expect(0).out, &session));
    assert!(stage.run(&["command", "run", "ZONES"]).out.contains("\"total\": 0"));

    let done = stage.run(&["approve", &approval(&stage)]).expect(0);
    assert_eq!(done.out, "So it is.\n");
    let zones = stage.run(&["--json", "command", "run", "ZONES"]).expect(0).json();
    assert_eq!(zones["result"]["zones"][0]["name"], "Health");
    assert_eq!(stage.run(&["inbox"]).expect(0).out, "");
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn second_decision_is_a_conflict() {
    let (stage, _) = asking();
    let id = approval(&stage);
    stage.run(&["approve", &id]).expect(0);
    let again = stage.run(&["approve", &id]).expect(0);
    assert!(again.err.contains("already decided by ann: approved"), "{}", again.err);
    let late = stage.run(&["reject", &id]).expect(6);
    assert!(late.err.contains("decided by ann"), "{}", late.err);
}

/// Input: an approval that is named twice, in full and shortened; expected: refused, and it stays open.
#[test]
fn approval_named_twice_is_refused() {
    let (stage, _) = asking();
    let id = approval(&stage);
    for twice in [[id.as_str(), id.as_str()], [id.as_str(), &id[..14]]] {
        let refused = stage.run(&["approve", twice[0], twice[1]]).expect(2);
        assert!(refused.err.contains("is named twice, and nothing was decided"), "{}", refused.err);
    }
    assert_eq!(approval(&stage), id);
}

#[test]
fn an_id_may_be_shortened() {
    let (stage, session) = asking();
    stage.run(&["session", "show", &session[..10]]).expect(0);
    stage.run(&["approve", &approval(&stage)[..14]]).expect(0);
}

#[test]
fn edited_arguments_are_checked_and_run() {
    let (stage, session) = asking();
    let id = approval(&stage);
    let wrong = stage.run(&["approve", &id, "--edit", "{\"nam\": 1}"]).expect(2);
    assert!(wrong.err.contains("zones.create are not valid"), "{}", wrong.err);
    assert!(
        wrong.err.contains("'nam' was unexpected") && wrong.err.contains("its parameters are: "),
        "{}",
        wrong.err
    );
    stage.run(&["approve", &id, "--edit", "not json"]).expect(2);
    stage.run(&["approve", &id, "--edit", "{\"name\": \"Fitness\"}"]).expect(0);
    let zones = stage.run(&["--json", "command", "run", "ZONES"]).expect(0).json();
    assert_eq!(zones["result"]["zones"][0]["name"], "Fitness");
    let calls = stage.run(&["--json", "session", "calls", &session]).expect(0).json();
    assert_eq!(calls["calls"][0]["decided_by"], "ann");
}

#[test]
fn the_model_reads_why_it_was_refused() {
    let script = MAKES.replace("[[turn]]\ntext", "[[turn]]\nexpect = \"not on a Friday\"\ntext");
    let stage = CliFixture::with_script(&script);
    let asked = stage.run(&["--json", "chat", "--require-approval", "--message", "Make a zone"]).expect(3);
    let session = asked.json()["session"].as_str().unwrap().to_owned();
    let done = stage
        .run(&["--json", "reject", "--session", &session, "--all", "--reason", "not on a Friday"])
        .expect(0)
        .json();
    assert_eq!(done["reply"]["text"], "So it is.");
    let refused = done["calls"][0].clone();
    assert_eq!(
        (&refused["command"], &refused["status"]),
        (&"zones.create".into(), &"rejected".into()),
        "{done}"
    );
    let zones = stage.run(&["--json", "command", "run", "ZONES"]).expect(0).json();
    assert_eq!(zones["result"]["total"], 0);
    let nothing = stage.run(&["approve", "--session", &session, "--all"]).expect(6);
    assert!(nothing.err.ends_with("\n  entracte inbox\n"), "{}", nothing.err);
}

/// Input: a zone with six tools, which a model requests to delete; expected: a program reads the name of each, and so
/// does a person if the card says that it has no room for more.
#[test]
fn every_tool_to_delete_is_named() {
    let stage = CliFixture::with_script("");
    stage.run(&["zone", "add", "Health"]).expect(0);
    let names = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta"];
    for name in names {
        stage.run(&["tool", "add", "Health", "notes", name]).expect(0);
    }
    let zones = stage.run(&["--json", "zone", "list"]).expect(0).json();
    let zone = &zones["result"]["zones"][0]["id"];
    let action = serde_json::json!({ "type": "DELETE_ZONE", "params": { "zone_id": zone } });
    let reply = serde_json::json!({ "pre_text": "May I?", "actions": [action] });
    stage.write("story.toml", &format!("[[turn]]\nenvelope = '''{reply}'''\n"));
    stage.run(&["chat", "--message", "Away with it"]).expect(3);

    let inbox = stage.run(&["--json", "inbox"]).expect(0).json();
    let before = inbox["items"][0]["before"].as_object().unwrap();
    let card = stage.run(&["inbox"]).expect(0).out;
    let (_, rest) = card.split_once("see all: entracte ").unwrap();
    let rest: Vec<&str> = rest.lines().next().unwrap().split(' ').collect();
    let whole = stage.run(&rest).expect(0).out;
    for name in names {
        let said = format!("tool “{name}”, entries: none");
        assert_eq!(before.values().filter(|value| **value == said).count(), 1, "{name}: {inbox:#}");
        assert_eq!(whole.matches(&said).count(), 1, "{name}: {whole}");
    }
    assert!(card.contains("“Alpha”; “Beta”; “Delta”; “Epsilon”; “Gamma”; and 1 more"), "{card}");
    assert!(card.contains("4 of 8 not shown here"), "{card}");
}

#[test]
fn a_question_is_answered_by_its_number() {
    let stage = CliFixture::with_script(
        r#"
[[turn]]
envelope = '''{"pre_text": "One thing.", "question": {"type": "MultipleChoice", "question": "Which colour?", "options": ["red", "blue"]}}'''
[[turn]]
expect = "blue"
text = "Blue it is."
"#,
    );
    let asked = stage.run(&["chat", "--message", "Paint it"]).expect(3);
    assert!(asked.err.contains("question\n  │ Which colour?\n   1 │ red\n   2 │ blue\n"), "{}", asked.err);
    let inbox = stage.run(&["--json", "inbox"]).expect(0).json();
    let session = inbox["items"][0]["session"].as_str().unwrap();
    assert_eq!(inbox["items"][0]["question"]["options"], serde_json::json!(["red", "blue"]));
    let wrong = stage.run(&["answer", session, "green"]).expect(2);
    assert!(wrong.err.contains("“green” is not one of the options: 1 red, 2 blue"), "{}", wrong.err);
    assert_eq!(stage.run(&["answer", session, "2"]).expect(0).out, "Blue it is.\n");
    stage.run(&["answer", session, "2"]).expect(6);
}

#[test]
fn messages_cannot_control_terminal() {
    let stage = CliFixture::with_script(
        "[[turn]]\nenvelope = '''{\"pre_text\": \"red \\u001b[31m and \\u202eback\"}'''\n",
    );
    let session = stage.send_in_new_session("Hello", 0);
    let said = "red ⟨U+001B⟩[31m and ⟨U+202E⟩back";
    for look in ["journal", "messages"] {
        let out = stage.run(&["session", look, &session]).expect(0).out;
        assert!(out.contains(said) && !out.contains('\u{1b}'), "{out}");
    }
}

/// A model that sends a note to an address of the configuration.
fn sending(url: &str) -> String {
    format!(
        "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n\
         [[tools.http.tool]]\nname = \"notes.send\"\nmethod = \"POST\"\nurl = \"{url}\"\nbody = \"json\"\n\
         doc = \"Sends a note.\"\n\
         arguments = {{ type = \"object\", properties = {{ to = {{ type = \"string\" }} }}, \
         additionalProperties = false }}\n"
    )
}

/// Input: a call whose card is a template of the configuration; expected: the sentence of the template, and below it the
/// target, in the inbox and after the turn.
#[test]
fn card_of_template_shows_its_target() {
    let stage = CliFixture::with_script(
        r#"
[[turn]]
envelope = '''{"pre_text": "I send it.", "actions": [{"type": "notes.send", "params": {"to": "bob"}}]}'''
"#,
    );
    let url = "http://127.0.0.1:9/notes";
    let allowed = "[tools.http]\nallow = [\"127.0.0.1\"]\n[[tools.http.tool]]\ncard = \"Send it to {to}\"\n";
    stage.write("entracte.toml", &sending(url).replace("[[tools.http.tool]]\n", allowed));
    let asked = stage.run(&["chat", "--message", "Send it"]).expect(3);
    let listed = stage.run(&["inbox", "--list"]).expect(0);
    for shown in [asked.out + &asked.err, listed.out] {
        assert!(shown.contains("Send it to “bob”\n  notes.send\n"), "{shown}");
        assert!(shown.contains(&format!("\n  POST {url}\n")), "{shown}");
    }
}

#[test]
fn changed_address_conflicts_and_shows_new_card() {
    let stage = CliFixture::with_script(
        r#"
[[turn]]
envelope = '''{"pre_text": "I send it.", "actions": [{"type": "notes.send", "params": {"to": "bob"}}]}'''
"#,
    );
    stage.write("entracte.toml", &sending("https://one.test/"));
    let session = stage.send_in_new_session("Send it", 3);
    let card = |stage: &CliFixture| stage.run(&["--json", "inbox"]).expect(0).json()["items"][0].clone();
    let text = |card: &serde_json::Value, name: &str| card[name].as_str().unwrap().to_owned();
    let first = card(&stage);
    assert_eq!(first["changed"], false);

    stage.write("entracte.toml", &sending("https://two.test/"));
    let looked = card(&stage);
    assert_eq!((looked["changed"].clone(), text(&looked, "id")), (true.into(), text(&first, "id")));
    let late = stage.run(&["approve", &text(&first, "id")]).expect(6);
    assert!(late.err.contains("https://two.test/"), "the new card is shown: {}", late.err);
    let second = card(&stage);
    assert_eq!(text(&second, "id"), format!("{}_2", text(&first, "id")));
    assert_ne!(text(&second, "digest"), text(&first, "digest"));
    assert_eq!(second["changed"], false);
    for answer in ["approve", "reject"] {
        let late = stage.run(&[answer, &text(&first, "id")]).expect(6);
        assert!(late.err.contains(&text(&second, "id")), "{}", late.err);
    }
    stage.run(&["approve", "--session", &session, "--all", "--seen", &text(&first, "digest")]).expect(6);
    stage.run(&["approve", "--session", &session, "--all", "--seen", "abc"]).expect(2);
    let calls = stage.run(&["--json", "session", "calls", &session]).expect(0).json();
    assert_eq!(calls["calls"][0]["state"], "waiting_decision", "{calls}");
    let seen = ["reject", "--session", &session, "--all", "--seen", &text(&second, "digest")];
    stage.run(&seen).expect(0);
    let calls = stage.run(&["--json", "session", "calls", &session]).expect(0).json();
    assert_eq!(calls["calls"][0]["state"], "rejected", "{calls}");
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn all_shows_the_cards_that_it_covers() {
    let (stage, session) = asking();
    let done = stage.run(&["approve", "--session", &session, "--all"]).expect(0);
    assert!(done.err.contains("zones.create"), "{}", done.err);
}

/// Input: a decision with the digest of the card, without its id; expected: the call of that card is decided, and
/// another digest decides nothing.
#[test]
fn shown_card_is_decided_by_its_digest() {
    let (stage, session) = asking();
    let card = stage.run(&["--json", "inbox"]).expect(0).json()["items"][0].clone();
    let digest = card["digest"].as_str().unwrap();
    let other = format!("{}0", "f".repeat(20));
    let gone = stage.run(&["approve", "--seen", &other]).expect(6);
    assert!(gone.err.contains(&other) && gone.err.contains("local:main"), "{}", gone.err);
    stage.run(&["approve", "--seen", &digest[..8]]).expect(2);
    stage.run(&["approve", "--seen", &digest[..16]]).expect(0);
    let calls = stage.run(&["--json", "session", "calls", &session]).expect(0).json();
    assert_eq!(calls["calls"][0]["state"], "succeeded", "{calls}");
    stage.run(&["approve"]).expect(2);
}

#[test]
fn inbox_shows_requester_action_and_time() {
    let (stage, _) = asking();
    let item = &stage.run(&["--json", "inbox"]).expect(0).json()["items"][0];
    assert_eq!((&item["requester"], &item["automation"]), (&"ann".into(), &serde_json::Value::Null));
    assert!(item["asked_at"].as_str().is_some_and(|at| at.ends_with('Z')), "{item:#}");
    assert_eq!(item["arguments"], serde_json::json!({"name": "Health"}));
}

/// Input: a decision on a call of a script that no later command plays; expected: the decision is confirmed, the action
/// runs, and the next command gives the session another model.
#[test]
fn an_approval_counts_where_its_model_is_gone() {
    let stage = CliFixture::with_script(MAKES);
    let asked =
        ["--json", "chat", "--script", "story.toml", "--require-approval", "--message", "Make a zone"];
    let session = stage.run(&asked).expect(3).json()["session"].as_str().unwrap().to_owned();
    let done = stage.run(&["approve", &approval(&stage)]).expect(1);
    assert!(done.err.starts_with("approved cal_"), "{}", done.err);
    let next = format!("\n  entracte session set {session} --provider stage\n");
    assert!(done.err.ends_with(&next), "{}", done.err);
    let zones = stage.run(&["--json", "command", "run", "ZONES"]).expect(0).json();
    assert_eq!(zones["result"]["zones"][0]["name"], "Health");
}
