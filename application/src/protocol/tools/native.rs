//! Commands as native tools: their declarations, and the parsing of replies that call them.

use entracte_domain::command::{Command, FIND_COMMANDS};
use entracte_domain::message::AiMessage;
use entracte_domain::session::{FormatFault, SessionKind};
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::super::{has_commands_on_demand, with_report};
use super::control_tools;
use crate::command_naming::{CommandNaming, OWN_TOOLS, RUN_COMMAND, tool_name};
use crate::commands::{Catalog, CommandInvocation};
use crate::json_value;
use crate::ports::{CommandSpec, ModelReply, NativeCall, ToolDeclaration, command_doc, schema_for_model};
use crate::schema::SchemaDocument;
use crate::settings::Language;
use crate::texts::{LocalizedTexts, say};

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
    result: Option<&SchemaDocument>,
    language: Language,
) -> Vec<ToolDeclaration> {
    let declared = commands.iter().map(|spec| command_declaration(spec, language));
    let on_demand = has_commands_on_demand(commands).then(|| run_command_declaration(language));
    declared.chain(control_tools::declarations(kind, result, language)).chain(on_demand).collect()
}

/// A command as a tool.
pub(crate) fn command_declaration(spec: &CommandSpec, language: Language) -> ToolDeclaration {
    ToolDeclaration {
        name: tool_name(&spec.name),
        description: command_doc(spec, CommandNaming::Tools, language),
        schema: schema(spec),
    }
}

/// The tool that calls a command which is no tool itself.
fn run_command_declaration(language: Language) -> ToolDeclaration {
    let texts = LocalizedTexts::for_language(language);
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["name", "arguments"],
        "properties": {
            "name": { "type": "string" },
            "arguments": { "type": "object" },
            REQUEST_VALIDATION: { "type": "boolean" },
        },
    });
    let description = say!(texts, "prompt-tool-run-command", find = tool_name(FIND_COMMANDS));
    ToolDeclaration { name: RUN_COMMAND.to_owned(), description, schema: schema.into() }
}

/// A native call as it is sent again, by the tools declared when it was made: as a call of its own tool, or through
/// [`RUN_COMMAND`] if only that is declared.
pub(crate) fn encode_native_call(
    command: &Command,
    provider_call_id: &str,
    is_declared: impl Fn(&str) -> bool,
) -> NativeCall {
    let name = tool_name(&command.name);
    let arguments = match &command.arguments {
        // Arguments that were not JSON are kept as text.
        JsonValue::Text(text) => text.clone(),
        arguments => arguments.to_json(),
    };
    let provider_call_id = provider_call_id.to_owned();
    if is_declared(&name) {
        return NativeCall { provider_call_id, name, arguments };
    }
    let wrapped =
        JsonValue::from([("name", JsonValue::from(name.as_str())), ("arguments", command.arguments.clone())]);
    NativeCall { provider_call_id, name: RUN_COMMAND.to_owned(), arguments: wrapped.to_json() }
}

/// The tool name of the command that a sent call is of, and its arguments as JSON.
pub(crate) fn unwrap_native_call(call: &NativeCall) -> (String, String) {
    let wrapped = (call.name == RUN_COMMAND).then(|| json_value::parse(&call.arguments).ok()).flatten();
    match wrapped.as_ref().and_then(WrappedCall::from_arguments) {
        Some(wrapped) => (wrapped.name, wrapped.arguments.to_json()),
        None => (call.name.clone(), call.arguments.clone()),
    }
}

/// A call through [`RUN_COMMAND`].
struct WrappedCall {
    name: String,
    arguments: JsonValue,
    wishes_approval: bool,
}

impl WrappedCall {
    /// `None` if the arguments name no command. Members beside the known ones are arguments at the wrong place: the
    /// call gets a text as arguments, which no schema accepts, instead of running without them.
    fn from_arguments(wrapped: &JsonValue) -> Option<Self> {
        let name = wrapped.get("name").and_then(JsonValue::as_text)?.trim().to_owned();
        let known = ["name", "arguments", REQUEST_VALIDATION];
        let is_flat = wrapped.as_object()?.iter().any(|(member, _)| !known.contains(&member.as_str()));
        let arguments = match wrapped.get("arguments") {
            _ if is_flat => JsonValue::Text(wrapped.to_json()),
            None | Some(JsonValue::Null) => JsonValue::Object(Vec::new()),
            // Servers that enforce a schema may take an object of any members as text.
            Some(JsonValue::Text(text)) => {
                json_value::parse(text).unwrap_or_else(|_| JsonValue::Text(text.clone()))
            }
            Some(arguments) => arguments.clone(),
        };
        let wishes_approval =
            wrapped.get(REQUEST_VALIDATION).and_then(JsonValue::as_bool).unwrap_or_default();
        Some(Self { name, arguments, wishes_approval })
    }
}

/// The schema of a command; one that may need approval also accepts the approval request, which level 1 explains once
/// instead of each schema.
fn schema(spec: &CommandSpec) -> SchemaDocument {
    let mut schema = schema_for_model(spec).into_owned().into_value();
    let takes_wish = spec.may_need_approval() && has_own_argument(&spec.schema).is_none();
    if takes_wish && let Some(properties) = schema.get_mut("properties") {
        properties.set(REQUEST_VALIDATION, JsonValue::from([("type", JsonValue::from("boolean"))]));
    }
    schema.into()
}

/// The command's own argument of the same name, if it has one.
fn has_own_argument(schema: &JsonValue) -> Option<&JsonValue> {
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
    let arguments = if call.arguments.trim().is_empty() {
        JsonValue::Object(Vec::new())
    } else {
        json_value::parse(&call.arguments).unwrap_or_else(|_| JsonValue::Text(call.arguments.clone()))
    };
    let is_wrapped = call.name == RUN_COMMAND;
    let wrapped = if is_wrapped { WrappedCall::from_arguments(&arguments) } else { None };
    let unwrapped = || WrappedCall { name: call.name.clone(), arguments, wishes_approval: false };
    let WrappedCall { name: called, mut arguments, wishes_approval } = wrapped.unwrap_or_else(unwrapped);
    // A prompt may name a command in other ways than the wire does.
    let named = catalog.find_by_tool_name(&called).or_else(|| catalog.find(&called).filter(|_| is_wrapped));
    let name = named.map_or(called, |known| known.spec.name.clone());
    let is_wish = named.is_some_and(|known| has_own_argument(&known.spec.schema).is_none());
    let wishes_approval = (is_wish && take_approval_request(&mut arguments)) || wishes_approval;
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
