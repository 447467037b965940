//! Neutral request to the body of a Responses call.
//!
//! Pure. Nothing is stored at the provider: items of earlier answers go back byte for byte, with their encrypted
//! reasoning.

use std::borrow::Cow;

use entracte_application::ports::{
    AssistantTurn, CommandUse, ModelRequest, OutputShape, ToolDeclaration, Turn, UserPart,
};

use serde_json::Error;

use super::wire::{Format, Head, InputText, Item, Reasoning, Rest, TextConfig, Tool};
use crate::body::{closed, opened, push};
use crate::config::StructuredOutput;
use crate::dialect::Settings;
use crate::schema_fit::{Rule, fits, without_draft};
use crate::text::{elements_of, is_blank};

/// The beginning of a body, with the instructions.
pub(super) fn opening(request: &ModelRequest) -> Result<Vec<u8>, Error> {
    opened(&Head { model: &request.model, instructions: request.system.join("\n\n") }, "input")
}

/// Writes the items of a turn.
pub(super) fn turn(turn: &Turn, settings: &Settings, list: &mut Vec<u8>) -> Result<(), Error> {
    items(turn, settings.profile.raw_dialect).iter().try_for_each(|item| push(list, item))
}

/// What follows the input.
pub(super) fn rest(request: &ModelRequest, settings: &Settings) -> Result<Vec<u8>, Error> {
    closed(&Rest {
        tools: request.tools.iter().map(tool).collect(),
        tool_choice: (request.commands == CommandUse::None && !request.tools.is_empty()).then_some("none"),
        text: format(&request.output, settings).map(|format| TextConfig { format }),
        reasoning: settings.effort.as_deref().map(|effort| Reasoning { effort }),
        max_output_tokens: settings.max_output_tokens,
        service_tier: settings.service_tier.as_deref(),
        temperature: settings.temperature,
        top_p: settings.top_p,
        prompt_cache_key: request.session.as_str(),
        include: ["reasoning.encrypted_content"],
        store: false,
        stream: settings.stream,
    })
}

fn items<'a>(turn: &'a Turn, dialect: &str) -> Vec<Item<'a>> {
    match turn {
        Turn::User(parts) => user_items(parts),
        Turn::Assistant(turn) => assistant_items(turn, dialect),
    }
}

fn user_items(parts: &[UserPart]) -> Vec<Item<'_>> {
    let mut items: Vec<Item<'_>> = parts.iter().filter_map(output).collect();
    let content: Vec<InputText<'_>> = parts.iter().filter_map(input_text).collect();
    if !content.is_empty() {
        items.push(Item::User { role: "user", content });
    }
    items
}

fn output(part: &UserPart) -> Option<Item<'_>> {
    let UserPart::Result { provider_call_id, content, is_error } = part else { return None };
    // There is no field for an error: the text must say so.
    let output = if *is_error { Cow::Owned(format!("Error: {content}")) } else { Cow::Borrowed(&**content) };
    Some(Item::Output { kind: "function_call_output", call_id: provider_call_id, output })
}

fn input_text(part: &UserPart) -> Option<InputText<'_>> {
    match part {
        UserPart::Text(text) | UserPart::System(text) if !is_blank(text) => {
            Some(InputText { kind: "input_text", text })
        }
        _ => None,
    }
}

fn assistant_items<'a>(turn: &'a AssistantTurn, dialect: &str) -> Vec<Item<'a>> {
    if let Some(items) = elements_of(turn.raw.as_ref(), dialect) {
        return items.into_iter().map(Item::Raw).collect();
    }
    let words = (!is_blank(&turn.text)).then_some(Item::Assistant { role: "assistant", content: &turn.text });
    let calls = turn.calls.iter().map(|call| Item::Call {
        kind: "function_call",
        call_id: &call.provider_call_id,
        name: &call.name,
        arguments: &call.arguments,
    });
    words.into_iter().chain(calls).collect()
}

fn tool(tool: &ToolDeclaration) -> Tool<'_> {
    Tool {
        kind: "function",
        name: &tool.name,
        description: &tool.description,
        parameters: &tool.schema,
        // Commands have optional arguments, which strict schemas cannot have; they are checked by us anyway.
        strict: false,
    }
}

fn format<'a>(output: &'a OutputShape, settings: &Settings) -> Option<Format<'a>> {
    let OutputShape::Json { name, schema } = output else { return None };
    match settings.structured_output {
        StructuredOutput::None => None,
        StructuredOutput::Schema if fits(schema, Rule::ClosedAndRequired) => {
            Some(Format::JsonSchema { name, schema: without_draft(schema), strict: true })
        }
        StructuredOutput::Schema | StructuredOutput::Json => Some(Format::JsonObject),
    }
}
