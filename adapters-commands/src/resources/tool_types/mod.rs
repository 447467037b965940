//! Tool types: what a tool instance may be configured to keep, and what its entries look like.
//!
//! To add one: a file beside this one with a [`ToolType`], and a line in [`ToolTypes::built_in`]. Nothing else
//! in the house names a tool type.

mod notes;
mod tracking;

use entracte_application::ports::PlanError;
use entracte_domain::value::Value;
use serde_json::Value as Json;

use super::check::Checker;
use super::refusal::{Fault, faulty, refused_at};

/// One kind of tool. Pure: it is asked, and says.
pub(crate) trait ToolType: Send + Sync {
    /// What commands call it.
    fn name(&self) -> &'static str;

    /// What it is for, one sentence; the model reads it.
    fn doc(&self) -> &'static str;

    /// JSON Schema of the configuration.
    fn config_schema(&self) -> Json;

    /// What a JSON Schema cannot say of a configuration; paths begin at the configuration.
    fn config_faults(&self, _config: &Value) -> Vec<Fault> {
        Vec::new()
    }

    /// JSON Schema of an entry's data under `config`; without one, of any entry of the type.
    fn entry_schema(&self, config: Option<&Value>) -> Json;

    /// An entry's data in words, with all its values.
    fn say(&self, config: &Value, data: &Value) -> String;
}

/// The tool types there are, each with its compiled configuration schema.
pub(crate) struct ToolTypes(Vec<Known>);

/// A tool type and what was compiled of it once.
pub(crate) struct Known {
    tool_type: Box<dyn ToolType>,
    config: Checker,
}

impl ToolTypes {
    /// Those that come with Entracte.
    pub(crate) fn built_in() -> Self {
        let all: [Box<dyn ToolType>; 2] = [Box::new(tracking::Tracking), Box::new(notes::Notes)];
        let known = |tool_type: Box<dyn ToolType>| Known {
            config: Checker::new(&tool_type.config_schema()),
            tool_type,
        };
        Self(all.into_iter().map(known).collect())
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = &dyn ToolType> {
        self.0.iter().map(|known| &*known.tool_type)
    }

    /// The one called `name`; a refusal at `path` that lists those there are.
    pub(crate) fn find(&self, name: &str, path: &str) -> Result<&Known, PlanError> {
        self.0.iter().find(|known| known.tool_type.name() == name).ok_or_else(|| {
            let names: Vec<&str> = self.all().map(ToolType::name).collect();
            let message = format!("there is no tool type “{name}”; there are: {}", names.join(", "));
            refused_at("UNKNOWN_TOOL_TYPE", path, message)
        })
    }
}

impl Known {
    /// The type itself.
    pub(crate) fn tool_type(&self) -> &dyn ToolType {
        &*self.tool_type
    }

    /// Refuses a configuration that the type does not take.
    pub(crate) fn check_config(&self, config: &Value) -> Result<(), PlanError> {
        let mut faults = self.config.faults(config, CONFIG);
        if faults.is_empty() {
            let rules = self.tool_type.config_faults(config).into_iter();
            faults = rules.map(|fault| Fault { path: format!("{CONFIG}{}", fault.path), ..fault }).collect();
        }
        if faults.is_empty() {
            return Ok(());
        }
        let head = format!("a tool of type {} is not configured like this", self.tool_type.name());
        Err(faulty("INVALID_CONFIG", &head, &faults))
    }

    /// Checks entries of a tool with this configuration.
    pub(crate) fn entries(&self, config: &Value) -> Checker {
        Checker::new(&self.tool_type.entry_schema(Some(config)))
    }
}

/// Where commands carry a configuration.
const CONFIG: &str = "/config";
