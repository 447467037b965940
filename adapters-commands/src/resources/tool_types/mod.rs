//! Tool types: the possible configurations of a tool, and the format of its entries.
//!
//! # To add one
//!
//! 1. Add a file with a [`ToolType`]: its name, its purpose, the JSON Schema of its configuration, the JSON Schema of
//!    its entries under a configuration, and a text for an entry. Fields for statistics and filters are its `measures`;
//!    conditions that a JSON Schema cannot express are its `config_faults`. Its texts may be in the catalogue of texts,
//!    or in the file by language.
//! 2. Add a line in [`ToolTypeRegistry::built_in`].
//!
//! No other code names a tool type: commands, statistics, filters, checks and prompts ask the type. The test
//! `a_tool_type_is_added_in_one_place` adds one that only the test knows.

mod journal;
mod list;
mod notes;
mod tracking;

use entracte_application::ports::{ActionPlanError, ResourceTypeSpec};
use entracte_application::schema::SchemaDocument;
use entracte_application::settings::Language;
use entracte_application::system::sha256;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::id::Digest;
use entracte_domain::value::JsonValue;
use serde_json::Value as Json;

use super::refusal::{ArgumentFault, faulty, refused_at};
use super::schema_check::SchemaChecker;

/// One kind of tool. Pure: methods only compute texts, schemas and checks.
pub(crate) trait ToolType: Send + Sync {
    /// Its name in commands.
    fn name(&self) -> &'static str;

    /// Its purpose in a sentence or two, for the model.
    fn doc(&self, language: Language) -> String;

    /// The JSON Schema of the configuration.
    fn config_schema(&self) -> Json;

    /// Faults of a configuration that its JSON Schema cannot express; paths are relative to the configuration.
    fn config_faults(&self, _config: &JsonValue, _language: Language) -> Vec<ArgumentFault> {
        Vec::new()
    }

    /// The JSON Schema of an entry's data under `config`; without `config`, of any entry of the type. Independent of
    /// the language, because sessions are recorded as having seen its bytes.
    fn entry_schema(&self, config: Option<&JsonValue>) -> SchemaDocument;

    /// The fields of an entry's data for statistics and filters, most important first.
    fn measures(&self, _config: &JsonValue) -> Vec<MeasurableField> {
        Vec::new()
    }

    /// A text for an entry's data, with all its values.
    fn say(&self, config: &JsonValue, data: &JsonValue, language: Language) -> String;
}

/// A field of entries for statistics and filters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MeasurableField {
    /// Its name in an entry's data.
    pub(crate) field: &'static str,
    /// The type of its values.
    pub(crate) scale: MeasureScale,
    /// The value of an entry without the field; `None` if such an entry does not count.
    pub(crate) absent: Option<JsonValue>,
}

/// The statistics that the values of a field allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MeasureScale {
    /// Numbers: sum, least, greatest, mean. Contains their unit, if any.
    Number(Option<String>),
    /// One of these values: the frequency of each.
    Choice(Vec<String>),
    /// True or false: the frequency of each.
    Truth,
    /// Texts: their number.
    Text,
}

/// The known tool types, each with its compiled configuration schema.
pub(crate) struct ToolTypeRegistry(Vec<CompiledToolType>);

/// A tool type with its schema.
pub(crate) struct CompiledToolType {
    tool_type: Box<dyn ToolType>,
    config: SchemaChecker,
}

impl ToolTypeRegistry {
    /// The tool types built into Entracte.
    pub(crate) fn built_in() -> Self {
        Self::from_types(vec![
            Box::new(tracking::TrackingToolType),
            Box::new(notes::NotesToolType),
            Box::new(journal::JournalToolType),
            Box::new(list::ListToolType),
        ])
    }

    /// A registry of these types.
    pub(crate) fn from_types(types: Vec<Box<dyn ToolType>>) -> Self {
        let known = |tool_type: Box<dyn ToolType>| CompiledToolType {
            config: SchemaChecker::of_program(tool_type.config_schema()),
            tool_type,
        };
        Self(types.into_iter().map(known).collect())
    }

    /// All types.
    pub(crate) fn all(&self) -> impl Iterator<Item = &dyn ToolType> {
        self.0.iter().map(|known| &*known.tool_type)
    }

    /// Descriptions of all types, for those who fill or configure their tools.
    pub(crate) fn specs(&self, language: Language) -> Vec<ResourceTypeSpec> {
        let spec = |kind: &dyn ToolType| ResourceTypeSpec {
            name: kind.name().to_owned(),
            doc: kind.doc(language),
            config: kind.config_schema().into(),
            data: kind.entry_schema(None),
            commands: &USERS,
        };
        self.all().map(spec).collect()
    }

    /// The type called `name`.
    pub(crate) fn get(&self, name: &str) -> Option<&CompiledToolType> {
        self.0.iter().find(|known| known.tool_type.name() == name)
    }

    /// The type called `name`, or a refusal at `path` that lists the known ones.
    pub(crate) fn find(
        &self,
        texts: &LocalizedTexts,
        name: &str,
        path: &str,
    ) -> Result<&CompiledToolType, ActionPlanError> {
        self.get(name).ok_or_else(|| {
            let known = self.all().map(ToolType::name).collect::<Vec<_>>().join(", ");
            let message = say!(texts, "resources-unknown-type", name = name, known = known);
            refused_at("UNKNOWN_TOOL_TYPE", path, message)
        })
    }
}

impl CompiledToolType {
    /// The tool type itself.
    pub(crate) fn tool_type(&self) -> &dyn ToolType {
        &*self.tool_type
    }

    /// Refuses a configuration that the type does not accept.
    pub(crate) fn check_config(&self, config: &JsonValue, language: Language) -> Result<(), ActionPlanError> {
        let texts = LocalizedTexts::for_language(language);
        let mut faults = self.config.faults(texts, config, CONFIG);
        if faults.is_empty() {
            let rules = self.tool_type.config_faults(config, language).into_iter();
            faults = rules
                .map(|fault| ArgumentFault { path: format!("{CONFIG}{}", fault.path), ..fault })
                .collect();
        }
        if faults.is_empty() {
            return Ok(());
        }
        let head = say!(texts, "resources-config-unfit", name = self.tool_type.name());
        Err(faulty(texts, "INVALID_CONFIG", &head, &faults))
    }

    /// The checker for entries of a tool with this configuration.
    pub(crate) fn entries(&self, config: &JsonValue) -> SchemaChecker {
        SchemaChecker::new(self.tool_type.entry_schema(Some(config)))
    }

    /// The schema of an entry under `config`, as shown to the model.
    pub(crate) fn entry_schema(&self, config: Option<&JsonValue>) -> JsonValue {
        self.tool_type.entry_schema(config).into_value()
    }
}

/// The digest by which a session knows a schema that it has seen; equal schemas of different tools share it.
pub(crate) fn schema_digest(schema: &JsonValue) -> Digest {
    sha256(schema.canonical().as_bytes())
}

/// The commands that take a configuration or an entry.
const USERS: [&str; 4] = ["tools.create", "tools.update", "tool_data.batch_create", "tool_data.update"];
/// The path of the configuration in arguments.
const CONFIG: &str = "/config";
