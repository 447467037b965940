use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::command::Command;
use entracte_domain::id::{CallId, Digest, SessionId, TaskId, WorkspaceKey};
use entracte_domain::restriction::Restriction;
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;

use super::{CallProgressSink, ResourceChange, ResourceModel, ResourceReader, StoreError, TaskGateway};
use crate::command_naming::CommandNaming;
use crate::ports::CommandSpec;
use crate::settings::WorkspaceLocale;

/// One call to execute. Its arguments were validated against the command's schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRequest {
    /// The workspace whose data the call accesses.
    pub workspace: WorkspaceKey,
    /// The session that requests the call.
    pub session: SessionId,
    /// Unique id of the call.
    pub call: CallId,
    /// The command to run, as proposed or as edited by a person.
    pub command: Command,
    /// The person whose rights the call has: the one who began the exchange, or for a run the automation's owner,
    /// never the approver. `None` if it has no person's rights.
    pub acts_as: Option<String>,
    /// The names of the agents between that person and the call, nearest to the person first; empty if the person's
    /// own session requests it.
    pub via: Vec<String>,
    /// The idempotency key that makes repeating an idempotent action harmless; the same for every attempt.
    pub key: String,
    /// The id of the task the call becomes or may become, returned by [`CallOutcome::Accepted`]; `None` if the call
    /// ends with its answer.
    pub task: Option<TaskId>,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The current time. In a run, relative periods count from `reference` instead.
    pub now: Timestamp,
    /// The instant that relative periods count from.
    pub reference: Timestamp,
    /// The date format and the language of the workspace.
    pub locale: WorkspaceLocale,
    /// How the answer names commands.
    pub naming: CommandNaming,
    /// The commands that its session may request.
    pub restriction: Restriction,
    /// Receives the progress of the call while it runs.
    pub progress: CallProgressSink,
}

/// The changes of a local action, decided but not yet written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionPlan {
    /// The changes, written all or none.
    pub changes: Vec<ResourceChange>,
    /// The result that the model reads once the changes are committed.
    pub content: String,
}

/// Why an action could not be planned.
#[derive(Debug, thiserror::Error)]
pub enum ActionPlanError {
    /// The command cannot be executed; the model reads the failure.
    #[error("{}: {}", .0.code, .0.message)]
    Refused(CallFailure),
    /// The rows could not be read.
    #[error("the rows that the command needs could not be read")]
    Store(#[from] StoreError),
}

/// A description of an action for the person who decides on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionDescription {
    /// What the action does, with its values: “Create 1 entry in Weight”.
    pub says: String,
    /// The row before an update or deletion: the stored key of each field and its value. For rows deleted with it:
    /// their id and type. No name occurs twice, see [`with_unique_field_names`](Self::with_unique_field_names).
    pub before: Vec<(String, String)>,
    /// The row after a creation or update.
    pub after: Vec<(String, String)>,
    /// Points that need attention: the action changes a configuration, or a validation flag itself.
    pub warnings: Vec<String>,
}

impl ActionDescription {
    /// Makes the field names on either side unique: many views index fields by name and would lose all but one of
    /// those that share it. A repeated name gets its occurrence number as a suffix.
    ///
    /// ```
    /// # use entracte_application::ports::ActionDescription;
    /// let field = |value: &str| ("tool".to_owned(), value.to_owned());
    /// let twice = ActionDescription { before: vec![field("Alpha"), field("Beta")], ..ActionDescription::default() };
    /// let names: Vec<String> = twice.with_unique_field_names().before.into_iter().map(|(name, _)| name).collect();
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

/// The rows an action touches; their flags are levels of the validation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionTarget {
    /// The touched rows that contain others.
    pub containers: Vec<TouchedRow>,
    /// The touched rows in them.
    pub contained: Vec<TouchedRow>,
}

/// A row that an action touches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TouchedRow {
    /// The kind of the row.
    pub kind: &'static str,
    /// The id of the row.
    pub id: String,
}

