//! Chat Completions, with the rules of its strictest servers: OpenAI for calls and results, Groq for fields and the
//! number of tools, templates of local models for the order of roles, vLLM for the arguments of earlier calls.

use serde_json::{Value, json};

use super::body_shape::{
    IMAGES, JsonObjectMap, data_url, ensure, is_word, list, names, object, readable, refuse, schema, text,
};
use super::seal::ThoughtSealHash;
use super::{ComparableBody, StrictApiRefusal, StrictApiRule, StrictReplyPart};

pub(super) const RULES: [StrictApiRule; 18] = [
    StrictApiRule::Shape,
    StrictApiRule::UnknownField,
    StrictApiRule::EmptyText,
    StrictApiRule::Role,
    StrictApiRule::Beginning,
    StrictApiRule::Prefill,
    StrictApiRule::Alternation,
    StrictApiRule::CallWithoutResult,
    StrictApiRule::ResultWithoutCall,
    StrictApiRule::ResultTwice,
    StrictApiRule::IdTwice,
    StrictApiRule::IdShape,
    StrictApiRule::NameShape,
    StrictApiRule::NameTwice,
    StrictApiRule::TooManyTools,
    StrictApiRule::Arguments,
    StrictApiRule::Schema,
    StrictApiRule::ToolsMissing,
];

const FIELDS: [&str; 13] = [
    "model",
    "messages",
    "tools",
    "tool_choice",
    "response_format",
    "max_completion_tokens",
    "max_tokens",
    "reasoning_effort",
    "service_tier",
    "temperature",
    "top_p",
    "stream",
    "stream_options",
];
const TOOLS: usize = 128;

/// Parses a body, or refuses it.
pub(super) fn read(body: &Value) -> Result<ComparableBody, StrictApiRefusal> {
    let body = object(body, "the body", &FIELDS)?;
    text(body, "model")?;
    let tools = tools(body)?;
    let chooses = body.contains_key("tool_choice");
    ensure(tools > 0 || !chooses, StrictApiRule::ToolsMissing, "tool_choice")?;
    let messages = list(body.get("messages"), "messages")?;
    let (system, conversation) = match messages.split_first() {
        Some((first, rest)) if first["role"] == "system" => {
            readable(text(object(first, "a message", &["role", "content"])?, "content")?, "system")?;
            (first.clone(), rest)
        }
        _ => (Value::Null, messages),
    };
    check(conversation)?;
    let frozen = json!([body.get("model"), system, body.get("tools")]);
    Ok(ComparableBody { frozen, turns: conversation.to_vec(), seal: ThoughtSealHash::default() })
}

