//! Dry runs: would this automation work tonight?

use serde_json::Value;

use crate::cli_fixture::CliFixture;

/// It reads, creates a zone, and completes, as a model would in each run.
const STORY: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I look.", "queries": [{"type": "ZONES", "params": {}}]}'''
[[turn]]
envelope = '''{"pre_text": "I make it.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}], "keep_control": true}'''
[[turn]]
envelope = '''{"pre_text": "All is well.", "completed": true}'''
"#;

/// A real run waits so long for a rejection of its completion that a dry run with the same delay would not end.
fn stage(dialect: &str, story: &str) -> CliFixture {
    let stage = CliFixture::with_script(story);
    configure(&stage, dialect, "1h");
    stage
}

fn configure(stage: &CliFixture, dialect: &str, ends_after: &str) {
    stage.write(
        "entracte.toml",
        &format!(
            "[limits]\ncompletion_delay = \"{ends_after}\"\nclosing_delay = \"{ends_after}\"\n\
             [providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\ndialect = \"{dialect}\"\n"
        ),
    );
}

fn dry(stage: &CliFixture, flags: &[&str], code: i32) -> Value {
    let told = stage.run(&[&["--json", "automation", "dry-run", "Look"], flags].concat()).expect(code).json();
    assert_eq!(told["schema"], "entracte.dry-run/1");
    told
}

