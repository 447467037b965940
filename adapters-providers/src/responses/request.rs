//! Encodes a neutral request as the body of a Responses call.
//!
//! Pure. Nothing is stored at the provider: items of earlier answers are sent back byte for byte, with their encrypted
//! reasoning.

use entracte_application::ports::{
    AssistantTurn, FileContents, ModelRequest, OutputShape, PromptTurn, ToolDeclaration, UserTurnPart,
};

use serde_json::Error;

use super::wire::{CallOutput, Format, Head, InputPart, Item, Reasoning, Rest, TextConfig, Tool};
use crate::encoder_settings::EncoderSettings;
use crate::encoder_version::EncoderVersion;
use crate::prompt_files::{SentFile, sent_file};
use crate::provider_kind::StructuredOutput;
use crate::request_body::{begin_array, end_object, push_element};
use crate::schema_fit::SchemaRule;
use crate::schema_narrowing::enforceable_schema;
use crate::text::{arguments, elements_of, is_blank, result_content};

/// Writes the beginning of a body, with the instructions and the tools.
pub(super) fn opening(request: &ModelRequest, settings: &EncoderSettings) -> Result<Vec<u8>, Error> {
    let (tools, text) = settings.declared_before_turns(|| declarations(request, settings));
    let instructions = request.system.join("\n\n");
    let mut bytes = begin_array(&Head { model: &request.model, instructions, tools, text }, "input")?;
    // With `json_object` an input item must contain the word JSON; the instructions do not count. An item in front
    // changes none of the later bytes.
    if settings.writing >= EncoderVersion::V2
        && let Some(Format::JsonObject) = format(&request.output, settings)
    {
        let content = vec![InputPart::Text { text: JSON_WORDS.into() }];
        push_element(&mut bytes, &Item::User { role: "developer", content })?;
    }
    Ok(bytes)
}

const JSON_WORDS: &str = "Answer with one JSON object.";

/// Writes the items of a turn.
pub(super) fn turn(
    turn: &PromptTurn,
    files: &FileContents,
    settings: &EncoderSettings,
    list: &mut Vec<u8>,
) -> Result<(), Error> {
    items(turn, files, settings).iter().try_for_each(|item| push_element(list, item))
}

/// Writes the fields after the input, to the end of the body.
pub(super) fn rest(request: &ModelRequest, settings: &EncoderSettings) -> Result<Vec<u8>, Error> {
    let (tools, text) = settings.declared_after_turns(|| declarations(request, settings));
    let rest = Rest {
        tools,
        tool_choice: settings.withholds(request).then_some("none"),
        parallel_tool_calls: settings.parallel(request),
        text,
        reasoning: reasoning(&request.model, settings),
        max_output_tokens: settings.max_output_tokens,
        service_tier: settings.service_tier.as_deref(),
        temperature: settings.temperature,
        top_p: settings.top_p,
        prompt_cache_key: settings.cache_key_of(&request.session),
        include: ["reasoning.encrypted_content"],
        store: false,
        stream: settings.stream,
    };
    end_object(&rest, settings.extra_body.as_deref())
}

/// The tools and the output format.
fn declarations<'a>(
    request: &'a ModelRequest,
    settings: &EncoderSettings,
) -> (Vec<Tool<'a>>, Option<TextConfig<'a>>) {
    let tools = request.tools.iter().map(|declared| tool(declared, settings)).collect();
    (tools, format(&request.output, settings).map(|format| TextConfig { format }))
}

/// Requests reasoning summaries, because a reasoning model otherwise sends nothing for minutes.
fn reasoning<'a>(model: &str, settings: &'a EncoderSettings) -> Option<Reasoning<'a>> {
    let effort = settings.effort.as_deref();
    let sums_up = settings.reasoning_summary && settings.profile.family(model).reasons(model, effort);
    let summary = sums_up.then_some("auto");
    (effort.is_some() || summary.is_some()).then_some(Reasoning { effort, summary })
}

