//! The catalog: every command of a workspace, declared once by the executor that runs it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use entracte_domain::command::{CommandKind, EffectClass, Terms};
use entracte_domain::gate::Gate;
use entracte_domain::id::Digest;
use entracte_domain::time::Millis;
use entracte_domain::value::Value;

use crate::json;
use crate::ports::CommandExecutor;
use crate::protocol::tools::{OWN_TOOLS, tool_name};
use crate::settings::Language;
use crate::system::sha256;
use crate::texts::Texts;

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
    /// Cannot be undone: always needs leave.
    pub destructive: bool,
    /// Sends data out of the workspace: always needs leave.
    pub egress: bool,
    /// Its own time-out instead of the general one.
    pub timeout: Option<Millis>,
    /// `probe`: how long after a lost outcome a "no" counts.
    pub settle: Millis,
    /// `idempotent`: how long its key holds.
    pub key_lifetime: Millis,
    /// What the model reads about it.
    pub doc: String,
    /// An example of its arguments, JSON; must be executable as it stands where the rows it names exist.
    pub example: Option<serde_json::Value>,
}

/// What the model reads about a command. Executors declare it in English; the catalogue of texts has it in other
/// languages for the commands of the house.
pub fn doc(spec: &CommandSpec, language: Language) -> String {
    let (key, texts) = (format!("doc-{}", spec.word), Texts::of(language));
    match language {
        Language::En => spec.doc.clone(),
        Language::Fr if texts.has(&key) => texts.say(&key, &[]),
        Language::Fr => spec.doc.clone(),
    }
}

/// A command as the catalog knows it.
pub struct Known {
    /// Its declaration.
    pub spec: CommandSpec,
    /// Hash of the declaration; approvals are bound to it.
    pub version: Digest,
    /// Who runs it.
    pub executor: Arc<dyn CommandExecutor>,
    validator: jsonschema::Validator,
}

/// A fault of arguments against their schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaFault {
    /// JSON pointer of the faulty place; empty for the whole.
    pub path: String,
    /// What is wrong there.
    pub text: String,
}

/// A declaration that cannot be used. The program is wrong, not its user.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// Two commands have the same name, word or name on the wire.
    #[error("the command {0} is declared twice")]
    Twice(String),
    /// The schema is no JSON Schema.
    #[error("the schema of the command {name} is not a JSON Schema: {text}")]
    Schema {
        /// The command.
        name: String,
        /// What is wrong.
        text: String,
    },
}

/// Every command that exists.
pub struct Catalog {
    by_name: BTreeMap<String, Arc<Known>>,
    /// Every word and every name: what a call may be asked for with.
    by_any: BTreeMap<String, Arc<Known>>,
    version: Digest,
}

impl Catalog {
    /// The commands of these executors.
    ///
    /// # Errors
    /// When a command is declared twice, or its schema is none.
    pub fn new(executors: &[Arc<dyn CommandExecutor>]) -> Result<Self, CatalogError> {
        let mut by_name = BTreeMap::new();
        let mut by_any = BTreeMap::new();
        let mut on_the_wire: BTreeSet<String> = OWN_TOOLS.map(str::to_owned).into();
        for executor in executors {
            for spec in executor.commands() {
                let known = Arc::new(Known::new(spec, executor.clone())?);
                let (name, word) = (known.spec.name.clone(), known.spec.word.clone());
                if !on_the_wire.insert(tool_name(&name))
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
        let versions: Vec<&str> = by_name.values().map(|known: &Arc<Known>| known.version.as_str()).collect();
        let version = sha256(versions.join("\n").as_bytes());
        Ok(Self { by_name, by_any, version })
    }

    /// The command with this word (`CREATE_DATA`) or name (`tool_data.batch_create`).
    pub fn find(&self, word_or_name: &str) -> Option<&Arc<Known>> {
        self.by_any.get(word_or_name)
    }

    /// All commands, by name.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Known>> {
        self.by_name.values()
    }

    /// The commands that a session behind this gate may ask for, by name.
    pub fn behind<'a>(&'a self, gate: &'a Gate) -> impl Iterator<Item = &'a Arc<Known>> {
        self.all().filter(|known| gate.admits(&known.spec.name))
    }

    /// All declarations, by name.
    pub fn specs(&self) -> Vec<CommandSpec> {
        self.all().map(|known| known.spec.clone()).collect()
    }

    /// Hash of all declarations.
    pub fn version(&self) -> &Digest {
        &self.version
    }
}

impl Known {
    fn new(spec: CommandSpec, executor: Arc<dyn CommandExecutor>) -> Result<Self, CatalogError> {
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .build(&spec.schema)
            .map_err(|fault| CatalogError::Schema { name: spec.name.clone(), text: fault.to_string() })?;
        let version = sha256(declaration(&spec).as_bytes());
        Ok(Self { spec, version, executor, validator })
    }

    /// What is wrong with these arguments; empty when they are right.
    pub fn faults(&self, arguments: &Value) -> Vec<SchemaFault> {
        let arguments = json::to_serde(arguments);
        self.validator
            .iter_errors(&arguments)
            .map(|fault| SchemaFault { path: fault.instance_path().to_string(), text: fault.to_string() })
            .collect()
    }

    /// What the ledger keeps of the declaration.
    pub fn terms(&self) -> Terms {
        Terms {
            version: self.version.clone(),
            effect: self.spec.effect,
            independent: self.spec.independent,
            destructive: self.spec.destructive,
            settle_ms: self.spec.settle.0,
            key_lifetime_ms: self.spec.key_lifetime.0,
            shows: Vec::new(),
        }
    }
}

/// What an approval is given for: everything of a declaration that changes what the command does or how it may
/// be repeated. Its model-facing text is not part of it.
fn declaration(spec: &CommandSpec) -> String {
    let schema = json::from_serde(&spec.schema).canonical();
    format!(
        "{}\n{}\n{:?}\n{:?}\n{}{}{}\n{}\n{}\n{schema}",
        spec.word,
        spec.name,
        spec.kind,
        spec.effect,
        spec.independent,
        spec.destructive,
        spec.egress,
        spec.settle.0,
        spec.key_lifetime.0,
    )
}
