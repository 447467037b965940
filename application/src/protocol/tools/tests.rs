//! The parsing of native replies.

use entracte_domain::command::CommandKind;
use entracte_domain::question::Question;
use entracte_domain::session::SessionKind;

use super::{NativeToolReply, declarations, parse_tool_reply};
use crate::command_naming::BUILT_NAMES;
use crate::commands::Catalog;
use crate::kit::{CREATE, catalog};
use crate::ports::{ModelReply, NativeCall, ReplyEnd};
use crate::protocol::tools::tool_name;
use crate::settings::Language;

fn call(id: &str, name: &str, arguments: &str) -> NativeCall {
    NativeCall { provider_call_id: id.into(), name: name.into(), arguments: arguments.into() }
}

fn reading(catalog: &Catalog, calls: Vec<NativeCall>) -> NativeToolReply {
    let reply = ModelReply {
        text: "I see.".into(),
        calls,
        end: ReplyEnd::Done,
        usage: None,
        model: None,
        raw: None,
        request_id: None,
        body_digest: None,
    };
    parse_tool_reply(catalog, &reply, Language::En)
}

#[test]
fn a_question_stands_alone() {
    let catalog = catalog();
    let asks = call("1", "ask_user", r#"{"question": "Which?", "options": ["a", "b"], "allow_other": true}"#);
    let alone = reading(&catalog, vec![asks.clone()]);
    let options = vec!["a".to_owned(), "b".to_owned()];
    let expected = Question::MultipleChoice { question: "Which?".into(), options, allow_other: true };
    assert_eq!(alone.message.question, Some(expected));
    assert_eq!(alone.message.own_calls[0].answer, None, "a person answers");
    let beside = reading(&catalog, vec![asks.clone(), call("2", &tool_name(CREATE), "{}")]);
    assert_eq!(beside.message.question, None);
    assert!(beside.message.own_calls[0].answer.as_ref().is_some_and(|(_, is_error)| *is_error));
    assert_eq!(beside.asked.len(), 1);
    assert_eq!(reading(&catalog, vec![asks.clone(), asks]).message.question, None, "two questions are none");
}

#[test]
fn question_options_are_nonempty_and_distinct() {
    let catalog = catalog();
    for options in [r#"["a", " "]"#, r#"["a", "A"]"#, r#"["yes", "no", "yes"]"#] {
        let asks = call("1", "ask_user", &format!(r#"{{"question": "Which?", "options": {options}}}"#));
        let said = reading(&catalog, vec![asks]);
        assert_eq!(said.message.question, None, "{options}");
        assert_eq!(said.faults.len(), 1, "{options}");
        assert_eq!(said.faults[0].code, "bad_question");
    }
}

#[test]
fn invalid_question_is_a_reply_fault() {
    let catalog = catalog();
    for arguments in [r#"{"question": " "}"#, r#"{"question": "Which?", "options": ["a"]}"#, "no JSON"] {
        let found = reading(&catalog, vec![call("1", "ask_user", arguments)]);
        assert_eq!(found.faults.len(), 1, "{arguments}");
        assert_eq!(found.message.question, None, "{arguments}");
    }
    let yes_no = reading(&catalog, vec![call("1", "ask_user", r#"{"question": "Go on?"}"#)]);
    assert_eq!(yes_no.message.question, Some(Question::Validation { message: "Go on?".into() }));
}

#[test]
fn completion_and_plan_run_nothing() {
    let steps = r#"{"steps": ["read", "write"]}"#;
    let found = reading(&catalog(), vec![call("1", "complete", "{}"), call("2", "plan", steps)]);
    assert!(found.message.completed);
    assert_eq!(found.message.plan, ["read", "write"]);
    assert_eq!(found.asked, []);
    assert!(found.message.own_calls.iter().all(|own| own.answer.is_some()), "each has its one answer");
}

#[test]
fn approval_request_is_removed_from_arguments() {
    let with_wish = call("1", &tool_name(CREATE), r#"{"a": 1, "request_validation": true}"#);
    let found = reading(&catalog(), vec![with_wish]);
    assert!(found.asked[0].wishes_approval);
    assert_eq!(found.asked[0].command.arguments.to_json(), r#"{"a":1}"#);
}

/// Input: calls through `run_command`: by the name of a tool or a command, with a wish for approval outside or inside of
/// the arguments, and with arguments at the wrong place; expected: the command itself, and never an empty object in the
/// place of misplaced arguments.
#[test]
fn wrapped_call_is_command_itself() {
    let catalog = catalog();
    let found = |arguments: &str| {
        let found = reading(&catalog, vec![call("1", "run_command", arguments)]).asked.remove(0);
        (found.command.name, found.command.arguments.to_json(), found.wishes_approval)
    };
    let tool = tool_name(CREATE);
    let plain = (CREATE.to_owned(), r#"{"a":1}"#.to_owned(), false);
    assert_eq!(found(&format!(r#"{{"name": "{tool}", "arguments": {{"a": 1}}}}"#)), plain);
    assert_eq!(found(&format!(r#"{{"name": "{CREATE}", "arguments": "{{\"a\": 1}}"}}"#)), plain);
    let wishes = (plain.0.clone(), plain.1.clone(), true);
    let outside = format!(r#"{{"name": "{tool}", "arguments": {{"a": 1}}, "request_validation": true}}"#);
    assert_eq!(found(&outside), wishes);
    let inside = format!(r#"{{"name": "{tool}", "arguments": {{"a": 1, "request_validation": true}}}}"#);
    assert_eq!(found(&inside), wishes);
    let (name, arguments, _) = found(&format!(r#"{{"name": "{tool}", "a": 1}}"#));
    assert_eq!(name, CREATE);
    assert!(arguments.starts_with('"'), "a text, which no schema accepts: {arguments}");
    assert_eq!(found("{}").0, "run_command");
}

/// Input: a call by the name of its tool; expected: its command, found without building the names of other commands.
#[test]
fn call_is_found_without_building_names() {
    let (catalog, tool) = (catalog(), tool_name(CREATE));
    let before = BUILT_NAMES.get();
    let found = reading(&catalog, vec![call("1", &tool, "{}"), call("2", "no_such_tool", "{}")]);
    let names: Vec<&str> = found.asked.iter().map(|asked| asked.command.name.as_str()).collect();
    assert_eq!(names, [CREATE, "no_such_tool"]);
    assert_eq!(BUILT_NAMES.get(), before);
}

#[test]
fn each_kind_of_session_has_its_own_tools() {
    let specs = catalog().specs();
    let own = |kind| {
        let all = declarations(&specs, kind, Language::En);
        all.into_iter().skip(specs.len()).map(|tool| tool.name).collect::<Vec<_>>()
    };
    assert_eq!(own(SessionKind::Chat), ["ask_user", "plan"]);
    assert_eq!(own(SessionKind::Automation), ["complete", "plan", "TERMINATE_TASK"]);
    assert_eq!(own(SessionKind::Agent), ["EXIT_WITH_RESULT", "ASK_PRINCIPAL_AGENT", "ask_user", "plan"]);
    for (spec, tool) in specs.iter().zip(declarations(&specs, SessionKind::Chat, Language::Fr)) {
        let takes_wish = tool.schema.pointer("/properties/request_validation").is_some();
        assert_eq!(takes_wish, spec.kind == CommandKind::Action, "{}", spec.name);
    }
}

#[test]
fn tool_name_suits_every_provider() {
    assert_eq!(tool_name("tool_data.batch_create"), "tool_data_batch_create");
    assert_eq!(tool_name("été 1"), "_t__1");
    assert_eq!(tool_name(""), "_");
    assert_eq!(tool_name(&"x".repeat(100)).len(), 64);
}
