//! Checks that every declared command must pass: its name, texts, schema and example. Pure.

use entracte_application::command_naming::tool_name;
use entracte_application::commands::Catalog;
use entracte_application::json_value::from_serde;
use entracte_application::schema::{Schema, SchemaRefusal};
use entracte_application::settings::SchemaBounds;
use entracte_application::texts::{LocalizedMessage, saying};
use serde_json::Value;

/// A fault of one key of a declaration, with its fix.
pub(crate) struct DeclarationFault {
    /// The key of the declaration.
    pub(crate) key: String,
    /// The fault, with the rejected value.
    pub(crate) problem: LocalizedMessage,
    /// The fix.
    pub(crate) fix: LocalizedMessage,
}

/// The most characters of a name; some providers refuse longer ones.
const NAME_MAX: usize = 64;

/// Checks the catalog name, the envelope word and the description for the model.
pub(crate) fn names(name: &str, word: &str, doc: &str) -> Result<(), DeclarationFault> {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    if name.len() > NAME_MAX || !name.contains('.') || !name.split('.').all(part) {
        return declaration_fault(
            "name",
            saying!("fault-command-name", given = name),
            saying!("fault-name-like"),
        );
    }
    let fits = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    if word.len() > NAME_MAX || !word.starts_with(|c: char| c.is_ascii_uppercase()) || !word.chars().all(fits)
    {
        return declaration_fault(
            "word",
            saying!("fault-command-word", given = word),
            saying!("fault-word-like"),
        );
    }
    let taken = [name, word, &tool_name(name)];
    if let Some(reserved) = Catalog::reserved_names().find(|reserved| taken.contains(&reserved.as_str())) {
        return declaration_fault(
            "name",
            saying!("fault-name-reserved", given = name, reserved = reserved),
            saying!("fault-name-like"),
        );
    }
    if doc.trim().is_empty() {
        return declaration_fault("doc", saying!("fault-empty"), saying!("fault-say-doc"));
    }
    Ok(())
}

/// The default envelope word of a catalog name.
pub(crate) fn word_of(name: &str) -> String {
    name.to_ascii_uppercase().replace('.', "_")
}

/// Checks that `schema` is a valid JSON Schema within the bounds.
pub(crate) fn schema(key: &str, schema: &Value) -> Result<(), DeclarationFault> {
    match Schema::new(schema, &SchemaBounds::WIDEST) {
        Ok(_) => Ok(()),
        Err(SchemaRefusal::NoSchema { says, .. }) => {
            declaration_fault(key, saying!("fault-not-schema", why = says), saying!("fault-correct"))
        }
        Err(why) => declaration_fault(key, why.saying(), saying!("fault-simpler")),
    }
}

/// Checks that `schema` describes an object without additional properties.
pub(crate) fn closed_object(schema: &Value) -> Result<(), DeclarationFault> {
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return declaration_fault("arguments.type", saying!("fault-not-object"), saying!("fault-add-object"));
    }
    if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        let fix = saying!("fault-add-closed");
        return declaration_fault("arguments.additionalProperties", saying!("fault-not-false"), fix);
    }
    Ok(())
}

/// Checks the example against the schema of the arguments.
pub(crate) fn sample(arguments: &Value, example: Option<&Value>) -> Result<(), DeclarationFault> {
    let Some(example) = example else { return Ok(()) };
    let unfit = |problem| declaration_fault("example", problem, saying!("fault-correct-one"));
    // An invalid schema is reported by its own check.
    let Ok(schema) = Schema::new(arguments, &SchemaBounds::WIDEST) else { return Ok(()) };
    match schema.faults(&from_serde(example), 1) {
        Ok(faults) => faults.into_iter().next().map_or(Ok(()), |fault| {
            unfit(saying!("fault-example-unfit", fault = fault.text, path = fault.path))
        }),
        Err(why) => unfit(why.saying()),
    }
}

/// Whether `name` is a valid environment variable name. Most API keys pasted by mistake contain a `-`, so they are
/// refused.
pub(crate) fn is_variable(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit())
}

fn declaration_fault(
    key: &str,
    problem: LocalizedMessage,
    fix: LocalizedMessage,
) -> Result<(), DeclarationFault> {
    Err(DeclarationFault { key: key.to_owned(), problem, fix })
}
