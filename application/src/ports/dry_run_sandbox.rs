use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;

use super::{
    AutomationReader, LogReader, MailStore, NativeCall, Ownership, Provider, TaskReader, WorkspaceStore,
};

/// The replies of the model in a dry run.
#[derive(Clone, Debug, PartialEq)]
pub enum DryRunScript {
    /// A rehearsal script, as its TOML source.
    Script(String),
    /// These replies, in order.
    Turns(Vec<ScriptedReply>),
}

/// One scripted reply of the model in a dry run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptedReply {
    /// The reply text: plain, or the JSON of an envelope.
    pub text: String,
    /// The native tool calls of the reply.
    pub calls: Vec<NativeCall>,
}

/// The environment of a dry run: an empty store of its own, removed when the sandbox is dropped, and a model without a
/// network.
pub struct DryRunSandbox {
    /// The write path of the store.
    pub store: Arc<dyn WorkspaceStore>,
    /// The committed log of the store.
    pub log: Arc<dyn LogReader>,
    /// Requests of other processes; always empty.
    pub mail_store: Arc<dyn MailStore>,
    /// The automations in the store.
    pub automations: Arc<dyn AutomationReader>,
    /// The long tasks; always empty.
    pub tasks: Arc<dyn TaskReader>,
    /// The ownership of the store.
    pub ownership: Arc<dyn Ownership>,
    /// The scripted model.
    pub provider: Arc<dyn Provider>,
    /// Dropped last: removes the files of the store.
    pub keep: Box<dyn Any + Send + Sync>,
}

/// Why a sandbox cannot be created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DryRunSandboxError {
    /// The script is invalid; contains the position and the reason.
    #[error("{0}")]
    Script(String),
    /// The maximum number of dry runs, given here, is already running in this process.
    #[error("{0} dry runs are under way, and there may be no more at once")]
    Busy(usize),
    /// The store cannot be created, with the reason.
    #[error("there is no place for a dry run: {0}")]
    Unavailable(String),
}

/// Creates the sandboxes of dry runs.
///
/// Contract: every sandbox has an exclusive store, which is deleted when the sandbox is dropped.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use entracte_application::ports::{DryRunSandboxError, DryRunSandboxFactory, DryRunScript, MockDryRunSandboxFactory};
///
/// let mut sandboxes = MockDryRunSandboxFactory::new();
/// sandboxes.expect_create_sandbox().returning(|play| match play {
///     DryRunScript::Script(_) => Err(DryRunSandboxError::Script("line 1: this is no TOML".to_owned())),
///     DryRunScript::Turns(_) => Err(DryRunSandboxError::Busy(2)),
/// });
/// let refused = sandboxes.create_sandbox(DryRunScript::Turns(Vec::new())).await.err();
/// assert_eq!(refused, Some(DryRunSandboxError::Busy(2)));
/// # Ok(()) });
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait DryRunSandboxFactory: Send + Sync {
    /// Creates a sandbox whose model plays `play`.
    ///
    /// # Errors
    /// When the script is invalid, too many sandboxes are in use, or the store cannot be created.
    async fn create_sandbox(&self, play: DryRunScript) -> Result<DryRunSandbox, DryRunSandboxError>;
}
