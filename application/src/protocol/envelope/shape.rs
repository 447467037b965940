//! The format of the object, as a schema and for examples.

use entracte_domain::command::CommandKind;
use entracte_domain::session::SessionKind;
use entracte_domain::value::JsonValue;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::super::has_commands_on_demand;
use crate::command_naming::{ASK_PRINCIPAL, EXIT, TERMINATE};
use crate::json_value::from_serde;
use crate::ports::{CommandSpec, schema_for_model};
use crate::schema::SchemaDocument;

/// The one JSON object of a reply. `queries` and `actions` are never both given; a `question` stands alone.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Envelope {
    /// What you say to the user before anything is run; may be empty.
    pub(crate) pre_text: String,
    /// Commands that read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) queries: Option<Vec<EnvelopeCommand>>,
    /// Commands that change something, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) actions: Option<Vec<EnvelopeCommand>>,
    /// The user must be asked before the actions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) validation_request: Option<bool>,
    /// What the user reads once all actions succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) post_text: Option<String>,
    /// You want to speak again after the actions succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) keep_control: Option<bool>,
    /// A question to the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) question: Option<EnvelopeQuestion>,
    /// The work is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) completed: Option<bool>,
    /// The steps that you plan, in order; shown to the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plan: Option<Vec<String>>,
    /// An agent ends its mission. Only its own schema has it, and so with the fields after it.
    #[serde(rename = "EXIT_WITH_RESULT", skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(crate) exit: Option<EnvelopeExit>,
    /// An agent asks.
    #[serde(rename = "ASK_PRINCIPAL_AGENT", skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub(crate) asks: Option<EnvelopeAsk>,
}

/// The exit of an agent.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct EnvelopeExit {
    /// Why the mission ends.
    pub(crate) reason: String,
    /// The result of the mission.
    pub(crate) result: Map<String, Value>,
    /// The result in a few sentences.
    pub(crate) conclusion: String,
}

/// The question of an agent.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct EnvelopeAsk {
    /// Text of the question.
    pub(crate) question: String,
    /// The recipient: `agent` or `user`.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub(crate) whom: Option<&'static str>,
}

/// One command.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EnvelopeCommand {
    /// Its word.
    #[serde(rename = "type")]
    pub(crate) word: String,
    /// Its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) params: Option<Map<String, Value>>,
}

/// A question to the user.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "type", deny_unknown_fields)]
pub(crate) enum EnvelopeQuestion {
    /// One of several options.
    MultipleChoice {
        /// The question.
        question: String,
        /// Two or more.
        options: Vec<String>,
        /// The user may answer something else.
        #[serde(skip_serializing_if = "Option::is_none")]
        allow_other: Option<bool>,
    },
    /// Yes or no.
    Validation {
        /// What to say yes to.
        message: String,
    },
}

/// The JSON Schema of the object. It covers the format only: [`super::parse_reply`] checks that `queries` and
/// `actions` exclude each other and that a question stands alone and has two options, because providers do not
/// enforce such keywords.
pub fn schema() -> SchemaDocument {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<Envelope>().to_value();
    use_any_of(&mut schema);
    schema.into()
}

/// The JSON Schema of the object if only these commands may be requested, each with its own arguments.
pub fn schema_for(catalog: &[CommandSpec]) -> SchemaDocument {
    format_schema(catalog).into()
}

/// [`schema_for`], to be changed.
fn format_schema(catalog: &[CommandSpec]) -> JsonValue {
    let mut schema = schema().into_value();
    for (field, kind) in [("queries", CommandKind::Query), ("actions", CommandKind::Action)] {
        let mut commands: Vec<JsonValue> =
            catalog.iter().filter(|spec| spec.kind == kind).map(command_schema).collect();
        if has_commands_on_demand(catalog) {
            commands.push(command_on_demand_schema());
        }
        let Some(fields) = schema.get_mut("properties") else { continue };
        if commands.is_empty() {
            fields.remove(field);
        } else if let Some(list) = fields.get_mut(field) {
            list.set("items", JsonValue::from([("anyOf", JsonValue::from(commands))]));
        }
    }
    schema
}

