//! Encodes a neutral request as the body of a Chat Completions call.
//!
//! Pure. One system message in front, because templates of local models accept no more; results follow their calls
//! directly, each as a message of its own.

use entracte_application::ports::{
    AssistantTurn, FileContents, ModelRequest, OutputShape, PromptTurn, ToolDeclaration, UserTurnPart,
};

use serde_json::Error;

use super::wire::{
    Assistant, Declaration, Format, Function, Head, ImageUrl, JsonSchema, Message, Rest, StreamOptions, Tool,
    ToolCall, UserContent, UserPart,
};
use crate::encoder_settings::EncoderSettings;
use crate::profiles::OutputLimitField;
use crate::prompt_files::{SentFile, sent_file};
use crate::provider_kind::StructuredOutput;
use crate::request_body::{begin_array, end_object, push_element};
use crate::schema_fit::{SchemaRule, without_draft};
use crate::schema_narrowing::enforceable_schema;
use crate::text::{arguments, elements_of, is_blank, result_content};
use crate::turn_parts::{self, TurnContent};

/// Writes the beginning of a body, with the tools and the system message.
pub(super) fn opening(request: &ModelRequest, settings: &EncoderSettings) -> Result<Vec<u8>, Error> {
    let (tools, response_format) = settings.declared_before_turns(|| declarations(request, settings));
    let mut bytes = begin_array(&Head { model: &request.model, tools, response_format }, "messages")?;
    let system = request.system.join("\n\n");
    if !is_blank(&system) {
        push_element(&mut bytes, &Message::System { content: system })?;
    }
    Ok(bytes)
}

/// Writes the messages of a turn.
pub(super) fn turn(
    turn: &PromptTurn,
    files: &FileContents,
    settings: &EncoderSettings,
    list: &mut Vec<u8>,
) -> Result<(), Error> {
    let messages = match turn {
        PromptTurn::User(parts) => user_messages(parts, files, settings),
        PromptTurn::Assistant(turn) => assistant_messages(turn, settings.profile.raw_dialect),
    };
    messages.iter().try_for_each(|message| push_element(list, message))
}

/// Writes the fields after the messages, to the end of the body.
pub(super) fn rest(request: &ModelRequest, settings: &EncoderSettings) -> Result<Vec<u8>, Error> {
    let limit = |name| settings.max_output_tokens.filter(|_| settings.profile.output_limit == name);
    let (tools, response_format) = settings.declared_after_turns(|| declarations(request, settings));
    let rest = Rest {
        tools,
        tool_choice: settings.withholds(request).then_some("none"),
        parallel_tool_calls: settings.parallel(request),
        response_format,
        max_completion_tokens: limit(OutputLimitField::MaxCompletionTokens),
        max_tokens: limit(OutputLimitField::MaxTokens),
        reasoning_effort: settings.effort.as_deref(),
        service_tier: settings.service_tier.as_deref(),
        temperature: settings.temperature,
        top_p: settings.top_p,
        stream: settings.stream,
        stream_options: (settings.stream && settings.stream_options)
            .then_some(StreamOptions { include_usage: true }),
        prompt_cache_key: settings.cache_key_of(&request.session),
    };
    end_object(&rest, settings.extra_body.as_deref())
}

/// The tools and the output format.
fn declarations<'a>(
    request: &'a ModelRequest,
    settings: &EncoderSettings,
) -> (Vec<Tool<'a>>, Option<Format<'a>>) {
    let tools = request.tools.iter().map(|declared| tool(declared, settings)).collect();
    (tools, format(request, settings))
}

fn user_messages<'a>(
    parts: &'a [UserTurnPart],
    files: &FileContents,
    settings: &EncoderSettings,
) -> Vec<Message<'a>> {
    let texts = turn_parts::place_turn_texts(parts, files, settings);
    let mut messages: Vec<Message<'_>> = parts.iter().filter_map(result).collect();
    if let Some(Message::Tool { content, .. }) = messages.last_mut() {
        *content = texts.append_to_result(std::mem::take(content));
    }
    let content = result_images(parts, files, settings).into_iter().chain(later_parts(texts.after));
    messages.extend(user_content(content.collect()).map(|content| Message::User { content }));
    messages
}