/// A response with these parts. Its reasoning is not sealed.
pub(super) fn answer(said: &[StrictReplyPart]) -> Value {
    let message = message(said);
    let finish_reason = if message.get("tool_calls").is_some() { "tool_calls" } else { "stop" };
    json!({"id": "chatcmpl_1", "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}]})
}

fn message(said: &[StrictReplyPart]) -> Value {
    let (mut content, mut reasoning, mut calls) = (String::new(), String::new(), Vec::new());
    for said in said {
        match said {
            StrictReplyPart::Thinks(thought) => reasoning.push_str(thought),
            StrictReplyPart::Says(text) => content.push_str(text),
            StrictReplyPart::Calls { id, name, arguments } => calls.push(json!({
                "id": id, "type": "function", "function": {"name": name, "arguments": arguments},
            })),
        }
    }
    let mut message = json!({"role": "assistant", "content": content});
    if content.is_empty() {
        message["content"] = Value::Null;
    }
    if !reasoning.is_empty() {
        message["reasoning"] = reasoning.into();
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    message
}

fn check(messages: &[Value]) -> Result<(), StrictApiRefusal> {
    let role = |message: Option<&Value>| message.map(|message| message["role"].clone()).unwrap_or_default();
    ensure(role(messages.first()) == "user", StrictApiRule::Beginning, role(messages.first()).to_string())?;
    ensure(role(messages.last()) != "assistant", StrictApiRule::Prefill, "the last role")?;
    let mut open: Vec<&str> = Vec::new();
    let mut answered: Vec<&str> = Vec::new();
    let mut before = "";
    for message in messages {
        let role = message["role"].as_str().unwrap_or_default();
        match role {
            "tool" => {
                let result = object(message, "a result", &["role", "tool_call_id", "content"])?;
                let id = text(result, "tool_call_id")?;
                text(result, "content")?;
                ensure(!answered.contains(&id), StrictApiRule::ResultTwice, id)?;
                ensure(open.contains(&id), StrictApiRule::ResultWithoutCall, id)?;
                open.retain(|open| *open != id);
                answered.push(id);
                before = role;
                continue;
            }
            "user" => {
                let message = object(message, "a message", &["role", "content"])?;
                match message.get("content") {
                    Some(Value::Array(parts)) if !parts.is_empty() => parts.iter().try_for_each(user_part)?,
                    _ => readable(text(message, "content")?, "user")?,
                }
            }
            "assistant" => {}
            other => return refuse(StrictApiRule::Role, other),
        }
        ensure(open.is_empty(), StrictApiRule::CallWithoutResult, open.join(", "))?;
        ensure(before != role, StrictApiRule::Alternation, role)?;
        before = role;
        if role == "assistant" {
            (open, answered) = (calls(message)?, Vec::new());
        }
    }
    ensure(open.is_empty(), StrictApiRule::CallWithoutResult, open.join(", "))
}

/// A part of a user message: a text or an image.
fn user_part(part: &Value) -> Result<(), StrictApiRefusal> {
    match part["type"].as_str() {
        Some("text") => readable(text(object(part, "a text", &["type", "text"])?, "text")?, "user"),
        Some("image_url") => {
            let part = object(part, "an image", &["type", "image_url"])?;
            let image = object(part.get("image_url").unwrap_or(&Value::Null), "an image", &["url"])?;
            data_url(text(image, "url")?, &IMAGES)
        }
        other => refuse(StrictApiRule::Shape, format!("a part of a message is {other:?}")),
    }
}

/// The ids of the calls in an assistant message.
fn calls(message: &Value) -> Result<Vec<&str>, StrictApiRefusal> {
    let known = ["role", "content", "tool_calls", "reasoning", "reasoning_content"];
    let said = object(message, "a message", &known)?;
    let Some(calls) = said.get("tool_calls") else {
        readable(text(said, "content")?, "assistant")?;
        return Ok(Vec::new());
    };
    let mut open = Vec::new();
    for call in list(Some(calls), "tool_calls")? {
        let call = object(call, "a call", &["id", "type", "function", "extra_content"])?;
        let id = text(call, "id")?;
        ensure((1..=64).contains(&id.len()), StrictApiRule::IdShape, id)?;
        ensure(!open.contains(&id), StrictApiRule::IdTwice, id)?;
        open.push(id);
        let function =
            object(call.get("function").unwrap_or(&Value::Null), "a call", &["name", "arguments"])?;
        ensure(is_word(text(function, "name")?), StrictApiRule::NameShape, text(function, "name")?)?;
        let arguments = text(function, "arguments")?;
        let is_object = serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object());
        ensure(is_object, StrictApiRule::Arguments, arguments)?;
    }
    Ok(open)
}

fn tools(body: &JsonObjectMap) -> Result<usize, StrictApiRefusal> {
    let Some(tools) = body.get("tools") else { return Ok(0) };
    let mut called = Vec::new();
    for tool in list(Some(tools), "tools")? {
        let tool = object(tool, "a tool", &["type", "function"])?;
        ensure(tool.get("type") == Some(&json!("function")), StrictApiRule::Shape, "a tool is no function")?;
        let function = tool.get("function").unwrap_or(&Value::Null);
        let function = object(function, "a function", &["name", "description", "parameters"])?;
        called.push(text(function, "name")?);
        schema(function.get("parameters"))?;
    }
    ensure(called.len() <= TOOLS, StrictApiRule::TooManyTools, called.len().to_string())?;
    names(called.into_iter())
}