/// The JSON Schema for a session kind, including the fields with which it ends. `result` = the schema of an
/// agent's result, if declared.
pub fn schema_of(
    kind: SessionKind,
    catalog: &[CommandSpec],
    result: Option<&SchemaDocument>,
) -> SchemaDocument {
    let mut schema = format_schema(catalog);
    let Some(fields) = schema.get_mut("properties") else { return schema.into() };
    match kind {
        SessionKind::Chat | SessionKind::Seed => {}
        SessionKind::Automation => {
            fields.set(TERMINATE, optional(terminate_schema()));
        }
        SessionKind::Agent => {
            fields.remove("completed");
            fields.set(EXIT, optional(exit_schema(result)));
            fields.set(ASK_PRINCIPAL, optional(ask_schema()));
        }
    }
    schema.into()
}

/// The arguments of EXIT_WITH_RESULT, in the envelope and as a native tool.
pub(crate) fn exit_schema(result: Option<&SchemaDocument>) -> JsonValue {
    let result = result.map_or_else(|| of_type("object"), |schema| arguments(schema));
    let properties = [("reason", of_type("string")), ("result", result), ("conclusion", of_type("string"))];
    closed(properties.into(), &["reason", "result", "conclusion"])
}

/// The arguments of ASK_PRINCIPAL_AGENT.
pub(crate) fn ask_schema() -> JsonValue {
    let properties = json!({ "question": { "type": "string" }, "for": { "enum": WHOM } });
    closed(from_serde(&properties), &["question"])
}

/// The arguments of TERMINATE_TASK.
pub(crate) fn terminate_schema() -> JsonValue {
    closed([("report", of_type("string"))].into(), &["report"])
}

/// The recipients of an agent's question.
pub(crate) const WHOM: [&str; 2] = ["agent", "user"];

fn closed(properties: JsonValue, required: &[&str]) -> JsonValue {
    let required: Vec<JsonValue> = required.iter().map(|name| JsonValue::from(*name)).collect();
    JsonValue::from([
        ("type", "object".into()),
        ("additionalProperties", false.into()),
        ("required", required.into()),
        ("properties", properties),
    ])
}

fn of_type(kind: &str) -> JsonValue {
    JsonValue::from([("type", JsonValue::from(kind))])
}

fn optional(schema: JsonValue) -> JsonValue {
    JsonValue::from([("anyOf", JsonValue::from(vec![schema, of_type("null")]))])
}

/// The JSON Schema of one command in a reply.
pub(crate) fn command_schema(spec: &CommandSpec) -> JsonValue {
    let word = JsonValue::from([("const", JsonValue::from(spec.word.as_str()))]);
    closed([("type", word), ("params", arguments(&schema_for_model(spec)))].into(), &["type", "params"])
}

/// A command that the model finds on demand, so that its arguments are unknown here.
fn command_on_demand_schema() -> JsonValue {
    closed([("type", of_type("string")), ("params", of_type("object"))].into(), &["type", "params"])
}

/// The schema of a command's arguments as part of another one; a schema with references of its own cannot be
/// embedded.
fn arguments(schema: &JsonValue) -> JsonValue {
    match schema {
        JsonValue::Object(_) if !has_reference(schema) => {
            let mut schema = schema.clone();
            schema.remove("$schema");
            schema
        }
        _ => of_type("object"),
    }
}

fn has_reference(schema: &JsonValue) -> bool {
    match schema {
        JsonValue::Object(keywords) => {
            keywords.iter().any(|(name, value)| name == "$ref" || has_reference(value))
        }
        JsonValue::List(items) => items.iter().any(has_reference),
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) | JsonValue::Text(_) => false,
    }
}

/// Replaces `oneOf` by `anyOf`: providers enforce `anyOf` and refuse `oneOf`.
fn use_any_of(schema: &mut Value) {
    match schema {
        Value::Object(keywords) => {
            if let Some(variants) = keywords.remove("oneOf") {
                keywords.insert("anyOf".to_owned(), variants);
            }
            keywords.values_mut().for_each(use_any_of);
        }
        Value::Array(items) => items.iter_mut().for_each(use_any_of),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
