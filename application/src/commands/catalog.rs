//! The catalog: every command of a workspace, declared once by the executor that runs it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use entracte_domain::command::{CommandKind, CommandTerms, EffectClass, FIND_COMMANDS};
use entracte_domain::id::Digest;
use entracte_domain::plan::{PlanCommand, PlanMode};
use entracte_domain::restriction::Restriction;
use entracte_domain::value::JsonValue;

use super::{AgentsExecutor, FIND_WORD, OWN_SESSION_QUERIES, TasksExecutor};
use crate::command_naming::{CommandNaming, reserved_tool_names, tool_name};
use crate::json_value;
use crate::ports::{
    CommandExecutor, CommandSpec, EnrichmentFormat, ResourceModel, ResourceTypeSpec, SchemaFault,
};
use crate::schema::{Schema, SchemaRefusal, SchemaRemark};
use crate::settings::{Language, SchemaBounds};
use crate::system::sha256;
use crate::texts::LocalizedTexts;

/// A command in the catalog.
pub struct CatalogEntry {
    /// Declaration of the command.
    pub spec: CommandSpec,
    /// Hash of everything that determines the command's effect; approvals are bound to it.
    pub version: Digest,
    /// The executor that runs it.
    pub executor: Arc<dyn CommandExecutor>,
    schema: Schema,
    /// The schema of an agent's result.
    result: Option<Schema>,
}

/// An unusable declaration: an error of the program, not of its user.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// Two commands share a name, envelope type or wire name.
    #[error("the command {0} is declared twice")]
    Twice(String),
    /// The schema is not a valid JSON Schema.
    #[error("the schema of the command {name} is not a JSON Schema: {text}")]
    Schema {
        /// Name of the command.
        name: String,
        /// Description of the fault.
        text: String,
    },
    /// An action of class `probe` has no settle time: the first "no" would count while the lost call can still land, and
    /// the action would be repeated.
    #[error(
        "the command {0} is of class probe, and its settle time is 0; declare how long a lost call may still land"
    )]
    NoSettleTime(String),
}

/// A declaration that was disabled, while the others are in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedCommand {
    /// Envelope type of the command.
    pub word: String,
    /// Name of the command.
    pub name: String,
    /// The path of the argument whose schema is the reason; `None` if it is no single argument.
    pub argument: Option<String>,
    /// The reason.
    pub why: SchemaRefusal,
}

/// Every command that exists.
pub struct Catalog {
    by_name: BTreeMap<String, Arc<CatalogEntry>>,
    /// Index by envelope type and by name.
    by_any: BTreeMap<String, Arc<CatalogEntry>>,
    /// Index by name on the wire.
    by_tool: BTreeMap<String, Arc<CatalogEntry>>,
    version: Digest,
    refused: Vec<RefusedCommand>,
    executors: Vec<Arc<dyn CommandExecutor>>,
    resource_model: Option<Arc<dyn ResourceModel>>,
}

impl Catalog {
    /// The names and words that no command of a server may have: those of control tools, and of commands that the
    /// catalog gets only once all others are known.
    pub fn reserved_names() -> impl Iterator<Item = String> {
        let later = TasksExecutor::NAMES.into_iter().chain([FIND_COMMANDS, FIND_WORD]);
        reserved_tool_names().chain(later).flat_map(|name| [name.to_owned(), tool_name(name)])
    }

    /// The commands of these executors, with the default schema bounds.
    ///
    /// # Errors
    /// When a command is declared twice, its schema is invalid, or an action of class `probe` has no settle time.
    pub fn new(executors: &[Arc<dyn CommandExecutor>]) -> Result<Self, CatalogError> {
        Self::with_bounds(executors, &SchemaBounds::default())
    }

