//! Standing approvals, given with a decision and revoked.

use crate::cli_fixture::CliFixture;

/// A model that creates a zone, then renames it again and again.
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

fn approval(stage: &CliFixture) -> String {
    let inbox = stage.run(&["--json", "inbox"]).expect(0).json();
    inbox["items"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn rule_is_described_listed_and_revoked() {
    let stage = CliFixture::with_script(RENAMES);
    let asked = stage.run(&["--json", "chat", "--require-approval", "--message", "Make a zone"]).expect(3);
    let session = asked.json()["session"].as_str().unwrap().to_owned();
    stage.run(&["approve", &approval(&stage), "--always", "--for", "soon"]).expect(2);
    stage.run(&["approve", &approval(&stage), "--for", "30d"]).expect(2);
    let given = stage.run(&["approve", &approval(&stage), "--always", "--for", "30d"]).expect(0);
    let width = "Always: later calls of zones.create need no approval with exactly these arguments; in every session of the workspace; for 30 days after the decision; any number of times";
    let shown = given.err.find(width).unwrap_or_else(|| panic!("{}", given.err));
    assert!(shown < given.err.find("standing approval rul_").unwrap(), "before it is given: {}", given.err);
    let words = "no approval is needed for zones.create, where name is \"Health\"; in every session of the workspace; until";
    assert!(given.err.contains(words), "{}", given.err);
    let rules = stage.run(&["--json", "rule", "list"]).expect(0).json();
    let rule = rules["rules"][0]["id"].as_str().unwrap();
    assert!(given.err.contains(&format!("entracte rule revoke {rule}")), "{}", given.err);
    assert_eq!(rules["rules"][0]["arguments"]["name"]["is"], "Health");
    let journal = stage.run(&["session", "journal", &session]).expect(0).out;
    assert!(journal.contains(&format!("and all similar calls ({rule})")), "{journal}");

    // The same call is covered; the zone exists already, so it fails, and that is reported.
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
fn wrong_edit_names_path_and_command() {
    let stage = CliFixture::with_script(RENAMES);
    stage.run(&["chat", "--require-approval", "--message", "Make a zone"]).expect(3);
    let wrong = stage.run(&["approve", &approval(&stage), "--edit", "{\"name\": 3}"]).expect(2);
    assert!(wrong.err.contains("name"), "{}", wrong.err);
    assert!(wrong.err.ends_with("\n  entracte command show zones.create\n"), "{}", wrong.err);
    let unknown = stage.run(&["approve", "apr_none_1_0"]).expect(5);
    assert!(unknown.err.ends_with("\n  entracte inbox\n"), "{}", unknown.err);
    stage.run(&["approve", &approval(&stage), "--edit", "{\"name\": \"Fitness\"}"]).expect(0);
}

#[test]
fn proposed_and_executed_arguments_are_both_shown() {
    let stage = CliFixture::with_script(RENAMES);
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
fn always_choice_works_in_chat() {
    let stage = CliFixture::with_script(RENAMES);
    let mut talk = stage.begin(&["chat", "--require-approval"]);
    talk.type_line("Make a zone");
    talk.line_with("approval needed");
    talk.line_with("Always: later calls of zones.create need no approval");
    talk.type_line("always");
    talk.line_with("standing approval rul_");
    talk.close_stdin_and_wait();
    assert_eq!(stage.run(&["--json", "rule", "list"]).expect(0).json()["rules"][0]["author"], "ann");
}

#[test]
fn inbox_shows_what_always_would_cover() {
    let stage = CliFixture::with_script(RENAMES);
    stage.run(&["chat", "--require-approval", "--message", "Make a zone"]).expect(3);
    let shown = stage.run(&["inbox"]).expect(0).out;
    assert!(shown.contains("--always\n    Always: later calls of zones.create need no approval"), "{shown}");
    let items = stage.run(&["--json", "inbox"]).expect(0).json();
    assert_eq!(items["items"][0]["always"], serde_json::json!({ "name": { "is": "Health" } }));
    // The given duration is the one shown.
    let one_hour =
        stage.run(&["approve", &approval(&stage), "--always", "--in-session", "--for", "1h"]).expect(0);
    assert!(one_hour.err.contains("in this session only; for 1 h after the decision"), "{}", one_hour.err);
}

#[test]
fn a_deleted_session_leaves_what_was_open() {
    let stage = CliFixture::with_script(RENAMES);
    assert!(stage.run(&["session", "deleted"]).expect(0).err.contains("no session of"));
    let asked = stage.run(&["--json", "chat", "--require-approval", "--message", "Make a zone"]).expect(3);
    let session = asked.json()["session"].as_str().unwrap().to_owned();
    let inbox = stage.run(&["--json", "inbox"]).expect(0).json();
    stage.run(&["session", "delete", &session, "--force"]).expect(0);
    stage.run(&["session", "journal", &session]).expect(5);

    let left = stage.run(&["--json", "session", "deleted"]).expect(0).json();
    let deletion = &left["deletions"][0];
    assert_eq!((&deletion["session"], &deletion["deleted_by"]), (&session.as_str().into(), &"ann".into()));
    let (open, card) = (&deletion["open"][0], &inbox["items"][0]);
    assert_eq!((&open["approval"], &open["digest"]), (&card["id"], &card["digest"]));
    assert_eq!((&open["command"], &open["state"]), (&"zones.create".into(), &"waiting_decision".into()));
    let shown = stage.run(&["session", "deleted"]).expect(0).out;
    assert!(shown.contains(&session) && shown.contains("deleted by ann"), "{shown}");
    assert!(shown.contains("zones.create  waiting_decision"), "{shown}");
    assert!(!shown.contains("Health") && !left.to_string().contains("Health"), "no arguments: {left}");
    let elsewhere = stage.run(&["--workspace", "eve:other", "--json", "session", "deleted"]).expect(0).json();
    assert_eq!(elsewhere["deletions"], serde_json::json!([]));
}

/// A model that requests the same zone again and again, and then another one.
const INSISTS: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I make a zone.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}]}'''
[[turn]]
text = "It was refused."
[[turn]]
envelope = '''{"pre_text": "Again.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}]}'''
[[turn]]
text = "It was refused again."
[[turn]]
envelope = '''{"pre_text": "Another.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Home"}}]}'''
"#;

/// Input: standing approvals that no call can match: without an argument that each call has, with a value that the
/// command refuses, for a query; expected: none is created, and the error says what to write instead.
#[test]
fn unmatchable_standing_approval_is_refused() {
    let stage = CliFixture::with_script(RENAMES);
    let cases = [
        (&["zones.create"][..], "every call of zones.create has these arguments: name"),
        (&["CREATE_ZONE", "--any", "description"], "every call of zones.create has these arguments: name"),
        (&["tool_data.batch_create"], "has these arguments: tool_id, entries"),
        (&["zones.create", "--where", "{\"name\": 3}"], "zones.create refuses these arguments: /name: "),
        (&["zones.list"], "zones.list only reads and never needs an approval"),
    ];
    for (rule, says) in cases {
        let refused = stage.run(&[&["rule", "add"][..], rule].concat()).expect(2);
        assert!(refused.err.contains(says), "{rule:?}: {}", refused.err);
    }
    let refused = stage.run(&["rule", "add", "zones.create"]).expect(2).err;
    assert!(refused.contains("(--where, --any)"), "{refused}");
    assert!(refused.ends_with("\n  entracte command show zones.create\n"), "{refused}");
    assert_eq!(stage.run(&["rule", "list", "--all"]).expect(0).out, "");
    // With a value for it, and with any value; a denial may cover all calls.
    stage.run(&["rule", "add", "zones.create", "--where", "{\"name\": \"Health\"}"]).expect(0);
    stage.run(&["rule", "add", "zones.create", "--any", "name"]).expect(0);
    stage.run(&["rule", "add", "zones.create", "--deny"]).expect(0);
    stage.run(&["rule", "add", "zones.list", "--deny"]).expect(0);
}

/// Input: a call that waits for approval, then a rule that denies it beside one that approves all such calls; expected:
/// the waiting call and the next one are refused with the reason, and only another one runs.
#[test]
fn deny_rule_wins() {
    let stage = CliFixture::with_script(INSISTS);
    let asked = stage.run(&["--json", "chat", "--require-approval", "--message", "Make a zone"]).expect(3);
    let session = asked.json()["session"].as_str().unwrap().to_owned();
    let waits = approval(&stage);
    let wrong = stage.run(&["rule", "add", "CREATE_ZONE", "--where", "{\"nam\": 1}", "--deny"]).expect(2);
    assert!(wrong.err.contains("zones.create has no argument nam"), "{}", wrong.err);
    stage.run(&["rule", "add", "nothing.*", "--deny"]).expect(5);
    let health = "{\"name\": \"Health\"}";
    let reason = ["--deny", "--reason", "Health is Bob's."];
    let deny = [&["--json", "rule", "add", "CREATE_ZONE", "--where", health], &reason[..]].concat();
    let rule = stage.run(&deny).expect(0).json();
    let (id, denies) = (rule["id"].as_str().unwrap().to_owned(), &rule["denies"]);
    assert_eq!(denies, "Health is Bob's.");
    assert_eq!(stage.run(&["inbox"]).expect(0).out, "", "nothing waits any more");
    stage.run(&["approve", &waits]).expect(6);

    // A rule that approves every zone has no effect on it.
    stage.run(&["rule", "add", "CREATE_ZONE", "--any", "name"]).expect(0);
    stage.run(&["chat", "--session", &session, "--message", "Again"]).expect(0);
    let calls = stage.run(&["--json", "session", "calls", &session]).expect(0).json();
    for call in [0, 1] {
        let call = &calls["calls"][call];
        assert_eq!(call["state"], "forbidden", "{call:#}");
        let told = call["content"].as_str().unwrap();
        assert!(told.contains(&id) && told.contains("Health is Bob's."), "{told}");
    }
    stage.run(&["chat", "--session", &session, "--message", "Another"]).expect(0);
    let zones = stage.run(&["--json", "command", "run", "ZONES"]).expect(0).json();
    assert_eq!(zones["result"]["zones"].as_array().unwrap().len(), 1);
    assert_eq!(zones["result"]["zones"][0]["name"], "Home");

    let listed = stage.run(&["rule", "list"]).expect(0).out;
    assert!(listed.contains("deny zones.create") && listed.contains("name is \"Health\""), "{listed}");
    stage.run(&["rule", "remove", &id]).expect(0);
    assert!(!stage.run(&["rule", "list"]).expect(0).out.contains(&id));
    stage.run(&["session", "verify", "--all"]).expect(0);
}

/// Input: a rule that also covers agents, one that does not, and rules that cannot; expected: the first two say so, in
/// words and as JSON, and the last are refused.
#[test]
fn a_rule_says_whether_it_is_for_agents() {
    let stage = CliFixture::with_script(INSISTS);
    let add = ["rule", "add", "CREATE_ZONE", "--any", "name"];
    let plain = stage.run(&add).expect(0).out;
    assert!(plain.contains("in every session of the workspace;"), "{plain}");
    let too = stage.run(&[&add[..], &["--agents"]].concat()).expect(0).out;
    assert!(too.contains("in every session of the workspace, and for agents too;"), "{too}");
    let rules = stage.run(&["--json", "rule", "list"]).expect(0).json();
    let agents: Vec<&serde_json::Value> =
        rules["rules"].as_array().unwrap().iter().map(|rule| &rule["agents"]).collect();
    assert_eq!(agents, [false, true]);
    stage.run(&[&add[..], &["--agents", "--deny"]].concat()).expect(2);
    stage.run(&[&add[..], &["--agents", "--session", "ses_x"]].concat()).expect(2);
    stage.run(&["approve", "apr_x", "--agents"]).expect(2);
}

/// Input: manual actions in free mode, with required approval, and denied by a rule; expected: each is treated like a
/// model's call, and the journal names its author.
#[test]
fn manual_action_follows_rules_of_model_calls() {
    let stage = CliFixture::with_script(INSISTS);
    let done = stage.run(&["--json", "command", "run", "CREATE_ZONE", "{\"name\": \"Health\"}"]).expect(0);
    assert_eq!(done.json()["state"], "done");
    let zones = stage.run(&["--json", "command", "run", "ZONES"]).expect(0).json();
    assert_eq!(zones["result"]["zones"][0]["name"], "Health");
    let sessions = stage.run(&["--json", "session", "list"]).expect(0).json();
    let session = sessions["sessions"][0]["id"].as_str().unwrap().to_owned();
    let journal = stage.run(&["session", "journal", &session]).expect(0).out;
    assert!(journal.contains("ann"), "{journal}");
    let calls = stage.run(&["--json", "session", "calls", &session]).expect(0).json();
    assert_eq!(calls["calls"][0]["command"], "zones.create");

    // Its arguments and rights are checked as for any call.
    stage.run(&["command", "run", "CREATE_ZONE", "{\"nam\": 1}"]).expect(2);
    let reason = ["--deny", "--reason", "Ask Bob."];
    let deny = [&["rule", "add", "CREATE_ZONE", "--where", "{\"name\": \"Sleep\"}"], &reason[..]].concat();
    stage.run(&deny).expect(0);
    let refused = stage.run(&["command", "run", "CREATE_ZONE", "{\"name\": \"Sleep\"}"]).expect(4);
    assert!(refused.err.contains("Ask Bob."), "{}", refused.err);

    let provider = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n";
    stage.write("entracte.toml", &format!("{provider}[validation]\nworkspace = true\n"));
    let waits = stage.run(&["command", "run", "CREATE_ZONE", "{\"name\": \"Home\"}"]).expect(3);
    assert!(waits.err.contains("entracte approve apr_"), "{}", waits.err);
    let changed = stage.run(&["approve", &approval(&stage), "--edit", "{\"name\": \"Sleep\"}"]).expect(2);
    assert!(changed.err.contains("Ask Bob."), "{}", changed.err);
    stage.run(&["approve", &approval(&stage)]).expect(0);
    let zones = stage.run(&["--json", "command", "run", "ZONES"]).expect(0).json();
    assert_eq!(zones["result"]["zones"].as_array().unwrap().len(), 2);
    stage.run(&["session", "verify", "--all"]).expect(0);
}

/// Input: approvals of one command, without a change and with one, where two suggest a rule; expected: the card of the next
/// call says so after two in a row, a change begins anew, and with 0 no card does.
#[test]
fn unchanged_approvals_suggest_a_rule() {
    let provider = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n";
    let stage = CliFixture::with_config(&format!("{provider}[rules]\nsuggest_after = 2\n"));
    let mut made = 0;
    let mut ask = || {
        made += 1;
        let action = format!(r#"{{"type": "CREATE_ZONE", "params": {{"name": "Zone {made}"}}}}"#);
        let reply =
            format!("[[turn]]\nenvelope = '''{{\"pre_text\": \"I make it.\", \"actions\": [{action}]}}'''\n");
        stage.write("story.toml", &format!("{reply}[[turn]]\ntext = \"Fine.\"\n"));
        stage.run(&["chat", "--require-approval", "--message", "Make a zone"]).expect(3);
        stage.run(&["--json", "inbox"]).expect(0).json()["items"][0]["approved_before"].clone()
    };
    for before in [serde_json::Value::Null, serde_json::Value::Null] {
        assert_eq!(ask(), before);
        stage.run(&["approve", &approval(&stage)]).expect(0);
    }
    assert_eq!(ask(), 2);
    let card = stage.run(&["inbox"]).expect(0).out;
    assert!(card.contains("zones.create was approved 2 times in a row and never changed"), "{card}");
    stage.write("entracte.toml", &format!("{provider}[rules]\nsuggest_after = 0\n"));
    let card = stage.run(&["inbox"]).expect(0).out;
    assert!(!card.contains("in a row"), "{card}");
    stage.write("entracte.toml", &format!("{provider}[rules]\nsuggest_after = 1\n"));
    stage.run(&["approve", &approval(&stage), "--edit", r#"{"name": "Another"}"#]).expect(0);
    assert_eq!(ask(), serde_json::Value::Null, "a change begins anew");
}

/// Input: a mandate for one new zone a day with one of two names; expected: the first one is made without asking, the rule
/// says what is used up and by which call, and the next one waits for a person.
#[test]
fn mandate_shows_what_is_used() {
    let stage = CliFixture::with_script(RENAMES);
    let names = "name=[\"Health\",\"Home\"]";
    let add = ["--json", "rule", "add", "zones.create", "--one-of", names, "--per-day", "1"];
    let rule = stage.run(&[&add[..], &["--until", "2099-12-31"]].concat()).expect(0).json();
    let id = rule["id"].as_str().unwrap();
    assert_eq!(rule["limits"]["day"]["calls"], 1);
    let made = stage.run(&["--json", "chat", "--require-approval", "--message", "Make a zone"]).expect(0);
    let session = made.json()["session"].as_str().unwrap().to_owned();
    let shown = stage.run(&["rule", "show", id]).expect(0).out;
    for says in
        ["name is one of \"Health\", \"Home\"", "at most one call a day", "one call used it", ", started at "]
    {
        assert!(shown.contains(says), "{says}: {shown}");
    }
    stage.run(&["chat", "--session", &session, "--message", "Again"]).expect(3);
    let used = stage.run(&["--json", "rule", "show", id]).expect(0).json()["used"].clone();
    assert_eq!((&used["total"]["calls"], &used["on_day"]["calls"]), (&1.into(), &1.into()), "{used:#}");
}

/// Input: conditions and limits that cannot be read or mean nothing; expected: no rule, and what to write instead.
#[test]
fn unreadable_mandate_is_refused() {
    let stage = CliFixture::with_script(RENAMES);
    let cases = [
        (&["--range", "name=1e2.."][..], "“1e2” is not a number in plain digits"),
        (&["--one-of", "name=Health"], "“name=Health” cannot be read"),
        (&["--any", "name", "--prefix", "name=He"], "name has two conditions"),
        (&["--one-of", "name=[]"], "must list 1 to 100 values"),
        (&["--any", "name", "--until", "2001-01-01"], "is not a day that is still to end"),
        (&["--any", "name", "--sum-per-day", "5"], "--sum"),
        (&["--any", "name", "--sum", "amount", "--sum-per-day", "5"], "zones.create has no argument amount"),
    ];
    for (flags, says) in cases {
        let refused = stage.run(&[&["rule", "add", "zones.create"][..], flags].concat()).expect(2);
        assert!(refused.err.contains(says), "{flags:?}: {}", refused.err);
    }
    stage.run(&["rule", "add", "zones.create", "--any", "name", "--agent", "nobody"]).expect(5);
    assert_eq!(stage.run(&["rule", "list", "--all"]).expect(0).out, "");
}

/// Input: a card; expected: it offers narrower rules in words, and the chosen one is made.
#[test]
fn card_offers_narrower_rules() {
    let stage = CliFixture::with_script(RENAMES);
    stage.run(&["--json", "chat", "--require-approval", "--message", "Make a zone"]).expect(3);
    let inbox = stage.run(&["--json", "inbox"]).expect(0).json();
    let says = inbox["items"][0]["widths"][0]["says"].as_str().unwrap();
    let expected = "later calls of zones.create where name is \"Health\"; at most 5 calls a day; in every session of the workspace";
    assert_eq!(says, expected);
    stage.run(&["approve", &approval(&stage), "--always", "--width", "2"]).expect(2);
    let given = stage.run(&["approve", &approval(&stage), "--always", "--width", "1"]).expect(0);
    assert!(given.err.contains(&format!("Always: {expected}; for 30 days")), "{}", given.err);
    let rules = stage.run(&["--json", "rule", "list"]).expect(0).json();
    assert_eq!(rules["rules"][0]["limits"]["day"]["calls"], 5);
    assert_eq!(rules["rules"][0]["used"]["total"]["calls"], 0, "a person approved the call on the card");
}
