//! OpenAI Responses, with `store: false`.

use serde_json::{Value, json};

use super::body_shape::{
    IMAGES, JsonObjectMap, PDF, SchemaCompileMode, data_url, ensure, is_word, list, names, object,
    output_schema, refuse, schema, text,
};
use super::seal::ThoughtSealHash;
use super::{ComparableBody, StrictApiRefusal, StrictApiRule, StrictReplyPart};

pub(super) const RULES: [StrictApiRule; 17] = [
    StrictApiRule::JsonWord,
    StrictApiRule::OutputSchema,
    StrictApiRule::Shape,
    StrictApiRule::UnknownField,
    StrictApiRule::Role,
    StrictApiRule::CallWithoutResult,
    StrictApiRule::ResultWithoutCall,
    StrictApiRule::ResultTwice,
    StrictApiRule::IdTwice,
    StrictApiRule::IdShape,
    StrictApiRule::NameShape,
    StrictApiRule::NameTwice,
    StrictApiRule::Schema,
    StrictApiRule::ToolsMissing,
    StrictApiRule::SealMissing,
    StrictApiRule::SealBroken,
    StrictApiRule::ReasoningAlone,
];

const FIELDS: [&str; 15] = [
    "model",
    "instructions",
    "input",
    "tools",
    "tool_choice",
    "text",
    "reasoning",
    "max_output_tokens",
    "service_tier",
    "temperature",
    "top_p",
    "prompt_cache_key",
    "include",
    "store",
    "stream",
];

/// Parses a body, or refuses it.
pub(super) fn read(body: &Value) -> Result<ComparableBody, StrictApiRefusal> {
    let body = object(body, "the body", &FIELDS)?;
    text(body, "model")?;
    ensure(
        body.get("store") == Some(&json!(false)),
        StrictApiRule::Shape,
        "these rules are for store: false",
    )?;
    let tools = tools(body)?;
    let chooses = body.contains_key("tool_choice");
    ensure(tools > 0 || !chooses, StrictApiRule::ToolsMissing, "tool_choice")?;
    let frozen = json!([body.get("model"), body.get("instructions"), body.get("tools")]);
    let mut read = ResponsesHistoryCheck {
        seal: ThoughtSealHash::default(),
        turns: Vec::new(),
        ids: Vec::new(),
        open: Vec::new(),
        is_interrupted: false,
    };
    read.seal.add(&frozen);
    let input = list(body.get("input"), "input")?;
    format(body, input)?;
    for (at, item) in input.iter().enumerate() {
        read.item(item, input.get(at + 1))?;
    }
    read.all_answered()?;
    Ok(ComparableBody { frozen, turns: read.turns, seal: read.seal })
}

/// The requested reply format.
fn format(body: &JsonObjectMap, input: &[Value]) -> Result<(), StrictApiRefusal> {
    let Some(format) = body.get("text").and_then(|text| text.get("format")) else { return Ok(()) };
    match format["type"].as_str() {
        Some("json_object") => {
            let says = input.iter().any(|item| item.to_string().to_lowercase().contains("json"));
            ensure(says, StrictApiRule::JsonWord, "no item of the input holds the word")
        }
        Some("json_schema") if format["strict"] == true => {
            output_schema(&format["schema"], SchemaCompileMode::OpenAi)
        }
        Some("json_schema" | "text") => Ok(()),
        other => refuse(StrictApiRule::Shape, format!("text.format is {other:?}")),
    }
}

/// A response with these parts.
pub(super) fn answer(said: &[StrictReplyPart], seal: &mut ThoughtSealHash) -> Value {
    let output: Vec<Value> = said.iter().map(|said| item(said, seal)).collect();
    json!({"id": "resp_1", "object": "response", "model": "gpt-6-sol", "status": "completed", "output": output})
}