/// The images of results, each behind the line that names it: messages of tools hold text only, so they follow all
/// results of the turn. Where nothing may follow them, the line in the result is all.
fn result_images<'a>(
    parts: &'a [UserTurnPart],
    files: &FileContents,
    settings: &EncoderSettings,
) -> Vec<UserPart<'a>> {
    if !settings.profile.user_after_tool {
        return Vec::new();
    }
    let brought = parts.iter().flat_map(|part| match part {
        UserTurnPart::Result { files, .. } => files.as_slice(),
        UserTurnPart::Text(_) | UserTurnPart::System(_) | UserTurnPart::File(_) => &[],
    });
    let images = brought.filter_map(|file| sent_file(file, files, settings)).filter(|sent| sent.is_image);
    images.flat_map(|sent| [UserPart::Text { text: sent.file.line().into() }, image(&sent)]).collect()
}

/// The texts and images after the results; the API takes no other files.
fn later_parts(after: Vec<TurnContent<'_>>) -> impl Iterator<Item = UserPart<'_>> {
    after.into_iter().filter_map(|content| match content {
        TurnContent::Text(words) => Some(UserPart::Text { text: words.into() }),
        TurnContent::File(sent) => sent.is_image.then(|| image(&sent)),
    })
}

fn image<'a>(sent: &SentFile<'_>) -> UserPart<'a> {
    UserPart::ImageUrl { image_url: ImageUrl { url: sent.data_url() } }
}

/// The content of a user message; texts alone are one text, because older servers accept no list.
fn user_content(parts: Vec<UserPart<'_>>) -> Option<UserContent<'_>> {
    if parts.is_empty() {
        return None;
    }
    let texts = parts.iter().map(|part| match part {
        UserPart::Text { text } => Some(text.as_ref()),
        UserPart::ImageUrl { .. } => None,
    });
    let text = texts.collect::<Option<Vec<&str>>>().map(|texts| texts.join("\n\n"));
    Some(text.map_or_else(|| UserContent::Parts(parts), UserContent::Text))
}

fn result(part: &UserTurnPart) -> Option<Message<'_>> {
    let UserTurnPart::Result { provider_call_id, name: _, content, is_error, files: _ } = part else {
        return None;
    };
    let content = result_content(content, *is_error);
    Some(Message::Tool { tool_call_id: provider_call_id, content })
}

fn assistant_messages<'a>(turn: &'a AssistantTurn, dialect: &str) -> Vec<Message<'a>> {
    if let Some(messages) = elements_of(turn.raw.as_ref(), dialect) {
        return messages.into_iter().map(Message::Raw).collect();
    }
    let tool_calls: Vec<ToolCall<'a>> = turn
        .calls
        .iter()
        .map(|call| ToolCall {
            id: &call.provider_call_id,
            kind: "function",
            function: Function { name: &call.name, arguments: arguments(&call.arguments) },
            extra_content: None,
        })
        .collect();
    let content = (!turn.text.is_empty()).then_some(turn.text.as_str());
    if content.is_none() && tool_calls.is_empty() {
        return Vec::new();
    }
    vec![Message::Assistant(Assistant { content, reasoning: None, reasoning_content: None, tool_calls })]
}

fn tool<'a>(tool: &'a ToolDeclaration, settings: &EncoderSettings) -> Tool<'a> {
    let parameters = settings.schema_of(tool);
    let function = Declaration { name: &tool.name, description: settings.description_of(tool), parameters };
    Tool { kind: "function", function }
}

fn format<'a>(request: &'a ModelRequest, settings: &EncoderSettings) -> Option<Format<'a>> {
    let OutputShape::Json { name, schema } = &request.output else { return None };
    if !request.tools.is_empty() && !settings.profile.format_beside_tools {
        return None;
    }
    match settings.structured_output {
        StructuredOutput::None => None,
        StructuredOutput::Json => Some(Format::JsonObject),
        StructuredOutput::Schema => {
            let strict = enforceable_schema(settings.writing, schema, SchemaRule::ClosedAndRequired);
            let is_strict = strict.is_some();
            // Some servers accept schemas that others do not: the schema is sent, but not enforced.
            let schema = strict.unwrap_or_else(|| without_draft(schema));
            Some(Format::JsonSchema { json_schema: JsonSchema { name, schema, strict: is_strict } })
        }
    }
}
