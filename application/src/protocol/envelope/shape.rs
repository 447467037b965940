//! The shape of the object, as a schema and for examples.

use entracte_domain::command::CommandKind;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::ports::{CommandSpec, shown_schema};

/// The one JSON object of a reply. `queries` and `actions` are never both given; a `question` stands alone.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Envelope {
    /// What you say to the user before anything is run; may be empty.
    pub(crate) pre_text: String,
    /// Commands that read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) queries: Option<Vec<CommandShape>>,
    /// Commands that change something, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) actions: Option<Vec<CommandShape>>,
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
    pub(crate) question: Option<QuestionShape>,
    /// The work is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) completed: Option<bool>,
    /// The steps that you plan, in order; shown to the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plan: Option<Vec<String>>,
}

/// One command.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommandShape {
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
pub(crate) enum QuestionShape {
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

/// The JSON Schema of the object. It says the shape only: that `queries` and `actions` exclude each other, that
/// a question stands alone and has two options is left to [`super::read`], because providers enforce no such
/// keywords.
pub fn schema() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<Envelope>().to_value();
    use_any_of(&mut schema);
    schema
}

/// The JSON Schema of the object where only these commands may be asked for, each with its own arguments.
pub fn schema_for(catalog: &[CommandSpec]) -> Value {
    let mut schema = schema();
    for (field, kind) in [("queries", CommandKind::Query), ("actions", CommandKind::Action)] {
        let commands: Vec<Value> =
            catalog.iter().filter(|spec| spec.kind == kind).map(command_schema).collect();
        let Some(Value::Object(fields)) = schema.get_mut("properties") else { continue };
        if commands.is_empty() {
            fields.remove(field);
        } else if let Some(Value::Object(list)) = fields.get_mut(field) {
            list.insert("items".to_owned(), json!({ "anyOf": commands }));
        }
    }
    schema
}

fn command_schema(spec: &CommandSpec) -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["type", "params"],
        "properties": { "type": { "const": spec.word }, "params": arguments(&shown_schema(spec)) },
    })
}

/// The schema of a command's arguments as a part of another; one with references of its own cannot be a part.
fn arguments(schema: &Value) -> Value {
    match schema {
        Value::Object(keywords) if !has_reference(schema) => {
            let mut keywords = keywords.clone();
            keywords.remove("$schema");
            Value::Object(keywords)
        }
        _ => json!({ "type": "object" }),
    }
}

fn has_reference(schema: &Value) -> bool {
    match schema {
        Value::Object(keywords) => keywords.contains_key("$ref") || keywords.values().any(has_reference),
        Value::Array(items) => items.iter().any(has_reference),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Providers enforce `anyOf`; `oneOf` they refuse.
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