    /// The commands of these executors. A command whose schema exceeds the bounds is disabled
    /// ([`Catalog::refused_commands`]); the others stay in use.
    ///
    /// # Errors
    /// When a command is declared twice, its schema is not a JSON Schema, or an action of class `probe` has no settle
    /// time.
    pub fn with_bounds(
        executors: &[Arc<dyn CommandExecutor>],
        bounds: &SchemaBounds,
    ) -> Result<Self, CatalogError> {
        let mut refused = Vec::new();
        let mut by_name = BTreeMap::new();
        let mut by_any = BTreeMap::new();
        let mut by_tool = BTreeMap::new();
        let reserved: BTreeSet<&str> = reserved_tool_names().collect();
        for executor in executors {
            let are_tested = executor.schemas_are_tested();
            for spec in executor.commands() {
                if spec.effect == EffectClass::Probe && spec.settle.0 <= 0 {
                    return Err(CatalogError::NoSettleTime(spec.name));
                }
                let schema = match are_tested {
                    true => Ok(Schema::of_program(&spec.schema, bounds)),
                    false => Schema::of_tool(&spec.schema, bounds),
                };
                let schema = match schema {
                    Ok(schema) => schema,
                    Err(SchemaRefusal::NoSchema { says, .. }) => {
                        return Err(CatalogError::Schema { name: spec.name, text: says });
                    }
                    Err(why) => {
                        let argument = why.argument(&spec.schema);
                        refused.push(RefusedCommand { word: spec.word, name: spec.name, argument, why });
                        continue;
                    }
                };
                let known = Arc::new(CatalogEntry::new(spec, executor.clone(), schema));
                let (name, word) = (known.spec.name.clone(), known.spec.word.clone());
                let tool = tool_name(&name);
                if reserved.contains(tool.as_str())
                    || by_tool.insert(tool, known.clone()).is_some()
                    || by_any.insert(name.clone(), known.clone()).is_some()
                {
                    return Err(CatalogError::Twice(name));
                }
                if word != name && by_any.insert(word.clone(), known.clone()).is_some() {
                    return Err(CatalogError::Twice(word));
                }
                by_name.insert(name, known);
            }
        }
        let versions: Vec<&str> =
            by_name.values().map(|known: &Arc<CatalogEntry>| known.version.as_str()).collect();
        let version = sha256(versions.join("\n").as_bytes());
        let resource_model = executors.iter().find_map(|executor| executor.resource_model());
        let executors = executors.to_vec();
        Ok(Self { by_name, by_any, by_tool, version, refused, executors, resource_model })
    }

    /// The disabled declarations with their reasons.
    pub fn refused_commands(&self) -> &[RefusedCommand] {
        &self.refused
    }

    /// The command with this envelope type (`CREATE_DATA`) or name (`tool_data.batch_create`).
    pub fn find(&self, word_or_name: &str) -> Option<&Arc<CatalogEntry>> {
        self.by_any.get(word_or_name)
    }

    /// The command with this name on the wire (`tool_data_batch_create`).
    pub fn find_by_tool_name(&self, tool: &str) -> Option<&Arc<CatalogEntry>> {
        self.by_tool.get(tool)
    }

    /// All commands, by name.
    pub fn entries(&self) -> impl Iterator<Item = &Arc<CatalogEntry>> {
        self.by_name.values()
    }

    /// The commands offered to a session under this restriction in this mode, by name. The plan commands are included
    /// where a plan comes first, whatever the restriction. The query that finds commands is not among them: a prompt
    /// offers it only where it does not describe all commands.
    pub fn offered_commands<'a>(
        &'a self,
        restriction: &'a Restriction,
        mode: PlanMode,
    ) -> impl Iterator<Item = &'a Arc<CatalogEntry>> {
        self.entries().filter(move |known| match (PlanCommand::from_word(&known.spec.name), mode) {
            (Some(_), PlanMode::Plan) => true,
            (Some(_), PlanMode::Free) => false,
            (None, PlanMode::Plan | PlanMode::Free) => {
                known.spec.name != FIND_COMMANDS && restriction.allows_command(&known.spec.name)
            }
        })
    }

    /// The model of the workspace's resources: that of the first executor that has one.
    pub fn resource_model(&self) -> Option<&Arc<dyn ResourceModel>> {
        self.resource_model.as_ref()
    }

    /// The types of resources that a session under this restriction may fill or configure.
    pub fn resource_types(&self, restriction: &Restriction, language: Language) -> Vec<ResourceTypeSpec> {
        let types = self.resource_model.iter().flat_map(|model| model.types(language));
        let is_used =
            |known: &ResourceTypeSpec| known.commands.iter().any(|name| restriction.allows_command(name));
        types.filter(is_used).collect()
    }

    /// The input format of enrichments; without a resource model nothing is one.
    pub fn enrichment_format(&self) -> EnrichmentFormat {
        let nothing = EnrichmentFormat { schema: serde_json::json!(false), examples: &[] };
        self.resource_model.as_ref().map_or(nothing, |model| model.enrichment_format())
    }

    /// All declarations, by name.
    pub fn specs(&self) -> Vec<CommandSpec> {
        self.entries().map(|known| known.spec.clone()).collect()
    }

    /// The executors of the commands.
    pub fn executors(&self) -> &[Arc<dyn CommandExecutor>] {
        &self.executors
    }

    /// Hash of all declarations.
    pub fn version(&self) -> &Digest {
        &self.version
    }
}

impl CatalogEntry {
    fn new(spec: CommandSpec, executor: Arc<dyn CommandExecutor>, schema: Schema) -> Self {
        let version = sha256(declaration(&spec).as_bytes());
        let result = spec.agent.as_ref().and_then(|agent| agent.result_schema.as_ref());
        // The schema was checked when it was declared.
        let result = result.map(|schema| Schema::of_program(schema, &SchemaBounds::WIDEST));
        Self { spec, version, executor, schema, result }
    }

