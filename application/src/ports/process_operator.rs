//! Operation of the process as a whole: health checks, settings, backups and provider entries.

use async_trait::async_trait;
use entracte_domain::id::Digest;
use serde_json::Value;

use super::OwnershipRecord;
use crate::settings::Language;

/// The result of one health check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthCheckResult {
    /// The name of the check, never translated, and its subject.
    pub check: String,
    /// `ok`, `warn` or `fail`.
    pub grade: &'static str,
    /// The finding, for people.
    pub says: String,
    /// How to fix it; `None` if nothing needs to be done.
    pub fix: Option<String>,
}

/// A setting of the process, as written in a configuration file. Settings that refer to a secret contain the
/// reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessSetting {
    /// The name of the setting.
    pub key: String,
    /// The value in force.
    pub value: String,
    /// The source of the value.
    pub origin: String,
}

/// The faults found in the database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatabaseCheckReport {
    /// The faults the database itself reports.
    pub faults: Vec<String>,
    /// The sessions whose replayed log differs from their stored row, each with the reason.
    pub sessions: Vec<(String, String)>,
}

/// An external tool that a person must accept: it is new, or differs from the accepted declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalToolOffer {
    /// The server that offers it.
    pub server: String,
    /// The name of the tool at that server.
    pub tool: String,
    /// The offered declaration, or its differences from the accepted one. For people; never for a model.
    pub says: String,
    /// Whether accepting it would remove the need for an approval.
    pub loosens: bool,
    /// The digest of the offered declaration; `None` if it equals the accepted one.
    pub offered: Option<Digest>,
}

/// Why an operation failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OperatorError {
    /// The named object does not exist.
    #[error("{0}")]
    NotFound(String),
    /// The object changed since it was read.
    #[error("{0}")]
    Changed(String),
    /// The request is invalid.
    #[error("{0}")]
    Invalid(String),
    /// The operation is not possible in the current state.
    #[error("{0}")]
    Failed(String),
}

/// Operates a process, its database and its configuration.
///
/// Contract: no answer contains a secret, only references to secrets; writes have the same effect as those of the
/// command line.
///
/// ```
/// use std::sync::Arc;
///
/// use entracte_application::ports::{OperatorError, ProcessOperator};
///
/// /// Lists the fixes a person has to make.
/// async fn to_do(operator: Arc<dyn ProcessOperator>) -> Result<Vec<String>, OperatorError> {
///     let looked = operator.run_health_checks(false).await?;
///     Ok(looked.into_iter().filter_map(|one| one.fix).collect())
/// }
/// ```
///
/// # Errors
/// Each contains its reason for the operator of the process. [`OperatorError::Failed`] may be temporary (a file or the
/// database cannot be used now); the others recur until the request changes. Nothing was changed, unless a method says
/// otherwise.
///
/// # Cancel safety
/// Reads leave nothing behind. A [`back_up`](Self::back_up) that is dropped may run to its end in the background.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait ProcessOperator: Send + Sync {
    /// Checks everything the process depends on. If `online`, it also contacts each provider, tool and server of the
    /// configuration; otherwise nothing is sent.
    ///
    /// # Errors
    /// [`OperatorError::Failed`] when the checks cannot run. Failed checks are not errors: they are in the result.
    async fn run_health_checks(&self, online: bool) -> Result<Vec<HealthCheckResult>, OperatorError>;

    /// The settings in force.
    fn effective_settings(&self) -> Vec<ProcessSetting>;

    /// The last owner of the database; its process may be dead.
    ///
    /// # Errors
    /// [`OperatorError::Failed`] when the database cannot be queried now.
    async fn holder(&self) -> Result<Option<OwnershipRecord>, OperatorError>;

    /// Runs the integrity check of the database, and replays every session.
    ///
    /// # Errors
    /// [`OperatorError::Failed`] when the database cannot be queried. Faults are part of the result.
    async fn check(&self) -> Result<DatabaseCheckReport, OperatorError>;

    /// Creates a backup in the backup folder; returns its file name.
    ///
    /// # Errors
    /// [`OperatorError::Failed`] when the copy cannot be written completely: no file exists under the name of a backup
    /// then. Also when older backups cannot be removed: the new backup exists then.
    async fn back_up(&self) -> Result<String, OperatorError>;

    /// The digest of a provider's entry in the configuration file of the server, as currently written; `None` if the
    /// file has no such entry.
    ///
    /// # Errors
    /// [`OperatorError::Failed`] when the server has no such file, or it cannot be read.
    fn provider_entry_digest(&self, name: &str) -> Result<Option<Digest>, OperatorError>;

    /// Writes the entry of a provider with exactly these settings into that file; `read` is the digest of the entry it
    /// replaces, `None` for a new one. It takes effect at the next start, like `provider add`. Secrets are refused,
    /// and so are settings that would start a program or read a file of the server's machine; a key is given only as
    /// the name of its variable. If `is_default`, new sessions that name no provider use this one from then on.
    ///
    /// # Errors
    /// [`OperatorError::Invalid`] when the settings are refused; [`OperatorError::Changed`] or
    /// [`OperatorError::Failed`] when the entry differs from the one that was read, or another file has an entry of
    /// that name; [`OperatorError::Failed`] when the file cannot be written. The file is unchanged then.
    fn put_provider(
        &self,
        name: &str,
        settings: &Value,
        is_default: bool,
        read: Option<Digest>,
    ) -> Result<(), OperatorError>;

    /// Removes the entry of a provider from that file.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] when the file has no such entry; [`OperatorError::Changed`] or
    /// [`OperatorError::Failed`] when it differs from the one that was read, or is the default;
    /// [`OperatorError::Failed`] when the file cannot be written. The file is unchanged then.
    fn remove_provider(&self, name: &str, read: &Digest) -> Result<(), OperatorError>;

    /// The offer under a command name or as `server.tool`; `None` if no server offers such a tool.
    ///
    /// # Errors
    /// [`OperatorError::Failed`] when the accepted declarations cannot be read.
    async fn external_tool_offer(
        &self,
        command: &str,
        language: Language,
    ) -> Result<Option<ExternalToolOffer>, OperatorError>;

    /// Accepts the offer, if its digest is the one that was read.
    ///
    /// # Errors
    /// [`OperatorError::Changed`] when the current offer differs from the one that was read, or the acceptance cannot
    /// be stored; nothing is accepted then.
    async fn accept_tool_offer(
        &self,
        offer: &ExternalToolOffer,
        read: &Digest,
        language: Language,
    ) -> Result<(), OperatorError>;
}
