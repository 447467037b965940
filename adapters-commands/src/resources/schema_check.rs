//! Checks values against JSON Schemas, and locates every fault.

use entracte_application::schema::{Schema, SchemaDocument, SchemaRefusal, ValueFault, ValueFaultKind};
use entracte_application::settings::SchemaBounds;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::value::JsonValue;

use super::refusal::ArgumentFault;

/// A compiled schema. An invalid one rejects every value with its error, instead of failing a process for one tool.
pub(crate) struct SchemaChecker(Result<Schema, SchemaRefusal>);

impl SchemaChecker {
    /// Compiles a schema; reads nothing from the network or from files.
    pub(crate) fn new(schema: impl Into<SchemaDocument>) -> Self {
        Self(Schema::new(schema, &SchemaBounds::default()))
    }

    /// Takes a schema of the program, which is compiled at the first check.
    pub(crate) fn of_program(schema: impl Into<SchemaDocument>) -> Self {
        Self(Ok(Schema::of_program(schema, &SchemaBounds::default())))
    }

    /// The faults of `value`, whose path in the arguments is `at`; at most [`MOST_FAULTS`].
    pub(crate) fn faults(&self, texts: &LocalizedTexts, value: &JsonValue, at: &str) -> Vec<ArgumentFault> {
        let one = |message: String| vec![ArgumentFault { path: at.to_owned(), message }];
        let schema = match &self.0 {
            Ok(schema) => schema,
            Err(why) => return one(say!(texts, "resources-fault-schema", why = why.describe(texts))),
        };
        match schema.faults(value, MOST_FAULTS) {
            Ok(found) => found.iter().map(|found| fault(texts, found, at)).collect(),
            Err(why) => one(why.describe(texts)),
        }
    }
}

/// The most faults reported for one value.
const MOST_FAULTS: usize = 3;
/// The most characters of one message, which quotes the value.
const MOST_MESSAGE_CHARS: usize = 240;

fn fault(texts: &LocalizedTexts, found: &ValueFault, at: &str) -> ArgumentFault {
    let place = format!("{at}{}", found.path);
    let (path, message) = match &found.kind {
        ValueFaultKind::Required { property } => {
            (member(&place, property), say!(texts, "resources-fault-required"))
        }
        ValueFaultKind::AdditionalProperties { unexpected } => {
            let name = unexpected.first().map(String::as_str).unwrap_or_default();
            (member(&place, name), say!(texts, "resources-fault-no-field"))
        }
        _ => (place, message(texts, found)),
    };
    ArgumentFault { path, message: shortened(&message) }
}

fn message(texts: &LocalizedTexts, found: &ValueFault) -> String {
    use ValueFaultKind as Kind;
    let value = &found.value;
    let bound = |key: &str, limit: String| say!(texts, key, value = value, limit = limit);
    let count = |key: &str, limit: u64| say!(texts, key, value = value, limit = limit);
    match &found.kind {
        Kind::FalseSchema => say!(texts, "resources-fault-foreign"),
        Kind::Minimum { limit } => bound("resources-fault-minimum", limit.clone()),
        Kind::Maximum { limit } => bound("resources-fault-maximum", limit.clone()),
        Kind::MinLength { limit } => count("resources-fault-short", *limit),
        Kind::MaxLength { limit } => count("resources-fault-long", *limit),
        Kind::MinItems { limit } => count("resources-fault-few", *limit),
        Kind::MaxItems { limit } => count("resources-fault-many", *limit),
        Kind::UniqueItems => say!(texts, "resources-fault-twice", value = value),
        Kind::Format { format } => bound("resources-fault-format", format.clone()),
        Kind::Enum { options } => bound("resources-fault-option", options.join(", ")),
        Kind::Type { types } => bound("resources-fault-type", types_of(types)),
        // Faults of other kinds do not occur with Entracte's own schemas; their text is the library's, in English.
        _ => found.text.clone(),
    }
}

/// `"number"`, `"number", "string"`
fn types_of(types: &[String]) -> String {
    types.iter().map(|one| format!("\"{one}\"")).collect::<Vec<_>>().join(", ")
}

fn member(place: &str, name: &str) -> String {
    format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn shortened(message: &str) -> String {
    if message.chars().count() <= MOST_MESSAGE_CHARS {
        return message.to_owned();
    }
    let kept: String = message.chars().take(MOST_MESSAGE_CHARS).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use entracte_application::json_value::from_serde;
    use serde_json::json;

    use super::*;

    fn texts() -> &'static LocalizedTexts {
        LocalizedTexts::for_language(entracte_application::settings::Language::En)
    }

    fn check(schema: serde_json::Value, value: serde_json::Value) -> Vec<String> {
        let faults = SchemaChecker::new(schema).faults(texts(), &from_serde(&value), "/at");
        faults.into_iter().map(|fault| format!("{} {}", fault.path, fault.message)).collect()
    }

    #[test]
    fn each_fault_has_its_path() {
        let schema = json!({"type": "object", "required": ["a/b"], "properties": {"a/b": {"maximum": 3}},
            "additionalProperties": false});
        assert_eq!(check(schema.clone(), json!({})), ["/at/a~1b this is required"]);
        assert_eq!(check(schema.clone(), json!({"a/b": 1, "x": 2})), ["/at/x there is no such field"]);
        assert_eq!(check(schema.clone(), json!({"a/b": 4})), ["/at/a~1b 4 is greater than the maximum of 3"]);
        assert_eq!(check(schema, json!({"a/b": 3})), Vec::<String>::new());
    }

    #[test]
    fn invalid_schema_rejects_values_with_its_error() {
        let said = check(json!({"type": "nonsense"}), json!(1));
        assert!(said[0].starts_with("/at the schema for this cannot be used"), "{said:?}");
    }

    #[test]
    fn number_beyond_f64_is_fault() {
        let huge = JsonValue::Number("1e999".into());
        let faults = SchemaChecker::new(json!({"type": "number"})).faults(texts(), &huge, "/data");
        assert_eq!(faults.first().map(|fault| fault.path.as_str()), Some("/data"));
    }
}
