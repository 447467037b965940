//! Neutral request to the body of a Messages call.
//!
//! Pure. Blocks of earlier answers go back byte for byte; no blank text is ever sent; cache breakpoints stand on
//! the levels of the system prompt and on the tail, four at most, and never inside an earlier answer.

use entracte_application::ports::{AssistantTurn, CommandUse, ModelRequest, OutputShape, Turn, UserPart};

use super::wire::{Block, CacheControl, Format, Message, OutputConfig, Request, Role, Tool, ToolChoice};
use crate::config::StructuredOutput;
use crate::dialect::Settings;
use crate::schema_fit::{Rule, fits, without_draft};
use crate::text::{elements_of, empty_object, is_blank, raw_object};

/// The body of a call.
pub(super) fn body(request: &ModelRequest, settings: &Settings) -> Result<Vec<u8>, serde_json::Error> {
    let mut messages = messages(request, settings.profile.raw_dialect);
    let mut system = system(request);
    let left = mark_system(&mut system);
    mark_tail(&mut messages, left);
    serde_json::to_vec(&Request {
        model: &request.model,
        max_tokens: settings.max_output_tokens.unwrap_or(MAX_TOKENS),
        system,
        messages,
        tools: request.tools.iter().map(tool).collect(),
        tool_choice: (request.commands == CommandUse::None && !request.tools.is_empty())
            .then_some(ToolChoice::None),
        output_config: output_config(request, settings),
        service_tier: settings.service_tier.as_deref(),
        stream: settings.stream,
    })
}

fn system(request: &ModelRequest) -> Vec<Block<'_>> {
    request.system.iter().filter(|level| !is_blank(level)).map(|level| text(level)).collect()
}

fn messages<'a>(request: &'a ModelRequest, dialect: &str) -> Vec<Message<'a>> {
    let mut messages: Vec<Message<'a>> = Vec::new();
    for turn in &request.turns {
        let (role, content) = match turn.as_ref() {
            Turn::User(parts) => (Role::User, user_blocks(parts)),
            Turn::Assistant(turn) => (Role::Assistant, assistant_blocks(turn, dialect)),
        };
        // Empty messages are refused; the API would join neighbours of one role, so they are joined here.
        match messages.last_mut() {
            _ if content.is_empty() => {}
            Some(last) if last.role == role => last.content.extend(content),
            _ => messages.push(Message { role, content }),
        }
    }
    messages
}

fn user_blocks(parts: &[UserPart]) -> Vec<Block<'_>> {
    let results = parts.iter().filter_map(result);
    let texts = parts.iter().filter_map(|part| match part {
        UserPart::Text(words) | UserPart::System(words) => (!is_blank(words)).then(|| text(words)),
        UserPart::Result { .. } => None,
    });
    results.chain(texts).collect()
}

fn result(part: &UserPart) -> Option<Block<'_>> {
    let UserPart::Result { provider_call_id, content, is_error } = part else { return None };
    Some(Block::ToolResult {
        tool_use_id: provider_call_id,
        content: (!is_blank(content)).then_some(content),
        is_error: *is_error,
        cache_control: None,
    })
}

fn assistant_blocks<'a>(turn: &'a AssistantTurn, dialect: &str) -> Vec<Block<'a>> {
    if let Some(blocks) = elements_of(turn.raw.as_ref(), dialect) {
        return blocks.into_iter().map(Block::Raw).collect();
    }
    let words = (!is_blank(&turn.text)).then(|| text(&turn.text));
    let calls = turn.calls.iter().map(|call| Block::ToolUse {
        id: &call.provider_call_id,
        name: &call.name,
        // Input must be an object; arguments that never were one are told in the call's result.
        input: raw_object(&call.arguments).unwrap_or_else(empty_object),
    });
    words.into_iter().chain(calls).collect()
}

fn text(text: &str) -> Block<'_> {
    Block::Text { text, cache_control: None }
}

fn tool(tool: &entracte_application::ports::ToolDeclaration) -> Tool<'_> {
    Tool { name: &tool.name, description: &tool.description, input_schema: &tool.schema }
}

fn output_config<'a>(request: &'a ModelRequest, settings: &'a Settings) -> Option<OutputConfig<'a>> {
    let format = match &request.output {
        OutputShape::Json { schema, .. }
            if settings.structured_output == StructuredOutput::Schema && fits(schema, Rule::Closed) =>
        {
            Some(Format::JsonSchema { schema: without_draft(schema) })
        }
        _ => None,
    };
    let effort = settings.effort.as_deref();
    (format.is_some() || effort.is_some()).then_some(OutputConfig { effort, format })
}

/// Marks level 1 and level 2, which other sessions share; gives the breakpoints that are left.
fn mark_system(system: &mut [Block<'_>]) -> usize {
    let marked = system.iter_mut().take(SYSTEM_BREAKPOINTS).map(mark).filter(|marked| *marked).count();
    BREAKPOINTS - marked
}

/// Marks the tail, and the tail of the request before this one: a turn may add more blocks than the server
/// looks back over.
fn mark_tail(messages: &mut [Message<'_>], breakpoints: usize) {
    let tails = messages.iter_mut().rev().filter(|message| message.role == Role::User);
    for message in tails.take(breakpoints.min(TAIL_BREAKPOINTS)) {
        message.content.last_mut().map(mark);
    }
}

fn mark(block: &mut Block<'_>) -> bool {
    match block {
        Block::Text { cache_control, .. } | Block::ToolResult { cache_control, .. } => {
            *cache_control = Some(CacheControl::Ephemeral);
            true
        }
        Block::ToolUse { .. } | Block::Raw(_) => false,
    }
}

/// Most breakpoints that a request may have.
const BREAKPOINTS: usize = 4;
const SYSTEM_BREAKPOINTS: usize = 2;
const TAIL_BREAKPOINTS: usize = 2;
/// `max_tokens` is required; this much every current model takes, and it costs nothing until used.
const MAX_TOKENS: u32 = 32_000;
