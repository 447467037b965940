//! What whoever operates the process asks of it as a whole.

use async_trait::async_trait;
use entracte_domain::id::Digest;
use serde_json::Value;

use super::OwnershipRecord;
use crate::settings::Language;

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthCheckResult {
    /// Its name: words that are never translated, and what it is of.
    pub check: String,
    /// `ok`, `warn` or `fail`.
    pub grade: &'static str,
    /// What was found.
    pub says: String,
    /// What to do about it; none when there is nothing to do.
    pub fix: Option<String>,
}

/// A setting of the process, as it would be written in a file. One that names a secret says where it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessSetting {
    /// Its name.
    pub key: String,
    /// Its value.
    pub value: String,
    /// Where it comes from.
    pub origin: String,
}

/// What is wrong with the database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatabaseCheckReport {
    /// What it says of itself.
    pub faults: Vec<String>,
    /// The sessions whose log does not give what is stored, each with why.
    pub sessions: Vec<(String, String)>,
}

/// A tool from outside that somebody has to accept: it is new, or other than what was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalToolOffer {
    /// The server that offers it.
    pub server: String,
    /// Its name there.
    pub tool: String,
    /// What is offered, or how it differs from what was accepted. For people; never for a model.
    pub says: String,
    /// Accepted, it would need no approval where it needs one now.
    pub loosens: bool,
    /// Of what is offered; none when that is what was accepted.
    pub offered: Option<Digest>,
}

/// Why it was not done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OperatorError {
    /// What was named is not there.
    #[error("{0}")]
    NotFound(String),
    /// It is not any more what was read.
    #[error("{0}")]
    Changed(String),
    /// What was asked for is wrong as it stands.
    #[error("{0}")]
    Invalid(String),
    /// It cannot be done as things are.
    #[error("{0}")]
    Failed(String),
}

/// Looks after a process, its database and its configuration.
///
/// Contract: no answer holds a secret, only where one is kept; what it writes counts as what the command line writes.
///
/// ```
/// use std::sync::Arc;
///
/// use entracte_application::ports::{Operator, OperatorError};
///
/// /// What somebody has to do, in words.
/// async fn to_do(operator: Arc<dyn Operator>) -> Result<Vec<String>, OperatorError> {
///     let looked = operator.look(false).await?;
///     Ok(looked.into_iter().filter_map(|one| one.fix).collect())
/// }
/// ```
///
/// # Errors
/// Each says in words what it was, for whoever operates the process. [`OperatorError::Failed`] may pass (a file or
/// the database cannot be used now); the others come again until what is asked for is another. Nothing was changed,
/// unless a method says otherwise.
///
/// # Cancel safety
/// Readings leave nothing behind. A [`back_up`](Self::back_up) that is dropped may go on by itself to its end.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait ProcessOperator: Send + Sync {
    /// Looks at everything that it stands on. Where `online`, it also asks each provider, tool and server of the configuration
    /// whether it answers; else nothing is sent anywhere.
    ///
    /// # Errors
    /// [`OperatorError::Failed`] when it cannot be looked at all. What is wrong is no error: it is in the answer.
    async fn run_health_checks(&self, online: bool) -> Result<Vec<HealthCheckResult>, OperatorError>;

    /// The settings in force.
    fn effective_settings(&self) -> Vec<ProcessSetting>;

    /// Who took the database last; it may be dead.
    ///
    /// # Errors
    /// [`OperatorError::Failed`] when the database cannot be asked now.
    async fn holder(&self) -> Result<Option<OwnershipRecord>, OperatorError>;

    /// Asks the database what it says of itself, and replays every session.
    ///
    /// # Errors
    /// [`OperatorError::Failed`] when the database cannot be asked at all. Faults that are found are the answer.
    async fn check(&self) -> Result<DatabaseCheckReport, OperatorError>;

    /// Makes a backup where backups are kept; gives the name of its file.
    ///
    /// # Errors
    /// [`OperatorError::Failed`] when the copy cannot be written whole: nothing stands under the name of a backup
    /// then. Also when older backups cannot be removed: then the new one is there.
    async fn back_up(&self) -> Result<String, OperatorError>;

    /// The tag of a provider's entry in the configuration file of the server, as the file is now; none where that file has
    /// none.
    ///
    /// # Errors
    /// [`OperatorError::Failed`] when the server has no such file, or it cannot be read.
    fn provider_entry_digest(&self, name: &str) -> Result<Option<Digest>, OperatorError>;

    /// Writes the entry of a provider with exactly these settings into that file; `read` is the tag of the one that it takes
    /// the place of, none for a new one. It counts from the next start on, as after `provider add`. Secrets are refused, and
    /// what would start a program or read a file of the server's machine; of a key only the variable is named. Where
    /// `is_default`, new sessions use it from then on that name none.
    ///
    /// # Errors
    /// [`OperatorError::Invalid`] when the settings are refused; [`OperatorError::Changed`] or
    /// [`OperatorError::Failed`] when the entry is not the one that was read, or another file has one of that name;
    /// [`OperatorError::Failed`] when the file cannot be written. The file is as it was then.
    fn put_provider(
        &self,
        name: &str,
        settings: &Value,
        is_default: bool,
        read: Option<Digest>,
    ) -> Result<(), OperatorError>;

    /// Takes the entry of a provider out of that file.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] when the file has no such entry; [`OperatorError::Changed`] or
    /// [`OperatorError::Failed`] when it is not the one that was read, or is the default one;
    /// [`OperatorError::Failed`] when the file cannot be written. The file is as it was then.
    fn remove_provider(&self, name: &str, read: &Digest) -> Result<(), OperatorError>;

    /// What is offered under the name of a command, or as `server.tool`; none when no server offers such a tool.
    ///
    /// # Errors
    /// [`OperatorError::Failed`] when what was accepted before cannot be read.
    async fn external_tool_offer(
        &self,
        command: &str,
        language: Language,
    ) -> Result<Option<ExternalToolOffer>, OperatorError>;

    /// Accepts it, when it is what was read.
    ///
    /// # Errors
    /// [`OperatorError::Changed`] when what is offered is not what was read, or it cannot be written down; nothing is
    /// accepted then.
    async fn accept_tool_offer(
        &self,
        offer: &ExternalToolOffer,
        read: &Digest,
        language: Language,
    ) -> Result<(), OperatorError>;
}