fn codes(told: &Value) -> Vec<&str> {
    told["findings"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect()
}

/// The complete data, which a dry run leaves unchanged.
fn world(stage: &CliFixture) -> Vec<String> {
    let looks: [&[&str]; 4] = [
        &["--json", "session", "list"],
        &["--json", "zone", "list"],
        &["--json", "automation", "history", "Look"],
        &["--json", "inbox"],
    ];
    looks.iter().map(|look| stage.run(look).expect(0).out).collect()
}

#[test]
fn unrun_automation_reports_approvals_and_commands() {
    let stage = stage("envelope", STORY);
    stage.run(&["automation", "create", "Look", "--message", "Is all well?", "--every", "1h"]).expect(0);
    let before = world(&stage);
    let told = dry(&stage, &[], 0);
    assert_eq!((&told["would_work"], &told["plays"]), (&true.into(), &"nothing".into()));
    assert!(told["request"]["message"].as_str().unwrap().contains("Is all well?"), "{told}");
    assert!(told["request"]["body"].as_str().unwrap().contains("Is all well?"), "{told}");
    let deletes =
        told["commands"].as_array().unwrap().iter().find(|one| one["name"] == "zones.delete").unwrap();
    assert_eq!((&deletes["held_back"], &deletes["reasons"][0]["level"]), (&true.into(), &"catalog".into()));
    assert_eq!(told["end_reason"], "COMPLETED");
    assert_eq!(world(&stage), before);

    let words = stage.run(&["automation", "dry-run", "Look"]).expect(0).out;
    assert!(words.starts_with("Look: a run would do its work.\n"), "{words}");
    assert!(
        words.contains("Next run: ") && words.contains("│ ") && words.contains("zones.delete"),
        "{words}"
    );
}

#[test]
fn it_repeats_the_latest_run_on_the_data_of_now_and_changes_nothing() {
    let stage = stage("envelope", STORY);
    stage.run(&["automation", "create", "Look", "--message", "Is all well?", "--manual"]).expect(0);
    configure(&stage, "envelope", "1ms");
    stage.run(&["automation", "run", "Look"]).expect(0);
    // From now on everything needs an approval.
    stage.run(&["workspace", "settings", "set", "require_validation=true"]).expect(0);
    let before = world(&stage);
    let told = dry(&stage, &[], 0);
    assert_eq!(told["plays"], "last_run");
    let calls = told["calls"].as_array().unwrap();
    assert_eq!((&calls[0]["command"], &calls[0]["held_back"]), (&"zones.list".into(), &false.into()));
    assert!(calls[0]["content"].as_str().unwrap().contains("Health"), "what it read is of now: {told}");
    assert_eq!(
        (&calls[1]["command"], &calls[1]["waits_for_approval"]),
        (&"zones.create".into(), &true.into())
    );
    assert_eq!(calls[1]["reasons"][0]["level"], "workspace");
    assert!(codes(&told).contains(&"waits"), "{told}");
    assert_eq!(world(&stage), before, "nothing was changed, and nobody is asked anything");
}

#[test]
fn obstacles_are_reported_first() {
    let stage = stage("envelope", STORY);
    let flags = ["--message", "Is all well?", "--every", "1h", "--disabled"];
    stage.run(&[&["automation", "create", "Look"], flags.as_slice()].concat()).expect(0);
    let told = dry(&stage, &[], 1);
    assert_eq!((&told["would_work"], codes(&told).as_slice()), (&false.into(), ["off"].as_slice()));

    // The provider of its runs is removed from the configuration.
    stage.run(&["automation", "enable", "Look"]).expect(0);
    stage.write("entracte.toml", "[providers.other]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n");
    let told = dry(&stage, &[], 1);
    assert_eq!(codes(&told), ["provider"]);
    assert_eq!(told["end_reason"], "COMPLETED", "the rest was played nevertheless");
}

#[test]
fn a_script_says_what_the_model_would_say() {
    let stage = stage("tools", "[[turn]]\ntext = \"Hello.\"\n");
    stage.run(&["automation", "create", "Look", "--message", "Is all well?", "--manual"]).expect(0);
    stage.write_untrusted(
        "what-if.toml",
        "[[turn]]\ntext = \"Away with it.\"\ncalls = [{ name = \"zones_delete\", arguments = { zone_id = \"zon_none\" } }]\n\
         [[turn]]\ntext = \"Done.\"\ncalls = [{ name = \"complete\" }]\n",
    );
    let told = dry(&stage, &["--script", "what-if.toml"], 0);
    assert_eq!((&told["plays"], &told["dialect"]), (&"script".into(), &"tools".into()));
    assert_eq!(told["calls"][0]["command"], "zones.delete");

    stage.write_untrusted("wrong.toml", "[[turn]]\ntxt = \"?\"\n");
    let refused = stage.run(&["automation", "dry-run", "Look", "--script", "wrong.toml"]).expect(2);
    assert!(refused.err.contains("line 2"), "{}", refused.err);
}

/// One turn in which a model requests a zone of this name, as JSON, and continues.
fn makes(name: &str) -> String {
    let action = format!("{{\"type\": \"CREATE_ZONE\", \"params\": {{\"name\": {name}}}}}");
    let said = format!("{{\"pre_text\": \"I make it.\", \"actions\": [{action}], \"keep_control\": true}}");
    format!("[[turn]]\nenvelope = '''{said}'''\n")
}

/// Input: an action that fails, one that the runs may not request, and one that succeeds at the second attempt;
/// expected: the first two are reported as failing in a run, and the last one is not.
#[test]
fn action_failing_in_dry_run_is_reported() {
    let stage = stage("envelope", STORY);
    let create = ["automation", "create", "Look", "--message", "Is all well?", "--manual"];
    stage.run(&create).expect(0);
    let reads = ["automation", "create", "Reader", "--message", "Read.", "--manual"];
    stage.run(&[&reads[..], &["--commands", "zones.list"]].concat()).expect(0);
    let end = "[[turn]]\nenvelope = '''{\"pre_text\": \"Done.\", \"completed\": true}'''\n";
    let (wrong, right) = (makes("3"), makes("\"Health\""));
    let cases = [
        ("Look", format!("{wrong}{end}"), Some("left_out")),
        ("Reader", format!("{right}{end}"), Some("left_out")),
        ("Look", format!("{wrong}{right}{end}"), Some("failed")),
        ("Look", format!("{right}{end}"), None),
    ];
    for (name, script, expected) in cases {
        stage.write_untrusted("what-if.toml", &script);
        let dry_run = ["automation", "dry-run", name, "--script", "what-if.toml"];
        let told = stage.run(&[&["--json"][..], &dry_run].concat()).expect(0).json();
        let found = codes(&told).into_iter().find(|code| ["left_out", "failed"].contains(code));
        assert_eq!((found, &told["end_reason"]), (expected, &"COMPLETED".into()), "{told}");
        let words = stage.run(&dry_run).expect(0).out;
        let verdict = match expected {
            Some("left_out") => "a run would come to its end, but it would not do all that it asks for.",
            Some(_) | None => "a run would do its work.",
        };
        assert!(words.starts_with(&format!("{name}: {verdict}\n")), "{words}");
        let is_named = words.contains("The action zones.create would not be carried out: ");
        assert_eq!(is_named, expected == Some("left_out"), "{words}");
    }
}
