use serde_json::json;

use super::*;
use crate::texts::{Language, LocalizedTexts};

fn declared(change: serde_json::Value) -> AgentDeclaration {
    let mut whole = json!({
        "description": "Finds the jobs that are open.",
        "instructions": { "role": "You maintain the jobs of the company." },
        "commands": ["tool_data.*"],
    });
    let (Some(fields), serde_json::Value::Object(change)) = (whole.as_object_mut(), change) else {
        panic!("not an object");
    };
    fields.extend(change);
    serde_json::from_value::<AgentDeclaration>(whole).unwrap().with_name("JobManager")
}

#[test]
fn invalid_declaration_is_refused_with_value() {
    let says = |agent: &AgentDeclaration| agent.check().unwrap_err().to_string();
    assert_eq!(declared(json!({})).check(), Ok(()));
    let named = |name: &str| says(&declared(json!({})).with_name(name));
    assert!(named("job manager").contains("“job manager”"), "{}", named("job manager"));
    assert!(named("").contains("name"), "{}", named(""));
    let cases = [
        (json!({"description": " "}), "description"),
        (json!({"instructions": {"role": ""}}), "instructions.role"),
        (json!({"model": "small"}), "“small”"),
        (json!({"commands": ["zones list"]}), "“zones list”"),
        (json!({"limits": {"rounds": 0}}), "limits.rounds"),
        (json!({"result_schema": {"type": "string"}}), "result_schema.type"),
        (
            json!({"result_schema": {"type": "object", "properties": {"a": {"type": "nothing"}}}}),
            "result_schema",
        ),
    ];
    for (change, expected) in cases {
        let said = says(&declared(change.clone()));
        assert!(said.contains(expected) && said.contains("JobManager"), "{change}: {said}");
    }
}

#[test]
fn an_unknown_key_is_refused() {
    let read = |value| serde_json::from_value::<AgentDeclaration>(value).unwrap_err().to_string();
    let fault = read(json!({"description": "d", "instructions": {"role": "r"}, "tools": []}));
    assert!(fault.contains("unknown field `tools`"), "{fault}");
}

#[test]
fn any_change_of_declaration_changes_version_input() {
    let plain = declared(json!({}));
    let changes = [
        json!({"description": "Another."}),
        json!({"instructions": {"role": "Another."}}),
        json!({"commands": ["*"]}),
        json!({"limits": {"rounds": 2}}),
        json!({"result_schema": {"type": "object"}}),
        json!({"provider": "groq"}),
    ];
    for change in changes {
        assert_ne!(declared(change.clone()).canonical(), plain.canonical(), "{change}");
    }
    assert_ne!(plain.clone().with_name("TaskManager").canonical(), plain.canonical());
    assert_eq!(declared(json!({})).canonical(), plain.canonical());
}

#[test]
fn instruction_parts_are_titled_and_empty_omitted() {
    let instructions = AgentInstructions {
        role: "You maintain jobs.\n".into(),
        report: "The open jobs.".into(),
        ..AgentInstructions::default()
    };
    assert_eq!(
        instructions.text(LocalizedTexts::for_language(Language::En)),
        "ROLE\nYou maintain jobs.\n\nREPORT\nThe open jobs."
    );
}
