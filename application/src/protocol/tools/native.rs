//! Commands as native tools: how they are offered, and how a reply that asks for them is read.

use entracte_domain::command::{Command, CommandKind};
use entracte_domain::message::AiMessage;
use entracte_domain::session::{FormatFault, SessionKind};
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::super::with_report;
use super::control_tools;
use crate::command_naming::{CommandNaming, OWN_TOOLS, tool_name};
use crate::commands::{Catalog, CommandInvocation};
use crate::json_value;
use crate::ports::{CommandSpec, ModelReply, NativeCall, ToolDeclaration, command_doc, schema_for_model};
use crate::settings::Language;

/// The argument by which a model asks that a person see an action first.
const REQUEST_VALIDATION: &str = "request_validation";

/// A reply in the words of the domain: what was said, what was wrong with it, what it asks for.
#[derive(Debug)]
pub struct NativeToolReply {
    /// What was said.
    pub message: AiMessage,
    /// Why it cannot be taken as it is; empty when it can.
    pub faults: Vec<FormatFault>,
    /// The commands that it asks for.
    pub asked: Vec<CommandInvocation>,
}

/// The commands of the catalog as tools, then our own.
pub fn declarations(commands: &[CommandSpec], kind: SessionKind, language: Language) -> Vec<ToolDeclaration> {
    declarations_of(commands, (kind, None), language)
}

/// The same, where an agent answers with a result of this schema.
pub fn declarations_of(
    commands: &[CommandSpec],
    (kind, result): (SessionKind, Option<&serde_json::Value>),
    language: Language,
) -> Vec<ToolDeclaration> {
    let commands = commands.iter().map(|spec| ToolDeclaration {
        name: tool_name(&spec.name),
        description: command_doc(spec, CommandNaming::Tools, language),
        schema: schema(spec),
    });
    commands.chain(control_tools::declarations(kind, result, language)).collect()
}

/// The schema of a command; that of an action also takes the wish for a person's approval. What that means stands once
/// in level 1, and not in each of them.
fn schema(spec: &CommandSpec) -> serde_json::Value {
    let mut schema = schema_for_model(spec).into_owned();
    let takes_wish = spec.kind == CommandKind::Action && has_own_argument(&spec.schema).is_none();
    if takes_wish
        && let Some(properties) = schema.get_mut("properties").and_then(serde_json::Value::as_object_mut)
    {
        properties.insert(REQUEST_VALIDATION.into(), json!({"type": "boolean"}));
    }
    schema
}

/// The command's own argument of that name, when it has one.
fn has_own_argument(schema: &serde_json::Value) -> Option<&serde_json::Value> {
    schema.get("properties")?.get(REQUEST_VALIDATION)
}

/// Reads a whole reply.
pub fn parse_tool_reply(catalog: &Catalog, reply: &ModelReply, language: Language) -> NativeToolReply {
    let is_own = |call: &&NativeCall| OWN_TOOLS.contains(&call.name.as_str());
    let (own, commands): (Vec<&NativeCall>, Vec<&NativeCall>) = reply.calls.iter().partition(is_own);
    let said = control_tools::parse_control_calls(&own, !commands.is_empty(), language);
    let message = AiMessage {
        pre_text: with_report(reply.text.clone(), said.report.as_deref()),
        original: reply.text.clone(),
        question: said.question,
        completed: said.completed,
        plan: said.plan,
        exit: said.exit,
        asks: said.asks,
        own_calls: said.calls,
        ..AiMessage::default()
    };
    let asked = commands.into_iter().map(|call| command_invocation(catalog, call)).collect();
    NativeToolReply { message, faults: said.faults, asked }
}

/// A native call, as the pipeline looks it up. Arguments that are no JSON become a text, which no schema takes.
fn command_invocation(catalog: &Catalog, call: &NativeCall) -> CommandInvocation {
    let named = catalog.entries().find(|known| tool_name(&known.spec.name) == call.name);
    let name = named.map_or_else(|| call.name.clone(), |known| known.spec.name.clone());
    let mut arguments = if call.arguments.trim().is_empty() {
        JsonValue::Object(Vec::new())
    } else {
        json_value::parse(&call.arguments).unwrap_or_else(|_| JsonValue::Text(call.arguments.clone()))
    };
    let is_wish = named.is_some_and(|known| has_own_argument(&known.spec.schema).is_none());
    let wishes_approval = is_wish && take_approval_request(&mut arguments);
    CommandInvocation {
        provider_call_id: Some(call.provider_call_id.clone()),
        command: Command { name, arguments },
        listed_as: None,
        wishes_approval,
    }
}

/// The command with the wish that a person approve this one call, whatever rule approves such calls. None where the
/// command has an argument of that name itself.
pub fn with_approval_request(catalog: &Catalog, command: &Command) -> Option<Command> {
    let known = catalog.find(&command.name)?;
    let is_own = has_own_argument(&known.spec.schema).is_some();
    let JsonValue::Object(mut members) = command.arguments.clone() else { return None };
    members.push((REQUEST_VALIDATION.to_owned(), JsonValue::Bool(true)));
    (!is_own).then(|| Command { name: command.name.clone(), arguments: JsonValue::Object(members) })
}

/// Takes the wish out of the arguments: it is no argument of the command.
fn take_approval_request(arguments: &mut JsonValue) -> bool {
    let JsonValue::Object(members) = arguments else { return false };
    let wish =
        members.iter().find(|(name, _)| name == REQUEST_VALIDATION).and_then(|(_, value)| value.as_bool());
    if wish.is_some() {
        members.retain(|(name, _)| name != REQUEST_VALIDATION);
    }
    wish.unwrap_or_default()
}
