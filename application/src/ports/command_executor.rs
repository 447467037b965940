use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::command::Command;
use entracte_domain::id::{CallId, Digest, SessionId, TaskId, WorkspaceKey};
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;

use super::{ResourceChange, ResourceReader, StoreError, TaskGateway};
use crate::command_naming::CommandNaming;
use crate::ports::CommandSpec;
use crate::settings::{Language, WorkspaceLocale};

/// One call to carry out. Arguments were checked against the command's schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRequest {
    /// Whose data.
    pub workspace: WorkspaceKey,
    /// Which session asks.
    pub session: SessionId,
    /// Which call.
    pub call: CallId,
    /// What to run: as proposed, or as a person edited it.
    pub command: Command,
    /// The person whose rights it has: whoever began the exchange; of a run, its automation's owner. Never whoever
    /// approved it. None where it has no person's.
    pub acts_as: Option<String>,
    /// The agents between that person and the call, by name, the nearest to the person first; empty where the session that
    /// the person began asks itself.
    pub via: Vec<String>,
    /// The key that makes a repetition of an idempotent action harmless; the same for every attempt.
    pub key: String,
    /// The task that it becomes, or may become, whose id [`CallOutcome::Accepted`] gives back; none where it ends with its answer.
    pub task: Option<TaskId>,
    /// From 1.
    pub attempt: u32,
    /// Now; for a run, "now" of relative periods is `reference`.
    pub now: Timestamp,
    /// What relative periods count from.
    pub reference: Timestamp,
    /// How the workspace reads dates, and the language it is spoken to in.
    pub locale: WorkspaceLocale,
    /// How its answer calls the commands.
    pub naming: CommandNaming,
}

/// What a local action changes, decided but not yet written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionPlan {
    /// The changes, all or none.
    pub changes: Vec<ResourceChange>,
    /// What the model reads once they are committed.
    pub content: String,
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum ActionPlanError {
    /// The command cannot be done; the model is told.
    #[error("{}: {}", .0.code, .0.message)]
    Refused(CallFailure),
    /// The rows could not be read.
    #[error("the rows that the command needs could not be read")]
    Store(#[from] StoreError),
}

/// An action in words, for the person who is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionDescription {
    /// What it does, with its values: “Create 1 entry in Weight”.
    pub says: String,
    /// The row before, for updates and deletions: the stored key of each field and its value. Of what goes with a row that
    /// is deleted: its id, and what it is. No name twice, see [`with_unique_field_names`](Self::named_apart).
    pub before: Vec<(String, String)>,
    /// The row after, for creations and updates.
    pub after: Vec<(String, String)>,
    /// What to look at twice: the action changes a configuration, or a validation flag itself.
    pub warnings: Vec<String>,
}

impl ActionDescription {
    /// The same with each name once on either side: many views keep fields by their name, and would lose all but one of
    /// those that share it. A name that stands again has behind it how often it stood.
    ///
    /// ```
    /// # use entracte_application::ports::Description;
    /// let field = |value: &str| ("tool".to_owned(), value.to_owned());
    /// let twice = Description { before: vec![field("Alpha"), field("Beta")], ..Description::default() };
    /// let names: Vec<String> = twice.named_apart().before.into_iter().map(|(name, _)| name).collect();
    /// assert_eq!(names, ["tool", "tool (2)"]);
    /// ```
    #[must_use]
    pub fn with_unique_field_names(mut self) -> Self {
        make_field_names_unique(&mut self.before);
        make_field_names_unique(&mut self.after);
        self
    }
}

fn make_field_names_unique(fields: &mut [(String, String)]) {
    let mut taken: BTreeSet<String> = fields.iter().map(|(name, _)| name.clone()).collect();
    let mut stood: BTreeMap<String, u32> = BTreeMap::new();
    for (name, _) in fields {
        let times = stood.entry(name.clone()).or_default();
        *times += 1;
        if *times == 1 {
            continue;
        }
        let mut apart = format!("{name} ({times})");
        while !taken.insert(apart.clone()) {
            *times += 1;
            apart = format!("{name} ({times})");
        }
        *name = apart;
    }
}

/// Which zone and tool an action touches; their flags are levels of the validation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionTarget {
    /// Ids of zones.
    pub zones: Vec<String>,
    /// Ids of tools.
    pub tools: Vec<String>,
}

/// A schema that a call shows to the model, or that the model must have seen before it may ask for the call. A
/// write in a shape that the model has never seen is answered with the shape instead of being carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaRequirement {
    /// The call's result shows these schemas, each by the hash of its text.
    Shows(Vec<Digest>),
    /// The call may be asked for by whom this schema was shown to.
    Needs {
        /// The hash of its text.
        schema: Digest,
        /// Its text, for whom it was not shown to.
        text: String,
    },
}

