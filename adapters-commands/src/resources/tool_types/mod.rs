//! Tool types: what a tool instance may be configured to keep, and what its entries look like.
//!
//! # To add one
//!
//! 1. A file beside this one with a [`ToolType`]: its name, what it is for, the JSON Schema of its configuration, the
//!    JSON Schema of its entries under a configuration, and an entry in words. What entries can be counted and
//!    filtered by are its `measures`; what a JSON Schema cannot say are its `config_faults`. Its words may stand in the
//!    catalogue of texts, or in the file by language.
//! 2. A line in [`ToolTypeRegistry::built_in`].
//!
//! Nothing else in Entracte names a tool type: commands, statistics, filters, checks and prompts ask the type. The
//! test `a_tool_type_is_added_in_one_place` does it with one that only the test knows.

mod journal;
mod list;
mod notes;
mod tracking;

use entracte_application::ports::{ActionPlanError, ToolTypeSpec};
use entracte_application::settings::Language;
use entracte_application::system::sha256;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::id::Digest;
use entracte_domain::value::JsonValue;
use serde_json::Value as Json;

use super::refusal::{ArgumentFault, faulty, refused_at};
use super::schema_check::SchemaChecker;
use crate::json::from_serde;

/// One kind of tool. Pure: it is asked, and says.
pub(crate) trait ToolType: Send + Sync {
    /// What commands call it.
    fn name(&self) -> &'static str;

    /// What it is for, a sentence or two; the model reads it.
    fn doc(&self, language: Language) -> String;

    /// JSON Schema of the configuration.
    fn config_schema(&self) -> Json;

    /// What a JSON Schema cannot say of a configuration; paths begin at the configuration.
    fn config_faults(&self, _config: &JsonValue, _language: Language) -> Vec<ArgumentFault> {
        Vec::new()
    }

    /// JSON Schema of an entry's data under `config`; without one, of any entry of the type. The same for every
    /// language: whether a session has seen it is known by its bytes.
    fn entry_schema(&self, config: Option<&JsonValue>) -> Json;

    /// The fields of an entry's data that can be counted and filtered by, the most important first.
    fn measures(&self, _config: &JsonValue) -> Vec<MeasurableField> {
        Vec::new()
    }

    /// An entry's data in words, with all its values.
    fn say(&self, config: &JsonValue, data: &JsonValue, language: Language) -> String;
}

/// A field of the entries that statistics and filters use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MeasurableField {
    /// Its name in an entry's data.
    pub(crate) field: &'static str,
    /// What it holds.
    pub(crate) scale: MeasureScale,
    /// What an entry without the field counts as; none for not at all.
    pub(crate) absent: Option<JsonValue>,
}

/// What can be said of many values of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MeasureScale {
    /// Numbers: sum, least, greatest, mean. With the unit they are in.
    Number(Option<String>),
    /// One of these: how often each.
    Choice(Vec<String>),
    /// True or false: how often each.
    Truth,
    /// Texts: how many.
    Text,
}

/// The tool types there are, each with its compiled configuration schema.
pub(crate) struct ToolTypeRegistry(Vec<CompiledToolType>);

/// A tool type and what was compiled of it once.
pub(crate) struct CompiledToolType {
    tool_type: Box<dyn ToolType>,
    config: SchemaChecker,
}

impl ToolTypeRegistry {
    /// Those that come with Entracte.
    pub(crate) fn built_in() -> Self {
        Self::from_types(vec![
            Box::new(tracking::TrackingToolType),
            Box::new(notes::NotesToolType),
            Box::new(journal::JournalToolType),
            Box::new(list::ListToolType),
        ])
    }

    /// These.
    pub(crate) fn from_types(types: Vec<Box<dyn ToolType>>) -> Self {
        let known = |tool_type: Box<dyn ToolType>| CompiledToolType {
            config: SchemaChecker::new(&tool_type.config_schema()),
            tool_type,
        };
        Self(types.into_iter().map(known).collect())
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = &dyn ToolType> {
        self.0.iter().map(|known| &*known.tool_type)
    }

    /// All of them, for whoever is to fill or configure their tools.
    pub(crate) fn specs(&self, language: Language) -> Vec<ToolTypeSpec> {
        let spec = |kind: &dyn ToolType| ToolTypeSpec {
            name: kind.name().to_owned(),
            doc: kind.doc(language),
            config: kind.config_schema(),
            entry: kind.entry_schema(None),
            commands: &USERS,
        };
        self.all().map(spec).collect()
    }

    /// The one called `name`.
    pub(crate) fn get(&self, name: &str) -> Option<&CompiledToolType> {
        self.0.iter().find(|known| known.tool_type.name() == name)
    }

    /// The one called `name`; a refusal at `path` that lists those there are.
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
    /// The type itself.
    pub(crate) fn tool_type(&self) -> &dyn ToolType {
        &*self.tool_type
    }

    /// Refuses a configuration that the type does not take.
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

    /// Checks entries of a tool with this configuration.
    pub(crate) fn entries(&self, config: &JsonValue) -> SchemaChecker {
        SchemaChecker::new(&self.tool_type.entry_schema(Some(config)))
    }

    /// The schema of an entry under `config`, as the model reads it.
    pub(crate) fn entry_schema(&self, config: Option<&JsonValue>) -> JsonValue {
        from_serde(&self.tool_type.entry_schema(config))
    }
}

/// By what a session knows a schema it was shown: the same for equal schemas, whatever tool they are of.
pub(crate) fn schema_digest(schema: &JsonValue) -> Digest {
    sha256(schema.canonical().as_bytes())
}

/// The commands that take a configuration or an entry.
const USERS: [&str; 4] = ["tools.create", "tools.update", "tool_data.batch_create", "tool_data.update"];
/// Where commands carry a configuration.
const CONFIG: &str = "/config";
