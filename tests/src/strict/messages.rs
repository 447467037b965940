//! Anthropic Messages.

use serde_json::{Value, json};

use super::seal::Seal;
use super::shape::{
    Compiles, Object, ensure, is_word, list, names, object, output_schema, readable, refuse, schema, text,
};
use super::{Reading, Refusal, Rule, Said};

pub(super) const RULES: [Rule; 24] = [
    Rule::OutputSchema,
    Rule::OwnTextAfterResult,
    Rule::Shape,
    Rule::UnknownField,
    Rule::EmptyText,
    Rule::Role,
    Rule::Beginning,
    Rule::Prefill,
    Rule::CallWithoutResult,
    Rule::ResultWithoutCall,
    Rule::ResultsNotFirst,
    Rule::ResultTwice,
    Rule::IdTwice,
    Rule::IdShape,
    Rule::NameShape,
    Rule::NameTwice,
    Rule::Arguments,
    Rule::Schema,
    Rule::ToolsMissing,
    Rule::ForcedChoice,
    Rule::Breakpoints,
    Rule::BreakpointPlace,
    Rule::SealMissing,
    Rule::SealBroken,
];

const FIELDS: [&str; 9] = [
    "model",
    "max_tokens",
    "system",
    "messages",
    "tools",
    "tool_choice",
    "output_config",
    "service_tier",
    "stream",
];
const BREAKPOINTS: usize = 4;

/// Reads a body, or refuses it.
pub(super) fn read(body: &Value) -> Result<Reading, Refusal> {
    let body = object(body, "the body", &FIELDS)?;
    text(body, "model")?;
    let has_limit = body.get("max_tokens").and_then(Value::as_u64).is_some_and(|most| most > 0);
    ensure(has_limit, Rule::Shape, "max_tokens")?;
    let mut read = Read { breakpoints: 0, ids: Vec::new(), seal: Seal::default(), turns: Vec::new() };
    read.system(body)?;
    let tools = read.tools(body)?;
    choice(body, tools)?;
    if let Some(format) = body.get("output_config").and_then(|config| config.get("format")) {
        ensure(format["type"] == "json_schema", Rule::Shape, format!("output_config.format is {format}"))?;
        output_schema(&format["schema"], Compiles::Claude)?;
    }
    let frozen = json!([body.get("model"), bare(body.get("system")), bare(body.get("tools"))]);
    read.seal.add(&frozen);
    read.messages(list(body.get("messages"), "messages")?, tools)?;
    ensure(read.breakpoints <= BREAKPOINTS, Rule::Breakpoints, read.breakpoints.to_string())?;
    Ok(Reading { frozen, turns: read.turns, seal: read.seal })
}

/// The answer in which this is said.
pub(super) fn answer(said: &[Said], seal: &mut Seal) -> Value {
    let content: Vec<Value> = said.iter().map(|said| block(said, seal)).collect();
    let calls = said.iter().any(|said| matches!(said, Said::Calls { .. }));
    let stop_reason = if calls { "tool_use" } else { "end_turn" };
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-5", "content": content,
        "stop_reason": stop_reason, "usage": {"input_tokens": 1, "output_tokens": 1},
    })
}

fn block(said: &Said, seal: &mut Seal) -> Value {
    let block = match said {
        Said::Thinks(thought) => {
            json!({"type": "thinking", "thinking": thought, "signature": seal.of(thought)})
        }
        Said::Says(text) => json!({"type": "text", "text": text}),
        Said::Calls { id, name, arguments } => {
            let input: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
            json!({"type": "tool_use", "id": id, "name": name, "input": input})
        }
    };
    seal.add(&json!(["assistant", block]));
    block
}

struct Read<'a> {
    breakpoints: usize,
    ids: Vec<&'a str>,
    seal: Seal,
    turns: Vec<Value>,
}

impl<'a> Read<'a> {
    fn system(&mut self, body: &Object) -> Result<(), Refusal> {
        let Some(system) = body.get("system") else { return Ok(()) };
        for block in list(Some(system), "system")? {
            let block = object(block, "a system block", &["type", "text", "cache_control"])?;
            ensure(block.get("type") == Some(&json!("text")), Rule::Shape, "a system block is no text")?;
            readable(text(block, "text")?, "system")?;
            self.breakpoint(block);
        }
        Ok(())
    }

    fn tools(&mut self, body: &Object) -> Result<usize, Refusal> {
        let Some(tools) = body.get("tools") else { return Ok(0) };
        let mut called = Vec::new();
        for tool in list(Some(tools), "tools")? {
            let tool = object(tool, "a tool", &["name", "description", "input_schema", "cache_control"])?;
            called.push(text(tool, "name")?);
            schema(tool.get("input_schema"))?;
            self.breakpoint(tool);
        }
        names(called.into_iter())
    }