/// A type of tool that a model may create: what its configuration takes, and what its entries look like.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolTypeSpec {
    /// What commands call it.
    pub name: String,
    /// What it is for, in a sentence or two.
    pub doc: String,
    /// JSON Schema of the configuration.
    pub config: serde_json::Value,
    /// JSON Schema of an entry's data, whatever the configuration.
    pub entry: serde_json::Value,
    /// The commands that take one of them, by name. Who may ask for none of them need not know the type.
    pub commands: &'static [&'static str],
}

/// Runs the commands of some resources.
///
/// Contract: nothing is retried or timed inside; dropping a future stops the work for real (connection closed,
/// child process killed); `run` of a query may be called again at any time; an action is called once per
/// attempt that the ledger shows as started.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use std::sync::Arc;
///
/// use async_trait::async_trait;
/// use entracte_application::commands::Catalog;
/// use entracte_application::ports::{CallRequest, CommandExecutor, CommandSpec};
/// use entracte_application::system::sha256;
/// use entracte_domain::call::CallOutcome;
///
/// /// Answers `PING`.
/// struct Pong;
///
/// #[async_trait]
/// impl CommandExecutor for Pong {
///     fn commands(&self) -> Vec<CommandSpec> {
///         let schema = serde_json::json!({ "type": "object", "additionalProperties": false });
///         vec![CommandSpec::query("PING", "ping.send", "Answers pong.", schema)]
///     }
///     async fn run(&self, _: CallRequest) -> CallOutcome {
///         CallOutcome::Succeeded { content: "pong".into(), digest: sha256(b"pong") }
///     }
/// }
///
/// let catalog = Catalog::new(&[Arc::new(Pong)])?;
/// assert_eq!(catalog.find("PING").unwrap().spec.name, "ping.send");
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// [`run`](Self::run) and [`ask`](Self::ask) are dropped when their call is no longer wanted or its time is over, and
/// when the process ends; the work must stop for real then. The runtime takes a dropped action for lost: what may be
/// done next is said by its effect class, so an action that cannot be stopped half-way must not say that it may be
/// repeated. All others only read, and may be dropped at any time.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait CommandExecutor: Send + Sync {
    /// Its commands, each declared once.
    fn commands(&self) -> Vec<CommandSpec>;

    /// The types of the tools that its commands create, in words of this language; most have none.
    fn tool_types(&self, _language: Language) -> Vec<ToolTypeSpec> {
        Vec::new()
    }

    /// Runs a query, or an external action that the ledger shows as started.
    async fn run(&self, request: CallRequest) -> CallOutcome;

    /// Asks whether an action of class `probe` happened; answers `Probed`, or `Lost` when it cannot be asked, as
    /// where there is no such action.
    async fn probe_outcome(&self, _request: CallRequest) -> CallOutcome {
        CallOutcome::Lost { found_by_start: None, lands_by: None }
    }

    /// Who speaks with the other side of the tasks that its commands became; none where they become none.
    fn gateway(&self) -> Option<Arc<dyn TaskGateway>> {
        None
    }

    /// Decides what an action of class `local` changes. Reads `rows` only. Refuses where there is no such action.
    ///
    /// # Errors
    /// [`ActionPlanError::Refused`] when it cannot be done, which the model is told; [`ActionPlanError::Store`] when the rows cannot be
    /// read.
    async fn plan(
        &self,
        request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionPlan, ActionPlanError> {
        let message = format!("“{}” is not a local action; there is nothing to plan", request.command.name);
        let code = "NOT_LOCAL".to_owned();
        Err(ActionPlanError::Refused(CallFailure { code, message, path: None, retryable: false }))
    }

    /// Says in words what an action would do now. Unless an executor has better words: its command and its arguments.
    ///
    /// # Errors
    /// When the rows cannot be read.
    async fn describe(
        &self,
        request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        let Command { name, arguments } = &request.command;
        Ok(ActionDescription {
            says: format!("{name} {}", arguments.to_json()),
            ..ActionDescription::default()
        })
    }

    /// The zones and tools that an action touches; none for one that touches no data of the workspace.
    ///
    /// # Errors
    /// When the rows cannot be read.
    async fn target(
        &self,
        _request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionTarget, StoreError> {
        Ok(ActionTarget::default())
    }

    /// The values that an action would overwrite or delete now, each by its name; nothing for one that overwrites
    /// nothing of the workspace's own data. As they are stored, in no language: an approval is bound to them.
    ///
    /// # Errors
    /// When the rows cannot be read.
    async fn overwrites(
        &self,
        _request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<Vec<(String, JsonValue)>, StoreError> {
        Ok(Vec::new())
    }

    /// The schema that a call shows, or that must have been shown before it; none for calls without such a rule.
    ///
    /// # Errors
    /// When the rows cannot be read.
    async fn schema(
        &self,
        _request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<Option<SchemaRequirement>, StoreError> {
        Ok(None)
    }
}
