//! What `--json` prints is what the API answers: it validates against the schemas of the document.

use serde_json::{Value, json};

use crate::cli_fixture::CliFixture;

const STORY: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I look.", "queries": [{"type": "ZONES", "params": {}}]}'''
usage = { input = 10, output = 5 }
[[turn]]
envelope = '''{"pre_text": "I make it.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}], "validation_request": true}'''
[[turn]]
text = "It is made."
"#;

/// Where objects of a schema stand in what a command prints: the whole, or every item of a list.
#[derive(Clone, Copy)]
enum Place {
    Whole,
    Items(&'static str),
}

/// Input: each converted command that prints an object; expected: the object validates against the component of the
/// document that its route answers.
#[test]
fn cli_json_matches_api_schema() {
    let document = std::fs::read_to_string("../docs/openapi.json").unwrap();
    let document: Value = serde_json::from_str(&document).unwrap();
    let stage = CliFixture::with_script(STORY);
    let turn = stage.run(&["--json", "chat", "--message", "Make a zone"]).expect(3).json();
    expect_valid(&document, "TurnShape", &turn, "chat");
    let session = turn["session"].as_str().unwrap();
    let card = turn["waiting"]["items"][0]["id"].as_str().unwrap();
    let inbox = stage.run(&["--json", "inbox"]).expect(0).json();
    each(&inbox, "items").for_each(|item| expect_valid(&document, "InboxShape", item, "inbox"));
    let approved = stage.run(&["--json", "approve", card]).expect(0).json();
    expect_valid(&document, "TurnShape", &approved, "approve");
    stage.run(&["rule", "add", "zones.list", "--deny", "--reason", "no"]);
    stage.run(&["automation", "create", "Nightly", "--message", "Look", "--cron", "0 3 * * *"]).expect(0);
    stage.run(&["token", "create", "--name", "laptop", "--scope", "read"]).expect(0);
    let journal = stage.run(&["--json", "session", "journal", session]).expect(0).out;
    let entries: Vec<Value> = journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    entries.iter().for_each(|entry| expect_valid(&document, "EntryShape", entry, "session journal"));
    let call = entries.iter().find_map(|entry| entry["model_call"].as_str()).unwrap();
    let commands: &[(&[&str], Place, &str)] = &[
        (&["session", "list"], Place::Items("sessions"), "SessionItem"),
        (&["session", "show", session], Place::Whole, "SessionShape"),
        (&["session", "calls", session], Place::Items("calls"), "CallShape"),
        (&["session", "messages", session], Place::Items("messages"), "MessageShape"),
        (&["session", "verify", session], Place::Items("sessions"), "VerdictShape"),
        (&["session", "prompt", call], Place::Whole, "PromptShape"),
        (&["session", "prompt", call, "--parts"], Place::Items("parts"), "PartShape"),
        (&["session", "set", session, "--require-approval", "yes"], Place::Whole, "SessionShape"),
        (&["automation", "list"], Place::Items("automations"), "AutomationShape"),
        (&["automation", "edit", "Nightly", "--message", "Look again"], Place::Whole, "AutomationShape"),
        (&["automation", "show", "Nightly"], Place::Whole, "AutomationShape"),
        (&["automation", "next", "Nightly"], Place::Whole, "ComingShape"),
        (&["automation", "history", "Nightly"], Place::Items("occurrences"), "OccurrenceShape"),
        (&["automation", "dry-run", "Nightly"], Place::Whole, "DryRunShape"),
        (&["command", "list"], Place::Items("commands"), "CommandShape"),
        (&["command", "show", "zones.create"], Place::Whole, "CommandShape"),
        (&["command", "run", "tools.list"], Place::Whole, "ResultShape"),
        (&["tool", "list"], Place::Whole, "ResultShape"),
        (&["zone", "add", "Garden"], Place::Whole, "ResultShape"),
        (&["provider", "list"], Place::Items("providers"), "ProviderShape"),
        (&["provider", "check"], Place::Items("checks"), "CheckedShape"),
        (&["rule", "list"], Place::Items("rules"), "RuleShape"),
        (&["task", "list"], Place::Items("tasks"), "TaskLineShape"),
        (&["token", "list"], Place::Items("tokens"), "TokenShape"),
        (&["workspace", "list"], Place::Items("workspaces"), "WorkspaceShape"),
        (&["workspace", "settings", "list"], Place::Items("settings"), "SettingShape"),
        (&["cost", "report"], Place::Whole, "CostsShape"),
        (&["retention", "show"], Place::Whole, "RetentionShape"),
        (&["retention", "run", "--dry"], Place::Whole, "RetentionTotalsShape"),
        (&["agent", "list"], Place::Items("agents"), "AgentShape"),
        (&["notify", "list"], Place::Items("targets"), "TargetShape"),
        (&["secret", "list"], Place::Whole, "SecretNamesShape"),
        (&["text", "list"], Place::Items("items"), "TextLineShape"),
        (&["knowledge", "list"], Place::Items("documents"), "DocumentShape"),
    ];
    for (arguments, place, schema) in commands {
        let printed = stage.run(&[&["--json"], *arguments].concat()).expect(0).json();
        assert!(printed["schema"].as_str().unwrap().starts_with("entracte."), "{arguments:?}");
        match place {
            Place::Whole => expect_valid(&document, schema, &printed, &arguments.join(" ")),
            Place::Items(list) => each(&printed, list)
                .for_each(|item| expect_valid(&document, schema, item, &arguments.join(" "))),
        }
    }
}

fn each<'a>(printed: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> {
    printed[list].as_array().unwrap_or_else(|| panic!("no {list} in {printed}")).iter()
}

fn expect_valid(document: &Value, schema: &str, printed: &Value, command: &str) {
    assert!(document["components"]["schemas"][schema].is_object(), "the document has no {schema}");
    let whole = json!({
        "$ref": format!("#/components/schemas/{schema}"),
        "components": document["components"],
    });
    let validator = jsonschema::validator_for(&whole).unwrap();
    let faults: Vec<String> = validator.iter_errors(printed).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{command}: {faults:?} in {printed:#}");
}
