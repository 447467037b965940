//! Encodes a neutral request as the body of a Messages call.
//!
//! Pure. Blocks of earlier answers are sent back byte for byte; blank text is never sent. Cache breakpoints are set on
//! the levels of the system prompt and on the tail, four at most, and never inside an earlier answer.

use std::borrow::Cow;

use entracte_application::ports::{
    AssistantTurn, FileContents, ModelRequest, OutputShape, PromptTurn, ToolDeclaration, UserTurnPart,
};

use serde_json::Error;

use super::wire::{
    Block, CacheControl, FileSource, Format, Head, Message, OutputConfig, Rest, ResultContent, Role, Tool,
    ToolChoice,
};
use crate::encoder_settings::EncoderSettings;
use crate::prompt_files::{SentFile, sent_file};
use crate::provider_kind::StructuredOutput;
use crate::request_body::{begin_array, end_object, push_element};
use crate::schema_fit::SchemaRule;
use crate::schema_narrowing::enforceable_schema;
use crate::text::{elements_of, empty_object, is_blank, raw_object};
use crate::turn_parts::{self, TurnContent, TurnTexts};

/// Writes the beginning of a body, with the levels of the system prompt and the tools.
pub(super) fn opening(request: &ModelRequest, settings: &EncoderSettings) -> Result<Vec<u8>, Error> {
    let mut system = system(request);
    mark_system(&mut system, settings);
    let max_tokens = settings.max_output_tokens.unwrap_or(MAX_TOKENS);
    let (tools, output_config) = settings.declared_before_turns(|| declarations(request, settings));
    begin_array(&Head { model: &request.model, max_tokens, system, tools, output_config }, "messages")
}

/// Writes a turn that has no breakpoint.
pub(super) fn turn(
    turn: &PromptTurn,
    files: &FileContents,
    settings: &EncoderSettings,
    list: &mut Vec<u8>,
) -> Result<(), Error> {
    push_element(list, &message(turn, files, settings))
}

/// Whether the turn sends no content; its neighbours then become one message.
pub(super) fn is_empty(turn: &PromptTurn, settings: &EncoderSettings) -> bool {
    // A file never stands alone.
    message(turn, &FileContents::default(), settings).content.is_empty()
}

/// Writes the last turns, including those with breakpoints. Returns false if a breakpoint falls on a turn that is
/// already written.
pub(super) fn last_turns(
    turns: &[Cow<'_, PromptTurn>],
    all: bool,
    request: &ModelRequest,
    settings: &EncoderSettings,
    list: &mut Vec<u8>,
) -> Result<bool, Error> {
    let left = mark_system(&mut system(request), settings);
    let mut messages = messages(turns, &request.files, settings);
    let marked = mark_tail(&mut messages, left, settings);
    let begins_anew = turns.first().is_none_or(|first| !is_empty(first, settings));
    if !all && (marked < left.min(TAIL_BREAKPOINTS) || !begins_anew) {
        return Ok(false);
    }
    messages.iter().try_for_each(|message| push_element(list, message))?;
    Ok(true)
}

/// Writes the fields after the messages, to the end of the body.
pub(super) fn rest(request: &ModelRequest, settings: &EncoderSettings) -> Result<Vec<u8>, Error> {
    let (tools, output_config) = settings.declared_after_turns(|| declarations(request, settings));
    let rest = Rest {
        tools,
        tool_choice: tool_choice(request, settings),
        output_config,
        service_tier: settings.service_tier.as_deref(),
        stream: settings.stream,
    };
    end_object(&rest, settings.extra_body.as_deref())
}

/// The tools and the output format.
fn declarations<'a>(
    request: &'a ModelRequest,
    settings: &'a EncoderSettings,
) -> (Vec<Tool<'a>>, Option<OutputConfig<'a>>) {
    let tools = request.tools.iter().map(|declared| tool(declared, settings)).collect();
    (tools, output_config(request, settings))
}

fn tool_choice(request: &ModelRequest, settings: &EncoderSettings) -> Option<ToolChoice> {
    if settings.withholds(request) {
        return Some(ToolChoice::None);
    }
    // The server allows several calls in one answer by default.
    let one_call = settings.parallel(request) == Some(false);
    one_call.then_some(ToolChoice::Auto { disable_parallel_tool_use: true })
}

fn system(request: &ModelRequest) -> Vec<Block<'_>> {
    request.system.iter().filter(|level| !is_blank(level)).map(|level| text(level)).collect()
}

fn message<'a>(turn: &'a PromptTurn, files: &FileContents, settings: &EncoderSettings) -> Message<'a> {
    match turn {
        PromptTurn::User(parts) => Message { role: Role::User, content: user_blocks(parts, files, settings) },
        PromptTurn::Assistant(turn) => {
            let content = assistant_blocks(turn, settings.profile.raw_dialect);
            Message { role: Role::Assistant, content }
        }
    }
}

fn messages<'a>(
    turns: &'a [Cow<'_, PromptTurn>],
    files: &FileContents,
    settings: &EncoderSettings,
) -> Vec<Message<'a>> {
    let mut messages: Vec<Message<'a>> = Vec::new();
    for turn in turns {
        let next = message(turn, files, settings);
        // The API refuses empty messages. It would join neighbours of one role, so they are joined here.
        match messages.last_mut() {
            _ if next.content.is_empty() => {}
            Some(last) if last.role == next.role => last.content.extend(next.content),
            _ => messages.push(next),
        }
    }
    messages
}

