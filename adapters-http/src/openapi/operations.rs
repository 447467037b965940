//! What every operation of the document says beside its own: its answers in words, its refusals, its tags, the bounds of
//! its parameters.

use serde_json::{Value, json};

use super::examples::add_examples;
use crate::pagination::{LIMIT, LIMIT_MAX};
use crate::problem::MEDIA_TYPE;

/// The groups of operations, in the order in which a reader meets them.
const TAGS: [(&str, &str); 29] = [
    ("server", "Health, metrics, and the logins of the console and of terminals."),
    ("workspaces", "The workspaces that a token reaches."),
    ("sessions", "Chats and runs: their messages, their stream, their control."),
    ("approvals", "What waits for a person's decision, with its card."),
    ("inbox", "All that waits for a person in a workspace."),
    ("calls", "The calls of a session, and what became of them."),
    ("model-calls", "The calls of models, with their prompts and costs."),
    ("events", "Streams of a workspace, tickets for them, presence, AG-UI."),
    ("automations", "Work that begins by itself, and its occurrences."),
    ("agents", "The agents that models may call."),
    ("tasks", "Long tasks that other services work on."),
    ("commands", "What sessions may do."),
    ("rules", "Standing approvals."),
    ("costs", "What models have cost."),
    ("data", "The workspace's own data: zones, tools and entries."),
    ("documents", "Documents, and the search in them."),
    ("files", "Images, PDFs and texts that go with messages."),
    ("knowledge", "Vectors for the search by meaning."),
    ("texts", "Texts that all sessions share."),
    ("instructions", "Instructions of a workspace, an automation or a session."),
    ("settings", "Settings of a workspace."),
    ("retention", "How long a workspace keeps what it stores, and what people hold."),
    ("secrets", "A person's own secrets."),
    ("targets", "Where notifications go."),
    ("tokens", "People, their tokens and invitations."),
    ("providers", "The providers of models."),
    ("links", "Links in notifications, which decide without a login."),
    ("callbacks", "Reports of other services about their tasks."),
    ("admin", "The care of the server and its database."),
];

/// Completes all operations of a document.
pub(super) fn complete_operations(document: &mut Value) {
    document["servers"] = json!([{ "url": "/", "description": "This server." }]);
    document["info"]["license"] = json!({ "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" });
    document["tags"] =
        TAGS.iter().map(|(name, description)| json!({ "name": name, "description": description })).collect();
    document["components"]["responses"]["Problem"] = json!({
        "description": "A problem: why the request was refused, and what can be done.",
        "content": { MEDIA_TYPE: { "schema": { "$ref": "#/components/schemas/Problem" } } },
    });
    let Some(paths) = document["paths"].as_object_mut() else { return };
    for (method, operation) in paths.values_mut().filter_map(Value::as_object_mut).flatten() {
        describe_answers(operation);
        add_refusals(method, operation);
        add_examples(operation);
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        for parameter in parameters.into_iter().flatten() {
            bound_parameter(parameter);
        }
        if operation["security"].is_null() {
            operation["security"] = json!([]);
        }
    }
}

/// Gives each answer a description.
fn describe_answers(operation: &mut Value) {
    let summary = operation["summary"].as_str().map(str::to_owned);
    let Some(responses) = operation["responses"].as_object_mut() else { return };
    let is_only = responses.keys().filter(|status| status.starts_with('2')).count() == 1;
    for (status, response) in responses.iter_mut() {
        let is_described = response["description"].as_str().is_some_and(|text| !text.is_empty());
        if is_described || response.get("$ref").is_some() {
            continue;
        }
        let description = match (status.as_str(), &summary) {
            ("200", Some(summary)) if is_only => summary,
            ("201", _) => "Created.",
            ("202", _) => "Accepted: the work goes on after the answer.",
            ("204", _) => "Done; the answer has no body.",
            (_, _) => "Done.",
        };
        response["description"] = description.into();
    }
}

/// Lists the problems that an operation may answer with. Each by its number: generators that write a range of statuses
/// into their code make code that does not compile.
fn add_refusals(method: &str, operation: &mut Value) {
    let is_scoped = operation["x-scope"].is_string();
    let has_body = !operation["requestBody"].is_null();
    let parameters = operation["parameters"].as_array();
    let is_conditional =
        parameters.is_some_and(|all| all.iter().any(|parameter| parameter["name"] == "If-Match"));
    let refusals = [
        (true, &["400", "404", "429", "500", "503", "default"][..]),
        (is_scoped, &["401", "403"]),
        (method != "get", &["409", "422"]),
        (has_body, &["413", "415"]),
        (is_conditional, &["412", "428"]),
    ];
    let Some(responses) = operation["responses"].as_object_mut() else { return };
    let statuses = refusals.into_iter().filter(|(may, _)| *may).flat_map(|(_, statuses)| statuses);
    for status in statuses {
        let problem = || json!({ "$ref": "#/components/responses/Problem" });
        responses.entry(*status).or_insert_with(problem);
    }
}

/// Says the bounds that the server checks.
fn bound_parameter(parameter: &mut Value) {
    // A parameter that may be left out is never null.
    if let Some(types) = parameter["schema"]["type"].as_array() {
        let mut types: Vec<Value> = types.iter().filter(|word| *word != "null").cloned().collect();
        parameter["schema"]["type"] = if types.len() == 1 { types.remove(0) } else { types.into() };
    }
    let place = parameter["in"].as_str().unwrap_or_default();
    match (place, parameter["name"].as_str().unwrap_or_default()) {
        // A search has a bound of its own.
        ("query", "limit") if is_page_limit(parameter) => {
            let bounds = json!({
                "type": "integer", "format": "int32", "minimum": 1, "maximum": LIMIT_MAX, "default": LIMIT,
            });
            parameter["schema"] = bounds;
        }
        ("path", "w") => parameter["schema"]["pattern"] = r"^[^:\s]+:\S+$".into(),
        (_, _) => {}
    }
}

fn is_page_limit(parameter: &Value) -> bool {
    parameter["description"].as_str().is_some_and(|text| text.contains(&format!("1 to {LIMIT_MAX}")))
}
