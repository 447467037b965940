//! The body of a rehearsal: the request as JSON, with its fields in this order.

use std::sync::Arc;

use entracte_application::ports::{
    CommandRequestPolicy, ModelRequest, NativeCall, OutputShape, PromptTurn, UserTurnPart,
};
use entracte_application::schema::SchemaDocument;
use serde::Serialize;

/// Encodes the body of a call.
pub(super) fn body(request: &ModelRequest, model: &str) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&RehearsalBody {
        session: request.session.as_str(),
        model,
        system: &request.system,
        turns: request.turns.iter().map(|turn| turn_line(turn)).collect(),
        tools: request
            .tools
            .iter()
            .map(|tool| RehearsalTool(&tool.name, &tool.description, &tool.schema))
            .collect(),
        commands: request.commands == CommandRequestPolicy::Allowed,
        output: match &request.output {
            OutputShape::Text => None,
            OutputShape::Json { name, schema } => Some(RehearsalOutput { name, schema }),
        },
    })
}

#[derive(Serialize)]
struct RehearsalBody<'a> {
    session: &'a str,
    model: &'a str,
    system: &'a [Arc<str>],
    turns: Vec<RehearsalTurn<'a>>,
    tools: Vec<RehearsalTool<'a>>,
    commands: bool,
    output: Option<RehearsalOutput<'a>>,
}

/// Name, description and schema of a tool.
#[derive(Serialize)]
struct RehearsalTool<'a>(&'a str, &'a str, &'a SchemaDocument);

#[derive(Serialize)]
struct RehearsalOutput<'a> {
    name: &'a str,
    schema: &'a SchemaDocument,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum RehearsalTurn<'a> {
    User(Vec<RehearsalPart<'a>>),
    Assistant { text: &'a str, calls: Vec<RehearsalCall<'a>>, raw: Option<&'a str> },
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum RehearsalPart<'a> {
    Text(&'a str),
    System(&'a str),
    Result {
        call: &'a str,
        content: &'a str,
        is_error: bool,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        files: Vec<&'a str>,
    },
    File(&'a str),
}

/// Id, name and arguments of a call.
#[derive(Serialize)]
struct RehearsalCall<'a>(&'a str, &'a str, &'a str);

fn turn_line(turn: &PromptTurn) -> RehearsalTurn<'_> {
    match turn {
        PromptTurn::User(parts) => RehearsalTurn::User(parts.iter().map(part).collect()),
        PromptTurn::Assistant(said) => RehearsalTurn::Assistant {
            text: &said.text,
            calls: said.calls.iter().map(asked).collect(),
            raw: said.raw.as_ref().map(|raw| raw.bytes.as_str()),
        },
    }
}

fn part(part: &UserTurnPart) -> RehearsalPart<'_> {
    match part {
        UserTurnPart::Text(text) => RehearsalPart::Text(text),
        UserTurnPart::System(text) => RehearsalPart::System(text),
        UserTurnPart::Result { provider_call_id, name: _, content, is_error, files } => {
            RehearsalPart::Result {
                call: provider_call_id,
                content,
                is_error: *is_error,
                files: files.iter().map(|file| file.digest.as_str()).collect(),
            }
        }
        UserTurnPart::File(file) => RehearsalPart::File(file.digest.as_str()),
    }
}

fn asked(call: &NativeCall) -> RehearsalCall<'_> {
    RehearsalCall(&call.provider_call_id, &call.name, &call.arguments)
}