fn user_blocks<'a>(
    parts: &'a [UserTurnPart],
    files: &FileContents,
    settings: &EncoderSettings,
) -> Vec<Block<'a>> {
    let texts = turn_parts::place_turn_texts(parts, files, settings);
    let last = parts.iter().rposition(|part| matches!(part, UserTurnPart::Result { .. }));
    let results = parts.iter().enumerate().filter_map(|(place, part)| {
        let appended = (last == Some(place)).then_some(&texts);
        result(part, appended, files, settings)
    });
    let mut blocks: Vec<Block<'_>> = results.collect();
    blocks.extend(texts.after.into_iter().map(|content| match content {
        TurnContent::Text(words) => text(words),
        TurnContent::File(file) => file_block(file),
    }));
    blocks
}

/// The block of a result, with the texts that are appended to the last one.
fn result<'a>(
    part: &'a UserTurnPart,
    appended: Option<&TurnTexts<'a>>,
    files: &FileContents,
    settings: &EncoderSettings,
) -> Option<Block<'a>> {
    let UserTurnPart::Result { provider_call_id, name: _, content, is_error, files: brought } = part else {
        return None;
    };
    let own = if is_blank(content) { Cow::Borrowed("") } else { Cow::Borrowed(content.as_str()) };
    let text = appended.map_or(own.clone(), |texts| texts.append_to_result(own));
    let text = Some(text).filter(|text| !is_blank(text));
    // The API takes nothing but text in the result of a call that failed, such as one that is refused as repeated and has
    // the files of the first.
    let shown = brought.iter().filter(|_| !is_error);
    let sent: Vec<SentFile<'_>> = shown.filter_map(|file| sent_file(file, files, settings)).collect();
    let content = if sent.is_empty() {
        text.map(ResultContent::Text)
    } else {
        let text = text.map(|text| Block::Text { text, cache_control: None });
        Some(ResultContent::Blocks(text.into_iter().chain(sent.into_iter().map(file_block)).collect()))
    };
    Some(Block::ToolResult {
        tool_use_id: provider_call_id,
        content,
        is_error: *is_error,
        cache_control: None,
    })
}

fn file_block(sent: SentFile<'_>) -> Block<'_> {
    let SentFile { file, media_type, is_image, base64 } = sent;
    let source = FileSource::Base64 { media_type, data: base64 };
    match is_image {
        true => Block::Image { source, cache_control: None },
        false => Block::Document { source, title: &file.name, cache_control: None },
    }
}

fn assistant_blocks<'a>(turn: &'a AssistantTurn, dialect: &str) -> Vec<Block<'a>> {
    if let Some(blocks) = elements_of(turn.raw.as_ref(), dialect) {
        return blocks.into_iter().map(Block::Raw).collect();
    }
    let words = (!is_blank(&turn.text)).then(|| text(&turn.text));
    let calls = turn.calls.iter().map(|call| Block::ToolUse {
        id: &call.provider_call_id,
        name: &call.name,
        // The input must be an object; if the arguments were not one, the call's result reports that.
        input: raw_object(&call.arguments).unwrap_or_else(empty_object),
    });
    words.into_iter().chain(calls).collect()
}

fn text(text: &str) -> Block<'_> {
    Block::Text { text: text.into(), cache_control: None }
}

fn tool<'a>(tool: &'a ToolDeclaration, settings: &EncoderSettings) -> Tool<'a> {
    Tool {
        name: &tool.name,
        description: settings.description_of(tool),
        input_schema: settings.schema_of(tool),
    }
}

fn output_config<'a>(request: &'a ModelRequest, settings: &'a EncoderSettings) -> Option<OutputConfig<'a>> {
    let format = match &request.output {
        OutputShape::Json { schema, .. } if settings.structured_output == StructuredOutput::Schema => {
            let schema = enforceable_schema(settings.writing, schema, SchemaRule::Closed);
            schema.map(|schema| Format::JsonSchema { schema })
        }
        _ => None,
    };
    let effort = settings.effort.as_deref();
    (format.is_some() || effort.is_some()).then_some(OutputConfig { effort, format })
}

/// Sets breakpoints on level 1, the instructions and level 2, which other sessions share; returns how many breakpoints
/// are left.
fn mark_system(system: &mut [Block<'_>], settings: &EncoderSettings) -> usize {
    let levels = system.iter_mut().take(SYSTEM_BREAKPOINTS);
    let marked = levels.map(|block| mark(block, settings)).filter(|marked| *marked).count();
    BREAKPOINTS - marked
}

/// Sets breakpoints on the tail and on the tail of the previous request, because a turn may add more blocks than the
/// server looks back over. Returns the number of tails marked.
fn mark_tail(messages: &mut [Message<'_>], breakpoints: usize, settings: &EncoderSettings) -> usize {
    let tails = messages.iter_mut().rev().filter(|message| message.role == Role::User);
    let tails = tails.take(breakpoints.min(TAIL_BREAKPOINTS));
    tails.map(|message| message.content.last_mut().map(|block| mark(block, settings))).count()
}

fn mark(block: &mut Block<'_>, settings: &EncoderSettings) -> bool {
    match block {
        Block::Text { cache_control, .. }
        | Block::ToolResult { cache_control, .. }
        | Block::Image { cache_control, .. }
        | Block::Document { cache_control, .. } => {
            *cache_control = Some(CacheControl::Ephemeral { ttl: settings.cache_ttl.word() });
            true
        }
        Block::ToolUse { .. } | Block::Raw(_) => false,
    }
}

/// Most cache breakpoints of one request.
const BREAKPOINTS: usize = 4;
const SYSTEM_BREAKPOINTS: usize = 3;
const TAIL_BREAKPOINTS: usize = 2;
/// Default of the required `max_tokens`: every current model accepts it, and unused tokens cost nothing.
pub(super) const MAX_TOKENS: u32 = 32_000;