fn items<'a>(turn: &'a PromptTurn, files: &FileContents, settings: &EncoderSettings) -> Vec<Item<'a>> {
    match turn {
        PromptTurn::User(parts) => user_items(parts, files, settings),
        PromptTurn::Assistant(turn) => assistant_items(turn, settings),
    }
}

fn user_items<'a>(
    parts: &'a [UserTurnPart],
    files: &FileContents,
    settings: &EncoderSettings,
) -> Vec<Item<'a>> {
    let mut items: Vec<Item<'_>> = parts.iter().filter_map(|part| output(part, files, settings)).collect();
    let content: Vec<InputPart<'_>> =
        parts.iter().filter_map(|part| input_part(part, files, settings)).collect();
    if !content.is_empty() {
        items.push(Item::User { role: "user", content });
    }
    items
}

fn output<'a>(part: &'a UserTurnPart, files: &FileContents, settings: &EncoderSettings) -> Option<Item<'a>> {
    let UserTurnPart::Result { provider_call_id, name: _, content, is_error, files: brought } = part else {
        return None;
    };
    let text = result_content(content, *is_error);
    let sent: Vec<SentFile<'_>> =
        brought.iter().filter_map(|file| sent_file(file, files, settings)).collect();
    let output = if sent.is_empty() {
        CallOutput::Text(text)
    } else {
        let text = std::iter::once(InputPart::Text { text });
        CallOutput::Parts(text.chain(sent.into_iter().map(file_part)).collect())
    };
    Some(Item::Output { kind: "function_call_output", call_id: provider_call_id, output })
}

fn input_part<'a>(
    part: &'a UserTurnPart,
    files: &FileContents,
    settings: &EncoderSettings,
) -> Option<InputPart<'a>> {
    match part {
        UserTurnPart::Text(text) | UserTurnPart::System(text) if !is_blank(text) => {
            Some(InputPart::Text { text: text.into() })
        }
        UserTurnPart::File(file) => sent_file(file, files, settings).map(file_part),
        UserTurnPart::Text(_) | UserTurnPart::System(_) | UserTurnPart::Result { .. } => None,
    }
}

fn file_part(sent: SentFile<'_>) -> InputPart<'_> {
    let data = sent.data_url();
    match sent.is_image {
        true => InputPart::Image { detail: "auto", image_url: data },
        false => InputPart::File { filename: &sent.file.name, file_data: data },
    }
}

fn assistant_items<'a>(turn: &'a AssistantTurn, settings: &EncoderSettings) -> Vec<Item<'a>> {
    if let Some(items) = elements_of(turn.raw.as_ref(), settings.profile.raw_dialect) {
        return items.into_iter().map(Item::Raw).collect();
    }
    let kind = (settings.writing >= EncoderVersion::V4).then_some("message");
    let words =
        (!is_blank(&turn.text)).then_some(Item::Assistant { kind, role: "assistant", content: &turn.text });
    let calls = turn.calls.iter().map(|call| Item::Call {
        kind: "function_call",
        call_id: &call.provider_call_id,
        name: &call.name,
        arguments: if settings.writing >= EncoderVersion::V3 {
            arguments(&call.arguments)
        } else {
            &call.arguments
        },
    });
    words.into_iter().chain(calls).collect()
}

fn tool<'a>(tool: &'a ToolDeclaration, settings: &EncoderSettings) -> Tool<'a> {
    Tool {
        kind: "function",
        name: &tool.name,
        description: settings.description_of(tool),
        parameters: settings.schema_of(tool),
        // Commands have optional arguments, which strict schemas do not allow; Entracte checks the arguments anyway.
        strict: false,
    }
}

fn format<'a>(output: &'a OutputShape, settings: &EncoderSettings) -> Option<Format<'a>> {
    let OutputShape::Json { name, schema } = output else { return None };
    match settings.structured_output {
        StructuredOutput::None => None,
        StructuredOutput::Json => Some(Format::JsonObject),
        StructuredOutput::Schema => {
            let strict = enforceable_schema(settings.writing, schema, SchemaRule::ClosedAndRequired);
            Some(strict.map_or(Format::JsonObject, |schema| Format::JsonSchema {
                name,
                schema,
                strict: true,
            }))
        }
    }
}
