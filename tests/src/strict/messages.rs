//! Anthropic Messages.

use serde_json::{Value, json};

use super::body_shape::{
    IMAGES, JsonObjectMap, PDF, SchemaCompileMode, base64, ensure, is_word, list, names, object,
    output_schema, readable, refuse, schema, text,
};
use super::seal::ThoughtSealHash;
use super::{ComparableBody, StrictApiRefusal, StrictApiRule, StrictReplyPart};

pub(super) const RULES: [StrictApiRule; 24] = [
    StrictApiRule::OutputSchema,
    StrictApiRule::OwnTextAfterResult,
    StrictApiRule::Shape,
    StrictApiRule::UnknownField,
    StrictApiRule::EmptyText,
    StrictApiRule::Role,
    StrictApiRule::Beginning,
    StrictApiRule::Prefill,
    StrictApiRule::CallWithoutResult,
    StrictApiRule::ResultWithoutCall,
    StrictApiRule::ResultsNotFirst,
    StrictApiRule::ResultTwice,
    StrictApiRule::IdTwice,
    StrictApiRule::IdShape,
    StrictApiRule::NameShape,
    StrictApiRule::NameTwice,
    StrictApiRule::Arguments,
    StrictApiRule::Schema,
    StrictApiRule::ToolsMissing,
    StrictApiRule::ForcedChoice,
    StrictApiRule::Breakpoints,
    StrictApiRule::BreakpointPlace,
    StrictApiRule::SealMissing,
    StrictApiRule::SealBroken,
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

/// Parses a body, or refuses it.
pub(super) fn read(body: &Value) -> Result<ComparableBody, StrictApiRefusal> {
    let body = object(body, "the body", &FIELDS)?;
    text(body, "model")?;
    let has_limit = body.get("max_tokens").and_then(Value::as_u64).is_some_and(|most| most > 0);
    ensure(has_limit, StrictApiRule::Shape, "max_tokens")?;
    let mut read = MessagesHistoryCheck {
        breakpoints: 0,
        ids: Vec::new(),
        seal: ThoughtSealHash::default(),
        turns: Vec::new(),
    };
    read.system(body)?;
    let tools = read.tools(body)?;
    choice(body, tools)?;
    if let Some(format) = body.get("output_config").and_then(|config| config.get("format")) {
        ensure(
            format["type"] == "json_schema",
            StrictApiRule::Shape,
            format!("output_config.format is {format}"),
        )?;
        output_schema(&format["schema"], SchemaCompileMode::Claude)?;
    }
    let frozen = json!([
        body.get("model"),
        without_cache_breakpoints(body.get("system")),
        without_cache_breakpoints(body.get("tools"))
    ]);
    read.seal.add(&frozen);
    read.messages(list(body.get("messages"), "messages")?, tools)?;
    ensure(read.breakpoints <= BREAKPOINTS, StrictApiRule::Breakpoints, read.breakpoints.to_string())?;
    Ok(ComparableBody { frozen, turns: read.turns, seal: read.seal })
}

/// A response with these parts.
pub(super) fn answer(said: &[StrictReplyPart], seal: &mut ThoughtSealHash) -> Value {
    let content: Vec<Value> = said.iter().map(|said| block(said, seal)).collect();
    let calls = said.iter().any(|said| matches!(said, StrictReplyPart::Calls { .. }));
    let stop_reason = if calls { "tool_use" } else { "end_turn" };
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-5", "content": content,
        "stop_reason": stop_reason, "usage": {"input_tokens": 1, "output_tokens": 1},
    })
}

fn block(said: &StrictReplyPart, seal: &mut ThoughtSealHash) -> Value {
    let block = match said {
        StrictReplyPart::Thinks(thought) => {
            json!({"type": "thinking", "thinking": thought, "signature": seal.of(thought)})
        }
        StrictReplyPart::Says(text) => json!({"type": "text", "text": text}),
        StrictReplyPart::Calls { id, name, arguments } => {
            let input: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
            json!({"type": "tool_use", "id": id, "name": name, "input": input})
        }
    };
    seal.add(&json!(["assistant", block]));
    block
}

/// Whether a block is work of the server itself.
fn is_server_block(block: &Value) -> bool {
    let kinds =
        ["server_tool_use", "web_search_tool_result", "mcp_tool_use", "mcp_tool_result", "compaction"];
    block["type"].as_str().is_some_and(|kind| kinds.contains(&kind))
}

