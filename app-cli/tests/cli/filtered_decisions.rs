//! `approve --where` and `reject --where`: one decision on all that fits, as it was shown.

use serde_json::{Value, json};

use crate::cli_fixture::CliFixture;
use crate::terminal::PseudoTerminal;

/// A model that proposes one zone, and then rests.
const ZONE: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I make a zone.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}]}'''
[[turn]]
text = "Fine."
"#;

/// The ids of what waits, in its order.
fn waiting(stage: &CliFixture) -> Vec<String> {
    let inbox = stage.run(&["--json", "inbox"]).expect(0).json();
    let items = inbox["items"].as_array().unwrap();
    items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

fn ask(stage: &CliFixture, message: &str) {
    stage.run(&["chat", "--require-approval", "--message", message]).expect(3);
}

/// A chat that proposes these actions in one reply.
fn propose(stage: &CliFixture, actions: &[Value]) {
    let reply = json!({ "pre_text": "May I?", "actions": actions });
    stage.write("story.toml", &format!("[[turn]]\nenvelope = '''{reply}'''\n[[turn]]\ntext = \"Fine.\"\n"));
    ask(stage, "Do it");
}

fn zones(stage: &CliFixture) -> usize {
    let all = stage.run(&["--json", "zone", "list"]).expect(0).json();
    all["result"]["zones"].as_array().unwrap().len()
}

/// The digest that a preview of approvals prints.
fn seen(preview: &str) -> String {
    preview.trim_end().rsplit_once("--seen ").unwrap().1.to_owned()
}

/// The option `asked_before` of the command that a preview prints.
fn until(preview: &str) -> String {
    let (_, rest) = preview.split_once("--where asked_before=").unwrap();
    format!("asked_before={}", rest.split(' ').next().unwrap())
}

/// Input: three chats that ask, two of one year, and one of that year that asks after the preview; expected: the preview
/// names the two and decides nothing, the command that it prints rejects them and nothing else. On this machine and on a
/// server, in both languages.
#[test]
fn filtered_approvals_are_rejected_as_previewed() {
    let cases = [
        (CliFixture::with_script(ZONE), "fr", "2 approbations répondent", "refusé 2 sur 2"),
        (CliFixture::with_script(ZONE).on_a_server(), "en", "2 approvals fit", "rejected 2 of 2"),
    ];
    for (stage, language, fit, done) in cases {
        stage.run(&["workspace", "create", "local:main", "--language", language]);
        stage.run(&["workspace", "settings", "set", &format!("language={language}")]).expect(0);
        for message in ["Files of year 1985", "Again files of year 1985", "Files of year 1986"] {
            ask(&stage, message);
        }
        let before = waiting(&stage);
        let filtered = ["reject", "--where", "session=YEAR 1985", "--where", "command=zones.create"];
        let preview = stage.run(&filtered).expect(2).err;
        assert!(preview.contains(fit), "{preview}");
        let named: Vec<&String> = before.iter().filter(|id| preview.contains(id.as_str())).collect();
        assert_eq!(named.len(), 2, "{preview}");
        assert!(preview.contains("--where 'session=YEAR 1985'"), "{preview}");
        let is_here = language == "fr";
        assert!(is_here || preview.contains("entracte reject --server http://"), "{preview}");
        assert!(preview.trim_end().ends_with("--yes --expect 2"), "{preview}");
        assert_eq!(waiting(&stage), before, "a preview decides nothing");

        ask(&stage, "Later files of year 1985");
        let late = until(&preview);
        let decide = [&filtered[..], &["--where", &late, "--reason", "kept elsewhere", "--yes"]].concat();
        let other = stage.run(&[&decide[..], &["--expect", "3"]].concat()).expect(6);
        assert_eq!(waiting(&stage).len(), 4, "{}", other.err);
        let told = stage.run(&[&decide[..], &["--expect", "2"]].concat()).expect(0);
        assert!(told.err.contains(done), "{}", told.err);
        let left = waiting(&stage);
        assert_eq!(left.len(), 2);
        assert!(left.iter().all(|id| !named.contains(&id)), "{left:?}");
        assert_eq!(zones(&stage), 0);
    }
}

/// Input: a reply with a new zone, one whose name no screen shows whole, and one that goes; expected: only the first is
/// approved by a filter, the object says why the others are left, and a rejection leaves them as well.
#[test]
fn filtered_decision_leaves_what_needs_its_own() {
    let stage = CliFixture::with_script("");
    stage.run(&["zone", "add", "Old"]).expect(0);
    let zone = stage.run(&["--json", "zone", "list"]).expect(0).json()["result"]["zones"][0]["id"].clone();
    let create = |name: &str| json!({ "type": "CREATE_ZONE", "params": { "name": name } });
    let delete = json!({ "type": "DELETE_ZONE", "params": { "zone_id": zone } });
    propose(&stage, &[create("Health"), create(&format!("Health{} the end", "y".repeat(100))), delete]);
    let digest = seen(&stage.run(&["approve", "--where", "kind=approval"]).expect(2).err);
    let decide =
        ["--json", "approve", "--where", "kind=approval", "--yes", "--expect", "1", "--seen", &digest];
    let told = stage.run(&decide).expect(0).json();
    assert_eq!(
        (&told["schema"], told["decided"].as_array().unwrap().len()),
        (&"entracte.filtered-decision/1".into(), 1)
    );
    let why: Vec<&Value> = told["left"].as_array().unwrap().iter().map(|left| &left["why"]).collect();
    assert_eq!(why, [&json!("folded"), &json!("destroys")], "{told:#}");
    assert_eq!(waiting(&stage).len(), 2);
    let nothing = stage.run(&["reject", "--where", "kind=approval", "--yes", "--expect", "2"]).expect(6);
    assert!(nothing.err.contains("nothing was decided"), "{}", nothing.err);
    assert_eq!(waiting(&stage).len(), 2);
}

/// Input: two approvals with arguments that no sentence names, and a preview of each decision; expected: before an approval
/// each card is shown whole, with its arguments; before a rejection each has one line.
#[test]
fn preview_of_approvals_shows_whole_cards() {
    let stage = CliFixture::with_script(ZONE);
    ask(&stage, "First");
    ask(&stage, "Second");
    let preview = |verb: &str| stage.run(&[verb, "--where", "command=zones.create"]).expect(2).err;
    let (approvals, rejections) = (preview("approve"), preview("reject"));
    assert!(approvals.matches(r#""name": "Health""#).count() >= 2, "{approvals}");
    assert!(!rejections.contains(r#""name": "Health""#), "{rejections}");
    let waiting = waiting(&stage);
    assert_eq!(waiting.len(), 2);
    assert!(waiting.iter().all(|id| approvals.contains(id.as_str()) && rejections.contains(id.as_str())));
}

/// Input: the preview of one approval, which is then rejected while another one of the same number asks; expected: the
/// digest of the preview does not approve the other, which is shown with its own; without a digest nothing is approved.
#[test]
fn scripted_approval_is_bound_to_its_preview() {
    let stage = CliFixture::with_script(ZONE);
    ask(&stage, "First");
    let filtered = ["approve", "--where", "command=zones.create"];
    let scripted = [&filtered[..], &["--yes", "--expect", "1"]].concat();
    let unbound = stage.run(&scripted).expect(2).err;
    assert!(unbound.contains("which cards you saw"), "{unbound}");
    let digest = seen(&stage.run(&filtered).expect(2).err);
    assert_eq!(seen(&unbound), digest);
    stage.run(&["reject", &waiting(&stage)[0]]).expect(0);
    ask(&stage, "Second");
    let other = waiting(&stage);
    let refused = stage.run(&[&scripted[..], &["--seen", &digest]].concat()).expect(6).err;
    assert!(refused.contains(&other[0]), "it shows what fits now: {refused}");
    assert_eq!((waiting(&stage), zones(&stage)), (other, 0));
    stage.run(&[&scripted[..], &["--seen", &seen(&refused)]].concat()).expect(0);
    assert_eq!(zones(&stage), 1);
}

/// Input: a preview of another workspace; expected: the command that it prints names that workspace.
#[test]
fn printed_command_names_the_workspace() {
    let stage = CliFixture::with_script(ZONE);
    stage.run(&["workspace", "create", "ann:side"]);
    let elsewhere = ["--workspace", "ann:side"];
    let ask = ["chat", "--require-approval", "--message", "Make a zone"];
    stage.run(&[&ask[..], &elsewhere].concat()).expect(3);
    let preview = stage.run(&[&["reject", "--where", "age=0s"][..], &elsewhere].concat()).expect(2).err;
    assert!(preview.contains(" --workspace ann:side --where age=0s"), "{preview}");
}

/// Input: a filter that is not valid; expected: the help of the command that was given.
#[test]
fn wrong_filter_names_the_help_of_its_command() {
    let stage = CliFixture::with_script(ZONE);
    for verb in ["approve", "reject"] {
        let told = stage.run(&[verb, "--where", "colour=red"]).expect(2).err;
        assert!(told.contains(&format!("entracte {verb} --help")), "{told}");
    }
}

/// Input: an action under four eyes; expected: no filter touches it, not even to reject it.
#[test]
fn filtered_decision_leaves_four_eyes() {
    let stage = CliFixture::with_script(ZONE);
    stage.run(&["workspace", "settings", "set", "four_eyes", "true"]).expect(0);
    ask(&stage, "Make a zone");
    for verb in ["approve", "reject"] {
        let told = stage.run(&[verb, "--where", "age=0s", "--yes", "--expect", "1"]).expect(6);
        assert!(told.err.contains("needs four eyes"), "{}", told.err);
    }
    assert_eq!(waiting(&stage).len(), 1);
}

/// Input: two approvals of one command, a question that fits as well, and the word of a person at a terminal; expected:
/// after no nothing is decided, after yes both approvals are rejected, and the question stays.
#[test]
fn filtered_rejection_is_confirmed_at_a_terminal() {
    let stage = CliFixture::with_script(ZONE);
    ask(&stage, "First");
    ask(&stage, "Second");
    let question =
        json!({ "type": "MultipleChoice", "question": "Which colour?", "options": ["red", "blue"] });
    let reply = json!({ "pre_text": "One thing.", "question": question });
    stage.write("story.toml", &format!("[[turn]]\nenvelope = '''{reply}'''\n"));
    stage.run(&["chat", "--message", "Paint it"]).expect(3);
    for (word, exit, left) in [("n", 130, 3), ("y", 0, 1)] {
        let mut screen = PseudoTerminal::open(&stage, 80, &["reject", "--where", "person=ann"]);
        screen.until("not touched: 1 (not an approval)");
        screen.until_keys("[n]o>");
        screen.type_line(word);
        assert_eq!(screen.ends(), exit);
        assert_eq!(waiting(&stage).len(), left);
    }
    assert_eq!(waiting(&stage)[0].split(':').next(), Some("question"));
}

/// Input: filters that are not valid, and options that need others; expected: each is a fault of the command line.
#[test]
fn wrong_filters_are_usage_errors() {
    let stage = CliFixture::with_script(ZONE);
    ask(&stage, "Make a zone");
    let cases: &[&[&str]] = &[
        &["reject", "--where", "colour=red"],
        &["reject", "--where", "limit=1"],
        &["reject", "--where", "command"],
        &["reject", "--where", "command="],
        &["reject", "--where", "kind=approval", "--where", "kind=question"],
        &["reject", "--where", "age=long"],
        &["reject", "--where", "age=0s", "--yes"],
        &["approve", "--where", "age=0s", "--yes", "--expect", "1"],
        &["approve", "--where", "age=0s", "--yes", "--expect", "1", "--seen", "abc"],
        &["reject", "--expect", "1"],
        &["reject", "--yes"],
        &["approve", "--where", "age=0s", "--always"],
        &["approve", "--where", "age=0s", "--session", "ses_a", "--all"],
    ];
    for case in cases {
        let told = stage.run(case).expect(2);
        assert!(!told.err.is_empty(), "{case:?}");
    }
    assert_eq!(waiting(&stage).len(), 1);
}

/// Input: an approval with days left, and a later one that expires within the hour; expected: the inbox begins with the
/// one that expires soon, in the terminal as in the API.
#[test]
fn approval_that_expires_soon_is_first() {
    let stage = CliFixture::with_script(ZONE);
    ask(&stage, "First");
    let early = waiting(&stage).remove(0);
    let config =
        "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n[validation]\nexpires = \"1h\"\n";
    stage.write("entracte.toml", config);
    ask(&stage, "Second");
    let all = waiting(&stage);
    assert_eq!((all.len(), &all[1]), (2, &early));
    let cards = stage.run(&["inbox"]).expect(0).out;
    let places = all.iter().map(|id| cards.find(&format!("entracte approve {id}\n")).unwrap());
    assert!(places.is_sorted(), "{cards}");
}
