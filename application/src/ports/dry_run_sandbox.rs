use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;

use super::{
    AutomationReader, LogReader, MailStore, NativeCall, Ownership, Provider, TaskReader, WorkspaceStore,
};

/// What the model of a dry run says.
#[derive(Clone, Debug, PartialEq)]
pub enum DryRunScript {
    /// A script of the rehearsal, as it was written (TOML).
    Script(String),
    /// These answers, in order.
    Turns(Vec<ScriptedReply>),
}

/// One answer of the model of a dry run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptedReply {
    /// Its words: plain, or an envelope's JSON.
    pub text: String,
    /// Its native calls.
    pub calls: Vec<NativeCall>,
}

/// What a dry run is played on: a store of its own, which is empty and goes away with this, and a model without a network.
pub struct DryRunSandbox {
    /// The write path.
    pub store: Arc<dyn WorkspaceStore>,
    /// What was committed.
    pub log: Arc<dyn LogReader>,
    /// Requests of other processes: there are never any.
    pub mail_store: Arc<dyn MailStore>,
    /// The automations.
    pub automations: Arc<dyn AutomationReader>,
    /// The long tasks: there are never any.
    pub tasks: Arc<dyn TaskReader>,
    /// Who handles the events.
    pub ownership: Arc<dyn Ownership>,
    /// The model.
    pub provider: Arc<dyn Provider>,
    /// Dropped last: it takes away what the store left.
    pub keep: Box<dyn Any + Send + Sync>,
}

/// Why there is no stage.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DryRunSandboxError {
    /// The script cannot be played; this says where, and why.
    #[error("{0}")]
    Script(String),
    /// As many dry runs as may be are under way in this process.
    #[error("{0} dry runs are under way, and there may be no more at once")]
    Busy(usize),
    /// The store cannot be made.
    #[error("there is no place for a dry run: {0}")]
    Unavailable(String),
}

/// Makes the stages of dry runs.
///
/// Contract: every stage has a store that nobody else has; what it held is gone once the stage is dropped.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use entracte_application::ports::{DryStages, MockDryRunSandboxFactory, NoDryStage, Play};
///
/// let mut stages = MockDryRunSandboxFactory::new();
/// stages.expect_set().returning(|play| match play {
///     Play::Script(_) => Err(NoDryStage::Script("line 1: this is no TOML".to_owned())),
///     Play::Turns(_) => Err(NoDryStage::Busy(2)),
/// });
/// let refused = stages.set(Play::Turns(Vec::new())).await.err();
/// assert_eq!(refused, Some(NoDryStage::Busy(2)));
/// # Ok(()) });
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait DryRunSandboxFactory: Send + Sync {
    /// A new stage, with a model that plays this.
    ///
    /// # Errors
    /// When the script cannot be played, too many stages are in use, or the store cannot be made.
    async fn create_sandbox(&self, play: DryRunScript) -> Result<DryRunSandbox, DryRunSandboxError>;
}
