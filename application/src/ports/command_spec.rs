use std::borrow::Cow;
use std::sync::Arc;

use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::time::Millis;
use serde_json::Value;

use super::TaskSpec;
use crate::agents::AgentDeclaration;
use crate::command_naming::{CommandNaming, CommandPointer};
use crate::texts::{Language, LocalizedTexts, TextValue};

/// One command, declared once. Parser, checks, prompt documentation, verbalisation and native tools derive
/// from it.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandSpec {
    /// What the model writes in the envelope: `CREATE_DATA`.
    pub word: String,
    /// `resource.operation`: `tool_data.batch_create`.
    pub name: String,
    /// Query or action.
    pub kind: CommandKind,
    /// What may be done when its outcome is not known.
    pub effect: EffectClass,
    /// JSON Schema of its arguments: an object with `additionalProperties: false`.
    pub schema: serde_json::Value,
    /// An identical query within the window may be answered from the ledger.
    pub cacheable: bool,
    /// May run beside its siblings.
    pub independent: bool,
    /// Cannot be undone: always needs approval.
    pub destructive: bool,
    /// Sends data out of the workspace: always needs approval.
    pub egress: bool,
    /// Always needs approval, each time by itself: no rule gives it in advance.
    pub asks: bool,
    /// Always needs approval, by somebody whose words are not in the exchange.
    pub four_eyes: bool,
    /// What it reaches and sends beside its arguments, as its executor says it: method, address, names of headers, the
    /// program and its arguments. Part of its meaning, so an approval is bound to it. Secrets are in it by the place
    /// where they are kept only. Null for what changes the workspace's own data.
    pub target: serde_json::Value,
    /// The agent that it calls; none where it calls none.
    pub agent: Option<Arc<AgentDeclaration>>,
    /// Its own time-out instead of the general one.
    pub timeout: Option<Millis>,
    /// `probe`: how long after a lost outcome a "no" counts.
    pub settle: Millis,
    /// `idempotent`: how long its key holds.
    pub key_lifetime: Millis,
    /// That it becomes a long task; none for one that ends with its answer.
    pub task: Option<TaskSpec>,
    /// What the model reads about it.
    pub doc: String,
    /// An example of its arguments, JSON; must be executable as it stands where the rows it names exist.
    pub example: Option<serde_json::Value>,
}

impl CommandSpec {
    /// A query that may run beside its siblings; its schema is that of an object which names every part of it.
    ///
    /// ```
    /// use entracte_application::ports::CommandSpec;
    /// use serde_json::json;
    ///
    /// let schema = json!({ "type": "object", "additionalProperties": false });
    /// let ping = CommandSpec::query("PING", "ping.send", "Answers pong.", schema);
    /// assert!(ping.independent && !ping.destructive);
    /// ```
    pub fn query(word: &str, name: &str, doc: &str, schema: serde_json::Value) -> Self {
        Self {
            independent: true,
            ..Self::of(CommandKind::Query, EffectClass::Read, [word, name, doc], schema)
        }
    }

    /// An action of this class, which waits for its siblings. What may not be undone, or sends data out, is said with the
    /// fields of those names; a `probe` has a time to settle, an `idempotent` one the time for which its key holds.
    pub fn action(word: &str, name: &str, doc: &str, effect: EffectClass, schema: serde_json::Value) -> Self {
        Self::of(CommandKind::Action, effect, [word, name, doc], schema)
    }

    fn of(
        kind: CommandKind,
        effect: EffectClass,
        [word, name, doc]: [&str; 3],
        schema: serde_json::Value,
    ) -> Self {
        Self {
            word: word.to_owned(),
            name: name.to_owned(),
            kind,
            effect,
            schema,
            cacheable: false,
            independent: false,
            destructive: false,
            egress: false,
            asks: false,
            four_eyes: false,
            target: serde_json::Value::Null,
            agent: None,
            timeout: None,
            settle: Millis(0),
            key_lifetime: Millis(0),
            task: None,
            doc: doc.to_owned(),
            example: None,
        }
    }
}

/// What is read about a command, with the commands that it points at called as its reader knows them. Executors declare
/// it in English; the catalogue of texts has it in each language for the commands of Entracte.
pub fn command_doc(spec: &CommandSpec, naming: CommandNaming, language: Language) -> String {
    if is_ours(spec) { builtin_command_doc(&spec.word, naming, language) } else { spec.doc.clone() }
}

/// Whether the catalogue of texts documents a command. One of somebody else may have a word of ours, and has its own
/// words then.
fn is_ours(spec: &CommandSpec) -> bool {
    let key = format!("doc-{}", spec.word);
    LocalizedTexts::for_language(Language::En).has(&key)
        && builtin_command_doc(&spec.word, CommandNaming::Types, Language::En) == spec.doc
}

/// Whether [`doc`] says what each argument of a command means: it is a command of Entracte, and it names them all.
pub fn documents_arguments(spec: &CommandSpec) -> bool {
    let mut names = spec.schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name);
    is_ours(spec) && names.all(|name| spec.doc.contains(name.as_str()))
}

/// The schema of a command's arguments as a model reads it beside [`doc`]: what that says, the schema does not say a
/// second time. Arguments are checked by the schema itself.
pub fn schema_for_model(spec: &CommandSpec) -> Cow<'_, Value> {
    if documents_arguments(spec) {
        Cow::Owned(without_descriptions(&spec.schema))
    } else {
        Cow::Borrowed(&spec.schema)
    }
}

/// A schema without what its parts say in words. A property may be called `description`: then it is no text.
fn without_descriptions(schema: &Value) -> Value {
    match schema {
        Value::Object(keywords) => {
            let kept = keywords.iter().filter(|(name, value)| *name != "description" || !value.is_string());
            kept.map(|(name, value)| (name.clone(), without_descriptions(value))).collect()
        }
        Value::Array(items) => items.iter().map(without_descriptions).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

/// The text of the catalogue about a command of Entracte.
pub fn builtin_command_doc(word: &str, naming: CommandNaming, language: Language) -> String {
    let places =
        CommandPointer::ALL.map(|pointer| (pointer.word, TextValue::from(naming.format_pointer(pointer))));
    LocalizedTexts::for_language(language).render(&format!("doc-{word}"), &places)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_doc_says_the_schema_does_not_say_again() {
        let schema = json!({"type": "object", "description": "All.", "properties": {
            "description": {"type": "string", "description": "What it is.", "maxLength": 9},
            "of": {"type": "array", "items": {"anyOf": [{"description": "One."}, {"type": "null"}]}},
        }});
        let expected = json!({"type": "object", "properties": {
            "description": {"type": "string", "maxLength": 9},
            "of": {"type": "array", "items": {"anyOf": [{}, {"type": "null"}]}},
        }});
        assert_eq!(without_descriptions(&schema), expected);
    }
}