    fn messages(&mut self, messages: &'a [Value], tools: usize) -> Result<(), Refusal> {
        let mut joined: Vec<(&str, Vec<&'a Value>)> = Vec::new();
        for message in messages {
            let message = object(message, "a message", &["role", "content"])?;
            let role = text(message, "role")?;
            ensure(matches!(role, "user" | "assistant"), Rule::Role, role)?;
            let content = list(message.get("content"), "content")?;
            // The API joins neighbours of one role.
            match joined.last_mut() {
                Some((last, blocks)) if *last == role => blocks.extend(content),
                _ => joined.push((role, content.iter().collect())),
            }
        }
        ensure(joined.first().is_some_and(|(role, _)| *role == "user"), Rule::Beginning, "the first role")?;
        ensure(joined.last().is_some_and(|(role, _)| *role == "user"), Rule::Prefill, "the last role")?;
        let mut open: Vec<&str> = Vec::new();
        for (role, blocks) in joined {
            open = match role {
                "user" => {
                    self.user(&blocks, &open)?;
                    Vec::new()
                }
                _ => self.assistant(&blocks)?,
            };
            let native = |block: &&&Value| matches!(block["type"].as_str(), Some("tool_use" | "tool_result"));
            ensure(tools > 0 || !blocks.iter().any(|block| native(&block)), Rule::ToolsMissing, role)?;
        }
        Ok(())
    }

    fn user(&mut self, blocks: &[&Value], open: &[&str]) -> Result<(), Refusal> {
        let mut answered: Vec<&str> = Vec::new();
        let mut texts = 0;
        for block in blocks {
            match block["type"].as_str() {
                Some("text") => {
                    self.text(block)?;
                    let is_first = texts == 0 && !answered.is_empty();
                    let is_own = block["text"].as_str().is_some_and(|text| text.starts_with("<entracte "));
                    ensure(!(is_first && is_own), Rule::OwnTextAfterResult, block.to_string())?;
                    texts += 1;
                }
                Some("tool_result") => {
                    let known = ["type", "tool_use_id", "content", "is_error", "cache_control"];
                    let result = object(block, "a result", &known)?;
                    let id = text(result, "tool_use_id")?;
                    ensure(texts == 0, Rule::ResultsNotFirst, id)?;
                    ensure(open.contains(&id), Rule::ResultWithoutCall, id)?;
                    ensure(!answered.contains(&id), Rule::ResultTwice, id)?;
                    answered.push(id);
                    self.breakpoint(result);
                }
                other => return refuse(Rule::Shape, format!("a user block is {other:?}")),
            }
            self.keep("user", block);
        }
        match open.iter().find(|id| !answered.contains(*id)) {
            Some(id) => refuse(Rule::CallWithoutResult, *id),
            None => Ok(()),
        }
    }

    fn assistant(&mut self, blocks: &[&'a Value]) -> Result<Vec<&'a str>, Refusal> {
        let mut open = Vec::new();
        for block in blocks {
            match block["type"].as_str() {
                Some("text") => self.text(block)?,
                Some("thinking") => self.thinking(block)?,
                Some("tool_use") => {
                    let call = object(block, "a call", &["type", "id", "name", "input", "cache_control"])?;
                    let id = text(call, "id")?;
                    ensure(is_word(id), Rule::IdShape, id)?;
                    ensure(!self.ids.contains(&id), Rule::IdTwice, id)?;
                    ensure(is_word(text(call, "name")?), Rule::NameShape, text(call, "name")?)?;
                    let is_object = call.get("input").is_some_and(Value::is_object);
                    ensure(is_object, Rule::Arguments, format!("{:?}", call.get("input")))?;
                    self.breakpoint(call);
                    self.ids.push(id);
                    open.push(id);
                }
                other => return refuse(Rule::Shape, format!("an assistant block is {other:?}")),
            }
            self.keep("assistant", block);
        }
        Ok(open)
    }

    fn text(&mut self, block: &Value) -> Result<(), Refusal> {
        let block = object(block, "a text", &["type", "text", "cache_control"])?;
        readable(text(block, "text")?, "text")?;
        self.breakpoint(block);
        Ok(())
    }

    fn thinking(&mut self, block: &Value) -> Result<(), Refusal> {
        let has_breakpoint = block.get("cache_control").is_some();
        ensure(!has_breakpoint, Rule::BreakpointPlace, "on a thinking block")?;
        let block = object(block, "thinking", &["type", "thinking", "signature"])?;
        let thought = text(block, "thinking")?;
        let Some(signature) = block.get("signature").and_then(Value::as_str) else {
            return refuse(Rule::SealMissing, thought);
        };
        ensure(signature == self.seal.of(thought), Rule::SealBroken, thought)
    }

    fn breakpoint(&mut self, block: &Object) {
        self.breakpoints += usize::from(block.contains_key("cache_control"));
    }

    fn keep(&mut self, role: &str, block: &Value) {
        let turn = json!([role, bare(Some(block))]);
        self.seal.add(&turn);
        self.turns.push(turn);
    }
}

fn choice(body: &Object, tools: usize) -> Result<(), Refusal> {
    let Some(choice) = body.get("tool_choice") else { return Ok(()) };
    ensure(tools > 0, Rule::ToolsMissing, "tool_choice")?;
    match choice["type"].as_str() {
        Some("auto" | "none") => Ok(()),
        Some("any" | "tool") => refuse(Rule::ForcedChoice, choice.to_string()),
        _ => refuse(Rule::Shape, format!("tool_choice is {choice}")),
    }
}

/// Without cache breakpoints, which may stand elsewhere in the next request.
fn bare(value: Option<&Value>) -> Value {
    match value {
        Some(Value::Array(items)) => items.iter().map(|item| bare(Some(item))).collect(),
        Some(Value::Object(object)) => {
            let mut object = object.clone();
            object.remove("cache_control");
            Value::Object(object)
        }
        Some(other) => other.clone(),
        None => Value::Null,
    }
}
