//! Examples of requests, which the server accepts as they stand.

use serde_json::{Value, json};

/// Adds the examples to the operations of a document.
pub(super) fn add_examples(operation: &mut Value) {
    let name = operation["operationId"].as_str().unwrap_or_default();
    let (body, parameters) = (example_body(name), example_parameters(name));
    if let Some(body) = body {
        operation["requestBody"]["content"]["application/json"]["example"] = body;
    }
    let all = operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten();
    for parameter in all {
        let example = parameters.iter().find(|(name, _)| parameter["name"] == *name);
        if let Some((_, example)) = example {
            parameter["example"] = (*example).into();
        }
    }
}

fn example_body(operation: &str) -> Option<Value> {
    Some(match operation {
        "start_chat" => json!({ "name": "Errands", "require_validation": true }),
        "send_message" => json!({ "text": "Make a zone." }),
        "create_automation" => {
            json!({ "name": "Nightly", "trigger": { "type": "manual" }, "message": "Sum up the day." })
        }
        "hold_retention" => json!({ "reason": "The auditor looks at it." }),
        "snooze_items" => json!({ "items": ["apr_ses_1_1_0"], "until": "tomorrow" }),
        "wake_items" => json!({ "items": ["apr_ses_1_1_0"] }),
        "assign_items" => json!({ "items": ["apr_ses_1_1_0"], "person": "eve" }),
        "add_rule" => json!({ "command": "zones.delete", "denies": "Zones stay." }),
        "add_target" => json!({ "name": "desk", "ntfy": "https://ntfy.sh/my-topic" }),
        "add_person" => json!({ "name": "eve" }),
        "create_token" => json!({ "person": "ann", "name": "phone", "scopes": ["read", "chat"] }),
        "open_terminal_login" => json!({ "name": "ann@laptop" }),
        "create_ticket" => json!({ "path": "/v1/workspaces/local:main/events" }),
        "add_zone" => json!({ "name": "Health" }),
        "change_tool" => json!({ "name": "Weight in kg" }),
        "add_entry" => json!({ "data": { "value": 72.5 } }),
        "answer_question" => json!({ "text": "red" }),
        "propose_text" => json!({ "key": "hours", "version": 0, "text": "We close at 18.\n" }),
        "change_workspace_instructions"
        | "change_automation_instructions"
        | "change_session_instructions" => {
            json!({ "text": "Answer in French." })
        }
        "change_setting" => json!({ "value": "Europe/Paris" }),
        "run_agent" => json!({
            "threadId": "8d5e2c1e-6f0e-4a53-9d0e-0c1f6a3f1b11",
            "runId": "run-1",
            "messages": [{ "id": "m-1", "role": "user", "content": "Make a zone." }],
        }),
        _ => return None,
    })
}

fn example_parameters(operation: &str) -> &'static [(&'static str, &'static str)] {
    match operation {
        "change_setting" => &[("key", "zone")],
        "preview_schedule" => &[("cron", "0 9 * * 1"), ("zone", "Europe/Paris")],
        _ => &[],
    }
}