    /// The faults of these arguments, in English; empty if they are valid.
    pub fn faults(&self, arguments: &JsonValue) -> Vec<SchemaFault> {
        self.argument_faults(arguments, LocalizedTexts::for_language(Language::En))
    }

    /// The faults of these arguments, at most 20; empty if they are valid. Texts of the schema library are in
    /// English.
    pub fn argument_faults(&self, arguments: &JsonValue, texts: &LocalizedTexts) -> Vec<SchemaFault> {
        faults_by(&self.schema, arguments, texts)
    }

    /// The faults in the result of the agent that the command calls, at most 20; empty if valid. Without a result
    /// schema any object is valid.
    pub fn result_faults(&self, result: &JsonValue, texts: &LocalizedTexts) -> Vec<SchemaFault> {
        self.result.as_ref().map_or_else(Vec::new, |schema| faults_by(schema, result, texts))
    }

    /// What of the schema of its arguments is not checked, or not as the schema says.
    pub fn schema_remarks(&self) -> &[SchemaRemark] {
        self.schema.remarks()
    }

    /// The name that a model or person reads, by naming.
    pub fn display_name(&self, naming: CommandNaming) -> String {
        naming.format_call(&self.spec.word, &self.spec.name)
    }

    /// The part of the declaration that is stored with a call.
    pub fn terms(&self) -> CommandTerms {
        CommandTerms {
            version: self.version.clone(),
            effect: self.spec.effect,
            independent: self.spec.independent,
            state_scopes: self.spec.state_scopes.clone(),
            destructive: self.spec.destructive,
            asks: self.spec.asks,
            settle_ms: self.spec.settle.0,
            key_lifetime_ms: self.spec.key_lifetime.0,
            shows: Vec::new(),
            agent: self.spec.agent.as_ref().map(|agent| {
                Box::new(agent.terms(&self.version, &OWN_SESSION_QUERIES, AgentsExecutor::CONTINUE))
            }),
            task: None,
        }
    }
}

/// Maximum faults reported for one call's arguments.
const FAULTS_MAX: usize = 20;
/// Maximum characters of a fault; it quotes the value, which may be long.
const FAULT_CHARS_MAX: usize = 1_000;

/// The faults of a value against a schema.
fn faults_by(schema: &Schema, value: &JsonValue, texts: &LocalizedTexts) -> Vec<SchemaFault> {
    match schema.faults(value, FAULTS_MAX) {
        Ok(found) => found
            .into_iter()
            .map(|fault| SchemaFault { path: fault.path, text: shortened(&fault.text) })
            .collect(),
        Err(why) => vec![SchemaFault { path: String::new(), text: why.describe(texts) }],
    }
}

fn shortened(text: &str) -> String {
    let mut kept: String = text.chars().take(FAULT_CHARS_MAX).collect();
    if kept.len() < text.len() {
        kept.push('…');
    }
    kept
}

/// The canonical form that an approval is bound to: everything in a declaration that changes what the command
/// does, whom it reaches or how it may be repeated. Its documentation for the model is not part of it.
///
/// Whether a query of a server asks is decided by a person, and changes nothing of what it does: it counts as one that
/// asks, so that a decision leaves the open approvals of its queries as they are.
fn declaration(spec: &CommandSpec) -> String {
    let schema = spec.schema.canonical();
    // Without a target, versions equal those of v0.1, so its open approvals stay open.
    let target = match &spec.target {
        serde_json::Value::Null => String::new(),
        target => format!("\n{}", json_value::from_serde(target).canonical()),
    };
    let four_eyes = if spec.four_eyes { "\nfour eyes" } else { "" };
    let approvers = spec.approvers.as_deref();
    let approvers = approvers.map_or_else(String::new, |demand| format!("\n{}", demand.canonical()));
    let asks = if spec.asks { "\nasks" } else { "" };
    let task = match &spec.task {
        None => String::new(),
        Some(task) => format!("\ntask {} {}", task.gateway.word(), task.is_registered),
    };
    format!(
        "{}\n{}\n{:?}\n{:?}\n{}{}{}\n{}\n{}\n{schema}{target}{four_eyes}{approvers}{asks}{task}",
        spec.word,
        spec.name,
        spec.kind,
        spec.effect,
        spec.independent,
        spec.destructive,
        is_egress_declared(spec),
        spec.settle.0,
        spec.key_lifetime.0,
    )
}

/// The word about egress in a declaration.
fn is_egress_declared(spec: &CommandSpec) -> bool {
    spec.egress || (spec.server.is_some() && spec.kind == CommandKind::Query)
}
