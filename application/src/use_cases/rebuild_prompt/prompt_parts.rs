//! The parts of a request, with their sizes.

use crate::ports::{AssistantTurn, ModelRequest, OutputShape, PromptTurn, UserTurnPart};
use crate::prompt::PromptPrefix;

/// The number of characters counted as one token. Every model has its own tokenizer, so the numbers are an estimate
/// that is good for comparing parts, not for a bill.
pub const CHARS_PER_TOKEN: u64 = 4;

/// A part of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptPart {
    /// `level1`, `instructions`, `data`, `tools`, `schema` or `turn`.
    pub kind: &'static str,
    /// The name of the chunk, the scope of the instructions, or the content of the turn.
    pub name: String,
    /// The number of characters.
    pub chars: u64,
}

impl PromptPart {
    fn new(kind: &'static str, name: impl Into<String>, chars: usize) -> Self {
        Self { kind, name: name.into(), chars: u64::try_from(chars).unwrap_or(u64::MAX) }
    }

    /// The estimated number of tokens.
    pub fn tokens(&self) -> u64 {
        self.chars.div_ceil(CHARS_PER_TOKEN)
    }
}

/// The parts of a request, in the order the model reads them.
pub(super) fn parts(prefix: &PromptPrefix, request: &ModelRequest) -> Vec<PromptPart> {
    let mut parts = level1(prefix);
    parts.extend(instructions(prefix));
    let data = prefix.data_blocks().iter();
    parts.extend(data.map(|block| PromptPart::new("data", "data that is always sent", count(block))));
    if !request.tools.is_empty() {
        let of = |tool: &crate::ports::ToolDeclaration| {
            count(&tool.name) + count(&tool.description) + count(&tool.schema.to_string())
        };
        let name = format!("{} commands as native tools", request.tools.len());
        parts.push(PromptPart::new("tools", name, request.tools.iter().map(of).sum()));
    }
    if let OutputShape::Json { schema, .. } = &request.output {
        parts.push(PromptPart::new("schema", "shape of a reply", count(&schema.to_string())));
    }
    parts.extend(request.turns.iter().enumerate().map(|(index, turn)| of_turn(index + 1, turn)));
    parts
}

fn level1(prefix: &PromptPrefix) -> Vec<PromptPart> {
    let whole = prefix.blocks.first().map(|block| count(block)).unwrap_or_default();
    match prefix.named_parts() {
        Some(named) => {
            named.into_iter().map(|(name, text)| PromptPart::new("level1", name, count(text))).collect()
        }
        None => vec![PromptPart::new("level1", "whole", whole)],
    }
}

fn instructions(prefix: &PromptPrefix) -> Vec<PromptPart> {
    let part = |name: &str, text: &str| PromptPart::new("instructions", name, count(text));
    match (prefix.named_instructions(), prefix.instruction_block()) {
        (Some(named), _) => named.into_iter().map(|(name, text)| part(name, text)).collect(),
        (None, Some(block)) => vec![part("whole", block)],
        (None, None) => Vec::new(),
    }
}

fn of_turn(number: usize, turn: &PromptTurn) -> PromptPart {
    match turn {
        PromptTurn::User(parts) => {
            let mut held = Vec::new();
            let counted = |many: usize, one: &str| match many {
                0 => None,
                1 => Some(format!("1 {one}")),
                many => Some(format!("{many} {one}s")),
            };
            let of = |is: fn(&UserTurnPart) -> bool| parts.iter().filter(|part| is(part)).count();
            held.extend(counted(of(|part| matches!(part, UserTurnPart::Result { .. })), "result"));
            held.extend(counted(of(|part| matches!(part, UserTurnPart::System(_))), "system message"));
            held.extend(counted(of(|part| matches!(part, UserTurnPart::Text(_))), "message"));
            held.extend(counted(of(|part| matches!(part, UserTurnPart::File(_))), "file"));
            let name = format!("{number}: {}", held.join(", "));
            PromptPart::new("turn", name, parts.iter().map(of_part).sum())
        }
        PromptTurn::Assistant(said) => PromptPart::new("turn", format!("{number}: reply"), of_reply(said)),
    }
}

fn of_part(part: &UserTurnPart) -> usize {
    match part {
        UserTurnPart::Text(text) | UserTurnPart::System(text) => count(text),
        UserTurnPart::Result { content, .. } => count(content),
        // The text beside it names it.
        UserTurnPart::File(_) => 0,
    }
}

/// Counts the characters of a reply; raw blocks are counted as received.
fn of_reply(said: &AssistantTurn) -> usize {
    match &said.raw {
        Some(raw) => count(&raw.bytes),
        None => {
            let calls = said.calls.iter().map(|call| count(&call.name) + count(&call.arguments));
            count(&said.text) + calls.sum::<usize>()
        }
    }
}

fn count(text: &str) -> usize {
    text.chars().count()
}
