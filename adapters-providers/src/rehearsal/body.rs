//! What a rehearsal would send: the request as JSON, with its fields in this order.

use std::sync::Arc;

use entracte_application::ports::{
    CommandRequestPolicy, ModelRequest, NativeCall, OutputShape, PromptTurn, UserTurnPart,
};
use serde::Serialize;
use serde_json::Value;

/// The body of a call.
pub(super) fn body(request: &ModelRequest, model: &str) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&Body {
        session: request.session.as_str(),
        model,
        system: &request.system,
        turns: request.turns.iter().map(|turn| turn_line(turn)).collect(),
        tools: request.tools.iter().map(|tool| Tool(&tool.name, &tool.description, &tool.schema)).collect(),
        commands: request.commands == CommandRequestPolicy::Allowed,
        output: match &request.output {
            OutputShape::Text => None,
            OutputShape::Json { name, schema } => Some(Shape { name, schema }),
        },
    })
}

#[derive(Serialize)]
struct Body<'a> {
    session: &'a str,
    model: &'a str,
    system: &'a [Arc<str>],
    turns: Vec<Line<'a>>,
    tools: Vec<Tool<'a>>,
    commands: bool,
    output: Option<Shape<'a>>,
}

/// Name, description, schema.
#[derive(Serialize)]
struct Tool<'a>(&'a str, &'a str, &'a Value);

#[derive(Serialize)]
struct Shape<'a> {
    name: &'a str,
    schema: &'a Value,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    User(Vec<Part<'a>>),
    Assistant { text: &'a str, calls: Vec<Asked<'a>>, raw: Option<&'a str> },
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Part<'a> {
    Text(&'a str),
    System(&'a str),
    Result { call: &'a str, content: &'a str, is_error: bool },
}

/// Id, name, arguments.
#[derive(Serialize)]
struct Asked<'a>(&'a str, &'a str, &'a str);

fn turn_line(turn: &PromptTurn) -> Line<'_> {
    match turn {
        PromptTurn::User(parts) => Line::User(parts.iter().map(part).collect()),
        PromptTurn::Assistant(said) => Line::Assistant {
            text: &said.text,
            calls: said.calls.iter().map(asked).collect(),
            raw: said.raw.as_ref().map(|raw| raw.bytes.as_str()),
        },
    }
}

fn part(part: &UserTurnPart) -> Part<'_> {
    match part {
        UserTurnPart::Text(text) => Part::Text(text),
        UserTurnPart::System(text) => Part::System(text),
        UserTurnPart::Result { provider_call_id, name: _, content, is_error } => {
            Part::Result { call: provider_call_id, content, is_error: *is_error }
        }
    }
}

fn asked(call: &NativeCall) -> Asked<'_> {
    Asked(&call.provider_call_id, &call.name, &call.arguments)
}
