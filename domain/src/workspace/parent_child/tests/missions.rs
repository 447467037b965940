//! Ends of missions, and the reports that callers read.

use crate::agent::AgentEndClass;
use crate::session::EndCausePolicy;
use crate::session::failure::FailureClass;
use crate::time::Millis;

use super::agent_tree_fixture::{ROOT, action, agent, answer, asks, chat, declared, exits};

#[test]
fn mission_exit_returns_its_result_to_the_caller() {
    let mut world = chat();
    world.says(ROOT, agent("Book the invoices.", declared(0)));
    let child = world.child(ROOT);
    assert_eq!((world.label(ROOT), world.label(&child)), ("EXECUTING_ACTIONS", "CALLING_AI"));
    world.says(&child, exits());
    assert_eq!((world.label(ROOT), world.label(&child)), ("CALLING_AI", "COMPLETED"));
    let report = world.last_report();
    for part in [
        r#""status":"MISSION_COMPLETED""#,
        r#""agent":"banker""#,
        r#""child":"ses_r-"#,
        r#""reason":"done""#,
        r#""result":{"booked":3}"#,
        r#""conclusion":"Three are booked.""#,
        r#""rounds":1"#,
    ] {
        assert!(report.contains(part), "{part} is in {report}");
    }
    assert_eq!(world.children(ROOT), [""; 0], "nothing is left of it");
}

#[test]
fn words_only_reply_rests_agent_until_answered() {
    for reply in [("Which month?".into()), asks("Which month?", false)] {
        let mut world = chat();
        world.says(ROOT, agent("Book the invoices.", declared(0)));
        let child = world.child(ROOT);
        world.says(&child, reply);
        assert_eq!((world.label(ROOT), world.label(&child)), ("CALLING_AI", "IDLE"));
        let report = world.last_report();
        assert!(report.contains(r#""status":"TEXT_OUTPUT""#) && report.contains("Which month?"), "{report}");
        world.says(ROOT, answer(&child, "October."));
        assert_eq!((world.label(ROOT), world.label(&child)), ("EXECUTING_ACTIONS", "CALLING_AI"));
        let parent = world.facts(&child).parent.clone();
        assert_eq!(parent.as_ref(), Some(&world.facts(ROOT).children[0].call), "it answers the new call");
        world.says(&child, exits());
        assert_eq!(world.label(ROOT), "CALLING_AI");
        assert!(world.last_report().contains("MISSION_COMPLETED"));
    }
}

#[test]
fn user_question_keeps_the_callers_call_open() {
    let mut world = chat();
    world.says(ROOT, agent("Book the invoices.", declared(0)));
    let child = world.child(ROOT);
    world.says(&child, asks("Which account?", true));
    assert_eq!(
        (world.label(ROOT), world.label(&child)),
        ("EXECUTING_ACTIONS", "WAITING_COMMUNICATION_RESPONSE")
    );
    let answered =
        crate::session::Input::CommunicationResponseReceived { author: "ann".into(), answer: "4711".into() };
    world.act(&child, answered);
    assert_eq!((world.label(ROOT), world.label(&child)), ("EXECUTING_ACTIONS", "CALLING_AI"));
}

#[test]
fn resting_agent_times_out_and_returns_its_budget() {
    let mut world = chat();
    world.says(ROOT, agent("Book the invoices.", declared(0)));
    let child = world.child(ROOT);
    world.says(&child, "Which month?");
    world.says(ROOT, "I do not know either.");
    world.wait(Millis::minutes(14));
    assert_eq!(world.label(&child), "IDLE");
    world.wait(Millis::minutes(1));
    assert_eq!((world.label(&child), world.label(ROOT)), ("COMPLETED", "IDLE"));
    assert_eq!(world.children(ROOT), [""; 0]);
    let spent = world.facts(ROOT).below.spent;
    assert_eq!((spent.agents, spent.rounds), (1, 1), "one agent, one round");
    let cause = world.facts(&child).agent.as_ref().and_then(|agent| agent.cause.clone());
    assert_eq!(cause.map(|cause| cause.class), Some(AgentEndClass::Unanswered));
}

#[test]
fn second_empty_reply_ends_agent() {
    let mut world = chat();
    world.says(ROOT, agent("Book the invoices.", declared(0)));
    let child = world.child(ROOT);
    world.says(&child, "");
    assert_eq!((world.label(ROOT), world.label(&child)), ("EXECUTING_ACTIONS", "CALLING_AI"));
    world.says(&child, " ");
    assert_eq!((world.label(&child), world.last_code().as_str()), ("COMPLETED", "NO_IA_ACTION"));
    let report = world.last_report();
    assert!(report.contains(r#""conclusion":"","reason":"EMPTY_REPLIES","explanation":""#), "{report}");
}

#[test]
fn exhausted_rounds_end_agent_with_partial_report() {
    let mut world = chat();
    world.says(ROOT, agent("Book the invoices.", declared(0)));
    let child = world.child(ROOT);
    for n in 0..7 {
        assert_eq!(world.label(&child), "CALLING_AI", "round {n}");
        world.says(&child, action(n, false));
        world.done(&child);
    }
    assert_eq!((world.label(&child), world.last_code().as_str()), ("COMPLETED", "MAX_TURNS_REACHED"));
    let report = world.last_report();
    assert!(report.contains(r#""last_results":[{"command":"mail.send","status":"succeeded""#), "{report}");
    assert!(report.contains(r#""reason":"ROUNDS","explanation":""#), "{report}");
}

/// Input: the model call of an agent fails in each class that ends it; expected: its caller reads the class and a text
/// of the machine, and none of the provider's words, which are for people.
#[test]
fn failed_agent_reports_class_without_provider_words() {
    for class in [FailureClass::Refused, FailureClass::Misconfigured] {
        let mut world = chat();
        world.says(ROOT, agent("Book the invoices.", declared(0)));
        let child = world.child(ROOT);
        world.fails(&child, class);
        assert_eq!((world.label(&child), world.last_code().as_str()), ("COMPLETED", "ERROR"));
        let report = world.last_report();
        let reason =
            format!(r#""conclusion":"","reason":"{}","explanation":""#, AgentEndClass::from(class).word());
        assert!(report.contains(&reason) && !report.contains("secret words"), "{report}");
    }
}

/// Input: the rules of sessions of before, which record no cause; expected: the report that they had.
#[test]
fn rules_of_before_report_no_cause() {
    let mut world = chat();
    world.change = |rules| rules.end_cause = EndCausePolicy::Omits;
    world.says(ROOT, agent("Book the invoices.", declared(0)));
    let child = world.child(ROOT);
    world.says(&child, "");
    world.says(&child, "");
    let report = world.last_report();
    assert!(report.contains("NO_IA_ACTION") && !report.contains("reason"), "{report}");
    assert_eq!(world.facts(&child).agent.as_ref().and_then(|agent| agent.cause.clone()), None);
}

#[test]
fn exit_beside_commands_is_refused_and_commands_run() {
    let mut world = chat();
    world.says(ROOT, agent("Book the invoices.", declared(0)));
    let child = world.child(ROOT);
    world.says(&child, super::agent_tree_fixture::AgentTreeReply::from(action(1, false)).and_exits());
    assert_eq!(world.label(&child), "EXECUTING_ACTIONS");
    world.done(&child);
    assert_eq!((world.label(ROOT), world.label(&child)), ("EXECUTING_ACTIONS", "CALLING_AI"));
}
