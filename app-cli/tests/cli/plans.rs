//! Mode `plan` through the commands: a plan is proposed, shown, approved, edited or rejected with a reason.

use crate::cli_fixture::CliFixture;

const PLANS: &str = r#"
[[turn]]
envelope = '''{"pre_text": "First a plan.", "actions": [{"type": "PROPOSE_PLAN", "params": {"title": "Follow my weight", "steps": [{"id": "1", "text": "Create the zone Health"}, {"id": "2", "text": "Tell you about it"}]}}], "keep_control": true}'''
[[turn]]
envelope = '''{"pre_text": "I make it.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}, {"type": "PLAN_STEP", "params": {"id": "1", "state": "done"}}], "keep_control": true}'''
[[turn]]
text = "So it is."
"#;

/// A session in mode `plan` that proposed its plan, and the id of the approval.
fn proposed(script: &str) -> (CliFixture, String, String) {
    let stage = CliFixture::with_script(script);
    let asked = stage.run(&["--json", "chat", "--mode", "plan", "--message", "Follow my weight"]).expect(3);
    let session = asked.json()["session"].as_str().unwrap().to_owned();
    let inbox = stage.run(&["--json", "inbox"]).expect(0).json();
    let approval = inbox["items"][0]["id"].as_str().unwrap().to_owned();
    (stage, session, approval)
}

/// Input: a plan, and its approval; expected: the card shows its steps, nothing was done before, and the session shows
/// the progress of the plan.
#[test]
fn a_plan_is_shown_approved_and_followed() {
    let (stage, session, approval) = proposed(PLANS);
    let shown = stage.run(&["inbox"]).expect(0).out;
    assert!(shown.contains("Follow my weight"), "{shown}");
    assert!(stage.run(&["command", "run", "ZONES"]).out.contains("\"total\": 0"));
    let always = stage.run(&["approve", &approval, "--always"]).expect(2);
    assert!(always.err.contains("plan"), "no rule approves plans: {}", always.err);

    let done = stage.run(&["approve", &approval]).expect(0);
    assert_eq!(done.out, "So it is.\n");
    let sheet = stage.run(&["session", "show", &session]).expect(0).out;
    assert!(sheet.contains("Follow my weight") && sheet.contains("Create the zone Health"), "{sheet}");
    let view = stage.run(&["--json", "session", "show", &session]).expect(0).json();
    assert_eq!(view["plan"]["approved_by"], "ann");
    let states = view["plan"]["steps"].as_array().unwrap().iter().map(|step| step["state"].as_str().unwrap());
    assert_eq!(states.collect::<Vec<_>>(), ["done", "open"]);
    let zones = stage.run(&["--json", "command", "run", "ZONES"]).expect(0).json();
    assert_eq!(zones["result"]["zones"][0]["name"], "Health");
    stage.run(&["session", "verify", "--all"]).expect(0);
}

/// Input: a rejection with its reason; expected: the model reads the reason, and its next request is refused as
/// PLAN_FIRST.
#[test]
fn a_rejected_plan_lets_nothing_run() {
    let script = PLANS.replacen(
        "[[turn]]\nenvelope = '''{\"pre_text\": \"I make",
        "[[turn]]\nexpect = \"only the weight\"\nenvelope = '''{\"pre_text\": \"I make",
        1,
    );
    let script = script.replace("[[turn]]\ntext", "[[turn]]\nexpect = \"PLAN_FIRST\"\ntext");
    let (stage, session, approval) = proposed(&script);
    let done = stage.run(&["reject", &approval, "--reason", "only the weight, no zone"]).expect(0);
    assert_eq!(done.out, "So it is.\n");
    assert!(stage.run(&["command", "run", "ZONES"]).out.contains("\"total\": 0"));
    let view = stage.run(&["--json", "session", "show", &session]).expect(0).json();
    assert!(view["plan"].is_null(), "{view}");
}

/// Input: an approval of a plan with one step less; expected: that plan counts.
#[test]
fn a_plan_is_changed_with_the_approval() {
    let (stage, session, approval) = proposed(PLANS);
    let one = r#"{"title": "Only the zone", "steps": [{"id": "1", "text": "Create the zone Health"}]}"#;
    stage.run(&["approve", &approval, "--edit", one]).expect(0);
    let view = stage.run(&["--json", "session", "show", &session]).expect(0).json();
    assert_eq!(view["plan"]["title"], "Only the zone");
    assert_eq!(view["plan"]["steps"].as_array().unwrap().len(), 1);
}