/// A schema that a call shows to the model, or that the model must have seen before requesting the call. A write in a
/// shape the model has never seen is answered with the schema instead of being executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaRequirement {
    /// The call's result shows these schemas, each identified by the hash of its text.
    Shows(Vec<Digest>),
    /// Only a model that has seen this schema may request the call.
    Needs {
        /// The hash of the schema text.
        schema: Digest,
        /// The schema text, sent to a model that has not seen it.
        text: String,
    },
}

/// Runs the commands of some resources.
///
/// Contract: it neither retries nor times out internally; dropping a future really stops the work (closes the
/// connection, kills the child process); `run` of a query may be repeated at any time; an action is called once per
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
///         CallOutcome::Succeeded { content: "pong".into(), digest: sha256(b"pong"), files: Vec::new() }
///     }
/// }
///
/// let catalog = Catalog::new(&[Arc::new(Pong)])?;
/// assert_eq!(catalog.find("PING").unwrap().spec.name, "ping.send");
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// [`run`](Self::run) and [`probe_outcome`](Self::probe_outcome) are dropped when their call is cancelled or timed
/// out, and when the process ends; the work must really stop then. The runtime treats a dropped action as lost and
/// decides by its effect class what to do next, so an action that cannot be stopped half-way must not claim to be
/// repeatable. All other methods only read, and may be dropped at any time.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait CommandExecutor: Send + Sync {
    /// The commands of this executor, each declared once.
    fn commands(&self) -> Vec<CommandSpec>;

    /// Whether tests of the program compile the schemas of all its commands. The catalog compiles such a schema at its
    /// first check, and every other when the command is declared, so that a faulty one is known then. `false` for commands
    /// that a configuration or a server declares.
    fn schemas_are_tested(&self) -> bool {
        false
    }

    /// The model of the resources that its commands keep in the workspace; most executors have none.
    fn resource_model(&self) -> Option<Arc<dyn ResourceModel>> {
        None
    }

    /// Runs a query, or an external action that the ledger shows as started.
    async fn run(&self, request: CallRequest) -> CallOutcome;

    /// Probes whether an action of class `probe` happened; returns `Probed`, or `Lost` when it cannot be determined or
    /// the action does not exist.
    async fn probe_outcome(&self, _request: CallRequest) -> CallOutcome {
        CallOutcome::Lost { found_by_start: None, lands_by: None }
    }

    /// The gateway to the servers that run the tasks of its commands; `None` if no command becomes a task.
    fn gateway(&self) -> Option<Arc<dyn TaskGateway>> {
        None
    }

    /// Decides what an action of class `local` changes. Reads `rows` only; refuses an unknown action.
    ///
    /// # Errors
    /// [`ActionPlanError::Refused`] when the action cannot be executed, which the model reads;
    /// [`ActionPlanError::Store`] when the rows cannot be read.
    async fn plan(
        &self,
        request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionPlan, ActionPlanError> {
        let message = format!("“{}” is not a local action; there is nothing to plan", request.command.name);
        let code = "NOT_LOCAL".to_owned();
        Err(ActionPlanError::Refused(CallFailure { code, message, path: None, retryable: false }))
    }

    /// Why a call can surely not be carried out as it is, checked before a person is asked about it; `None` if nothing
    /// is known against it. A fault that may pass, such as a network that is down, is none. The turn of the workspace waits
    /// for the answer, so an executor limits the time that it takes.
    async fn precheck(&self, _request: CallRequest) -> Option<CallFailure> {
        None
    }

    /// Describes what an action would do now. The default is its command and its arguments.
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

    /// The rows an action touches whose flags may require approval; empty if it touches none.
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

    /// The current values an action would overwrite or delete, by name; empty if it overwrites none of the workspace's
    /// own data. They are the stored values, in no language, because an approval is bound to them.
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

    /// The schema that a call shows, or that must have been shown before it; `None` for calls without such a rule.
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