fn item(said: &StrictReplyPart, seal: &mut ThoughtSealHash) -> Value {
    let item = match said {
        StrictReplyPart::Thinks(thought) => json!({
            "type": "reasoning", "id": format!("rs_{thought}"), "summary": [],
            "encrypted_content": seal.of(&format!("rs_{thought}")),
        }),
        StrictReplyPart::Says(text) => json!({
            "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }),
        StrictReplyPart::Calls { id, name, arguments } => json!({
            "type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": name,
            "arguments": arguments, "status": "completed",
        }),
    };
    seal.add(&item);
    item
}

struct ResponsesHistoryCheck<'a> {
    seal: ThoughtSealHash,
    turns: Vec<Value>,
    /// Calls, and whether they have their result.
    ids: Vec<(&'a str, bool)>,
    /// Calls that wait for their result.
    open: Vec<&'a str>,
    /// Whether other items follow the model's last one, so that its next item belongs to another turn.
    is_interrupted: bool,
}

impl<'a> ResponsesHistoryCheck<'a> {
    fn item(&mut self, item: &'a Value, next: Option<&Value>) -> Result<(), StrictApiRefusal> {
        match item["type"].as_str() {
            Some("function_call_output") => self.output(item)?,
            Some("function_call") => self.call(item)?,
            Some("reasoning") => {
                self.speaks()?;
                self.reasoning(item, next)?;
            }
            None | Some("message") => return self.message(item),
            Some(other) => return refuse(StrictApiRule::Shape, format!("an item is of type {other}")),
        }
        self.keep(item.clone());
        Ok(())
    }

    fn message(&mut self, item: &Value) -> Result<(), StrictApiRefusal> {
        let message = object(item, "a message", &["type", "id", "role", "status", "content"])?;
        let role = text(message, "role")?;
        let part = match role {
            "user" | "developer" | "system" => "input_text",
            "assistant" => "output_text",
            other => return refuse(StrictApiRule::Role, other),
        };
        match role {
            "assistant" => self.speaks()?,
            _ => self.is_interrupted = true,
        }
        match message.get("content") {
            Some(Value::String(_)) => self.keep(item.clone()),
            content => {
                for found in list(content, "content")? {
                    if role == "user" && file(found)? {
                        continue;
                    }
                    let is_known = found["type"] == part && found["text"].is_string();
                    ensure(is_known, StrictApiRule::Shape, format!("{role}: {found}"))?;
                }
                match role {
                    // The model's items stay in one piece, and so does their seal.
                    "assistant" => self.keep(item.clone()),
                    _ => list(content, "content")?.iter().for_each(|part| self.keep(json!([role, part]))),
                }
            }
        }
        Ok(())
    }

    fn call(&mut self, item: &'a Value) -> Result<(), StrictApiRefusal> {
        let known = ["type", "id", "call_id", "name", "arguments", "status"];
        self.speaks()?;
        let call = object(item, "a call", &known)?;
        let id = text(call, "call_id")?;
        ensure((1..=64).contains(&id.len()), StrictApiRule::IdShape, id)?;
        ensure(self.ids.iter().all(|(known, _)| *known != id), StrictApiRule::IdTwice, id)?;
        ensure(is_word(text(call, "name")?), StrictApiRule::NameShape, text(call, "name")?)?;
        text(call, "arguments")?;
        self.ids.push((id, false));
        self.open.push(id);
        Ok(())
    }

    fn output(&mut self, item: &'a Value) -> Result<(), StrictApiRefusal> {
        self.is_interrupted = true;
        let output = object(item, "a result", &["type", "call_id", "output"])?;
        let id = text(output, "call_id")?;
        match output.get("output") {
            Some(Value::Array(parts)) if !parts.is_empty() => parts.iter().try_for_each(output_part)?,
            _ => drop(text(output, "output")?),
        }
        let Some((_, answered)) = self.ids.iter_mut().find(|(known, _)| *known == id) else {
            return refuse(StrictApiRule::ResultWithoutCall, id);
        };
        ensure(!*answered, StrictApiRule::ResultTwice, id)?;
        *answered = true;
        self.open.retain(|open| *open != id);
        Ok(())
    }

    fn reasoning(&self, item: &Value, next: Option<&Value>) -> Result<(), StrictApiRefusal> {
        let known = ["type", "id", "summary", "content", "encrypted_content", "status"];
        let reasoning = object(item, "reasoning", &known)?;
        let id = text(reasoning, "id")?;
        let Some(sealed) = reasoning.get("encrypted_content").and_then(Value::as_str) else {
            return refuse(StrictApiRule::SealMissing, id);
        };
        ensure(sealed == self.seal.of(id), StrictApiRule::SealBroken, id)?;
        let followed = next.is_some_and(|next| match next["type"].as_str() {
            Some("function_call" | "reasoning") => true,
            Some("message") => next["role"] == "assistant",
            _ => false,
        });
        ensure(followed, StrictApiRule::ReasoningAlone, id)
    }

    /// The model continues: a next turn may not begin while a call has no result.
    fn speaks(&mut self) -> Result<(), StrictApiRefusal> {
        if std::mem::take(&mut self.is_interrupted) { self.all_answered() } else { Ok(()) }
    }

    fn all_answered(&self) -> Result<(), StrictApiRefusal> {
        match self.open.first() {
            Some(id) => refuse(StrictApiRule::CallWithoutResult, *id),
            None => Ok(()),
        }
    }

    fn keep(&mut self, turn: Value) {
        self.seal.add(&turn);
        self.turns.push(turn);
    }
}

fn tools(body: &JsonObjectMap) -> Result<usize, StrictApiRefusal> {
    let Some(tools) = body.get("tools") else { return Ok(0) };
    let mut called = Vec::new();
    for tool in list(Some(tools), "tools")? {
        let tool = object(tool, "a tool", &["type", "name", "description", "parameters", "strict"])?;
        ensure(tool.get("type") == Some(&json!("function")), StrictApiRule::Shape, "a tool is no function")?;
        called.push(text(tool, "name")?);
        schema(tool.get("parameters"))?;
        ensure(
            tool.get("strict") == Some(&json!(false)),
            StrictApiRule::Schema,
            "our schemas are not strict",
        )?;
    }
    names(called.into_iter())
}

/// A part of a result that has files.
fn output_part(part: &Value) -> Result<(), StrictApiRefusal> {
    if file(part)? {
        return Ok(());
    }
    let is_text = part["type"] == "input_text" && part["text"].is_string();
    ensure(is_text, StrictApiRule::Shape, format!("a part of a result is {part}"))
}

/// Whether a part is an image or a file; refused if it is a wrong one.
fn file(part: &Value) -> Result<bool, StrictApiRefusal> {
    match part["type"].as_str() {
        Some("input_image") => {
            let part = object(part, "an image", &["type", "detail", "image_url"])?;
            let is_known = matches!(text(part, "detail")?, "auto" | "low" | "high");
            ensure(is_known, StrictApiRule::Shape, "the detail of an image")?;
            data_url(text(part, "image_url")?, &IMAGES)?;
            Ok(true)
        }
        Some("input_file") => {
            let part = object(part, "a file", &["type", "filename", "file_data"])?;
            text(part, "filename")?;
            data_url(text(part, "file_data")?, &PDF)?;
            Ok(true)
        }
        _ => Ok(false),
    }
}
