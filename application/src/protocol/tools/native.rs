//! Commands as native tools: their declarations, and the parsing of replies that call them.

use entracte_domain::command::Command;
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

/// The argument with which a model requests approval of an action.
const REQUEST_VALIDATION: &str = "request_validation";

/// A reply in domain terms: message, faults and requested commands.
#[derive(Debug)]
pub struct NativeToolReply {
    /// The message of the reply.
    pub message: AiMessage,
    /// Why the reply cannot be accepted; empty if it can.
    pub faults: Vec<FormatFault>,
    /// The requested commands.
    pub asked: Vec<CommandInvocation>,
}

/// The commands of the catalog as tools, followed by the control tools.
pub fn declarations(commands: &[CommandSpec], kind: SessionKind, language: Language) -> Vec<ToolDeclaration> {
    declarations_of(commands, kind, None, language)
}

/// The declarations for an agent whose result has this schema.
pub fn declarations_of(
    commands: &[CommandSpec],
    kind: SessionKind,
    result: Option<&serde_json::Value>,
    language: Language,
) -> Vec<ToolDeclaration> {
    let commands = commands.iter().map(|spec| ToolDeclaration {
        name: tool_name(&spec.name),
        description: command_doc(spec, CommandNaming::Tools, language),
        schema: schema(spec),
    });
    commands.chain(control_tools::declarations(kind, result, language)).collect()
}

/// The schema of a command; one that may need approval also accepts the approval request, which level 1 explains once
/// instead of each schema.
fn schema(spec: &CommandSpec) -> serde_json::Value {
    let mut schema = schema_for_model(spec).into_owned();
    let takes_wish = spec.may_need_approval() && has_own_argument(&spec.schema).is_none();
    if takes_wish
        && let Some(properties) = schema.get_mut("properties").and_then(serde_json::Value::as_object_mut)
    {
        properties.insert(REQUEST_VALIDATION.into(), json!({"type": "boolean"}));
    }
    schema
}

/// The command's own argument of the same name, if it has one.
fn has_own_argument(schema: &serde_json::Value) -> Option<&serde_json::Value> {
    schema.get("properties")?.get(REQUEST_VALIDATION)
}

/// Parses a whole reply.
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

/// A native call, for the pipeline. Arguments that are not JSON become a text, which no schema accepts.
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

/// The command with a request for approval of this one call, whatever rule approves such calls. `None` if the
/// command has an argument of that name itself.
pub fn with_approval_request(catalog: &Catalog, command: &Command) -> Option<Command> {
    let known = catalog.find(&command.name)?;
    let is_own = has_own_argument(&known.spec.schema).is_some();
    let JsonValue::Object(mut members) = command.arguments.clone() else { return None };
    members.push((REQUEST_VALIDATION.to_owned(), JsonValue::Bool(true)));
    (!is_own).then(|| Command { name: command.name.clone(), arguments: JsonValue::Object(members) })
}

/// Removes the approval request from the arguments, because it is no argument of the command.
fn take_approval_request(arguments: &mut JsonValue) -> bool {
    let JsonValue::Object(members) = arguments else { return false };
    let wish =
        members.iter().find(|(name, _)| name == REQUEST_VALIDATION).and_then(|(_, value)| value.as_bool());
    if wish.is_some() {
        members.retain(|(name, _)| name != REQUEST_VALIDATION);
    }
    wish.unwrap_or_default()
}