struct MessagesHistoryCheck<'a> {
    breakpoints: usize,
    ids: Vec<&'a str>,
    seal: ThoughtSealHash,
    turns: Vec<Value>,
}

impl<'a> MessagesHistoryCheck<'a> {
    fn system(&mut self, body: &JsonObjectMap) -> Result<(), StrictApiRefusal> {
        let Some(system) = body.get("system") else { return Ok(()) };
        for block in list(Some(system), "system")? {
            let block = object(block, "a system block", &["type", "text", "cache_control"])?;
            ensure(
                block.get("type") == Some(&json!("text")),
                StrictApiRule::Shape,
                "a system block is no text",
            )?;
            readable(text(block, "text")?, "system")?;
            self.breakpoint(block);
        }
        Ok(())
    }

    fn tools(&mut self, body: &JsonObjectMap) -> Result<usize, StrictApiRefusal> {
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

    fn messages(&mut self, messages: &'a [Value], tools: usize) -> Result<(), StrictApiRefusal> {
        let mut joined: Vec<(&str, Vec<&'a Value>)> = Vec::new();
        for message in messages {
            let message = object(message, "a message", &["role", "content"])?;
            let role = text(message, "role")?;
            ensure(matches!(role, "user" | "assistant"), StrictApiRule::Role, role)?;
            let content = list(message.get("content"), "content")?;
            // The API joins adjacent messages of one role.
            match joined.last_mut() {
                Some((last, blocks)) if *last == role => blocks.extend(content),
                _ => joined.push((role, content.iter().collect())),
            }
        }
        ensure(
            joined.first().is_some_and(|(role, _)| *role == "user"),
            StrictApiRule::Beginning,
            "the first role",
        )?;
        // A paused turn continues when it is sent back; any other last answer would be continued as a prefill.
        let is_paused = |blocks: &[&Value]| blocks.last().is_some_and(|block| is_server_block(block));
        ensure(
            joined.last().is_some_and(|(role, blocks)| *role == "user" || is_paused(blocks)),
            StrictApiRule::Prefill,
            "the last role",
        )?;
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
            ensure(
                tools > 0 || !blocks.iter().any(|block| native(&block)),
                StrictApiRule::ToolsMissing,
                role,
            )?;
        }
        Ok(())
    }

    fn user(&mut self, blocks: &[&Value], open: &[&str]) -> Result<(), StrictApiRefusal> {
        let mut answered: Vec<&str> = Vec::new();
        let mut texts = 0;
        for block in blocks {
            match block["type"].as_str() {
                Some("text") => {
                    self.text(block)?;
                    let is_first = texts == 0 && !answered.is_empty();
                    let is_own = block["text"].as_str().is_some_and(|text| text.starts_with("<entracte "));
                    ensure(!(is_first && is_own), StrictApiRule::OwnTextAfterResult, block.to_string())?;
                    texts += 1;
                }
                Some("tool_result") => {
                    let known = ["type", "tool_use_id", "content", "is_error", "cache_control"];
                    let result = object(block, "a result", &known)?;
                    let id = text(result, "tool_use_id")?;
                    ensure(texts == 0, StrictApiRule::ResultsNotFirst, id)?;
                    ensure(open.contains(&id), StrictApiRule::ResultWithoutCall, id)?;
                    ensure(!answered.contains(&id), StrictApiRule::ResultTwice, id)?;
                    answered.push(id);
                    self.breakpoint(result);
                    if let Some(Value::Array(parts)) = result.get("content") {
                        parts.iter().try_for_each(result_part)?;
                        // The API takes nothing but text in the result of a failed call.
                        let is_error = result.get("is_error") == Some(&json!(true));
                        let is_text = parts.iter().all(|part| part["type"] == "text");
                        ensure(
                            is_text || !is_error,
                            StrictApiRule::Shape,
                            "a file in the result of a failure",
                        )?;
                    }
                }
                Some("image" | "document") => {
                    self.breakpoint(file(block)?);
                    texts += 1;
                }
                other => return refuse(StrictApiRule::Shape, format!("a user block is {other:?}")),
            }
            self.keep("user", block);
        }
        match open.iter().find(|id| !answered.contains(*id)) {
            Some(id) => refuse(StrictApiRule::CallWithoutResult, *id),
            None => Ok(()),
        }
    }

    fn assistant(&mut self, blocks: &[&'a Value]) -> Result<Vec<&'a str>, StrictApiRefusal> {
        let mut open = Vec::new();
        for block in blocks {
            match block["type"].as_str() {
                Some("text") => self.text(block)?,
                Some("thinking") => self.thinking(block)?,
                Some("tool_use") => {
                    let call = object(block, "a call", &["type", "id", "name", "input", "cache_control"])?;
                    let id = text(call, "id")?;
                    ensure(is_word(id), StrictApiRule::IdShape, id)?;
                    ensure(!self.ids.contains(&id), StrictApiRule::IdTwice, id)?;
                    ensure(is_word(text(call, "name")?), StrictApiRule::NameShape, text(call, "name")?)?;
                    let is_object = call.get("input").is_some_and(Value::is_object);
                    ensure(is_object, StrictApiRule::Arguments, format!("{:?}", call.get("input")))?;
                    self.breakpoint(call);
                    self.ids.push(id);
                    open.push(id);
                }
                _ if is_server_block(block) => {}
                other => return refuse(StrictApiRule::Shape, format!("an assistant block is {other:?}")),
            }
            self.keep("assistant", block);
        }
        Ok(open)
    }

    fn text(&mut self, block: &Value) -> Result<(), StrictApiRefusal> {
        let block = object(block, "a text", &["type", "text", "cache_control"])?;
        readable(text(block, "text")?, "text")?;
        self.breakpoint(block);
        Ok(())
    }

    fn thinking(&mut self, block: &Value) -> Result<(), StrictApiRefusal> {
        let has_breakpoint = block.get("cache_control").is_some();
        ensure(!has_breakpoint, StrictApiRule::BreakpointPlace, "on a thinking block")?;
        let block = object(block, "thinking", &["type", "thinking", "signature"])?;
        let thought = text(block, "thinking")?;
        let Some(signature) = block.get("signature").and_then(Value::as_str) else {
            return refuse(StrictApiRule::SealMissing, thought);
        };
        ensure(signature == self.seal.of(thought), StrictApiRule::SealBroken, thought)
    }

    fn breakpoint(&mut self, block: &JsonObjectMap) {
        self.breakpoints += usize::from(block.contains_key("cache_control"));
    }

    fn keep(&mut self, role: &str, block: &Value) {
        let turn = json!([role, without_cache_breakpoints(Some(block))]);
        self.seal.add(&turn);
        self.turns.push(turn);
    }
}

/// A part of a result that has files.
fn result_part(part: &Value) -> Result<(), StrictApiRefusal> {
    match part["type"].as_str() {
        Some("text") => readable(text(object(part, "a text", &["type", "text"])?, "text")?, "text"),
        Some("image" | "document") => file(part).map(drop),
        other => refuse(StrictApiRule::Shape, format!("a part of a result is {other:?}")),
    }
}

/// An image or a document with its bytes.
fn file(block: &Value) -> Result<&JsonObjectMap, StrictApiRefusal> {
    let is_image = block["type"] == "image";
    let (known, media_types): (&[&str], &[&str]) = match is_image {
        true => (&["type", "source", "cache_control"], &IMAGES),
        false => (&["type", "source", "title", "cache_control"], &PDF),
    };
    let block = object(block, "a file", known)?;
    let source = block.get("source").unwrap_or(&Value::Null);
    let source = object(source, "a source", &["type", "media_type", "data"])?;
    ensure(source.get("type") == Some(&json!("base64")), StrictApiRule::Shape, "the type of a source")?;
    let media_type = text(source, "media_type")?;
    ensure(media_types.contains(&media_type), StrictApiRule::Shape, media_type)?;
    base64(text(source, "data")?)?;
    Ok(block)
}

fn choice(body: &JsonObjectMap, tools: usize) -> Result<(), StrictApiRefusal> {
    let Some(choice) = body.get("tool_choice") else { return Ok(()) };
    ensure(tools > 0, StrictApiRule::ToolsMissing, "tool_choice")?;
    match choice["type"].as_str() {
        Some("auto" | "none") => Ok(()),
        Some("any" | "tool") => refuse(StrictApiRule::ForcedChoice, choice.to_string()),
        _ => refuse(StrictApiRule::Shape, format!("tool_choice is {choice}")),
    }
}

/// Removes cache breakpoints, which may have other positions in the next request.
fn without_cache_breakpoints(value: Option<&Value>) -> Value {
    match value {
        Some(Value::Array(items)) => items.iter().map(|item| without_cache_breakpoints(Some(item))).collect(),
        Some(Value::Object(object)) => {
            let mut object = object.clone();
            object.remove("cache_control");
            Value::Object(object)
        }
        Some(other) => other.clone(),
        None => Value::Null,
    }
}
