//! Operation of the process as a whole: health checks, settings, backups and provider entries.

use async_trait::async_trait;
use entracte_domain::command::CommandKind;
use entracte_domain::id::Digest;
use entracte_domain::time::Timestamp;
use secrecy::SecretString;
use serde_json::Value;

use super::OwnershipRecord;
use crate::settings::Language;
use crate::texts::ReaderLanguage;

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

/// A line of the log of the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessLogLine {
    /// Counts the lines of the process, from 1.
    pub number: u64,
    /// When it was written.
    pub at: Timestamp,
    /// `error`, `warn`, `info`, `debug` or `trace`.
    pub level: String,
    /// The part of the program that wrote it.
    pub target: String,
    /// The message and its fields.
    pub text: String,
    /// Whether the end of the text is cut off.
    pub is_cut: bool,
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

/// What keeps tools of the configured servers from being commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExternalToolGaps {
    /// The servers that were never connected to, so that their tools are unknown.
    pub unlisted_servers: Vec<String>,
    /// The tools whose declarations cannot be used.
    pub unusable: Vec<UnusableExternalTool>,
}

/// An external tool whose declaration cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableExternalTool {
    /// `server.tool`.
    pub name: String,
    /// The path of the argument whose schema is the reason; `None` if it is no single argument.
    pub argument: Option<String>,
    /// The reason, for people.
    pub why: String,
}

entracte_domain::words! {
    /// What decides whether an external tool asks for approval.
    pub enum ExternalToolRuleSource {
        /// The hints of its server.
        Server = "server",
        /// The decision of a person.
        Person = "person",
        /// The configuration.
        Configuration = "configuration",
    }
}

entracte_domain::words! {
    /// Whether sessions can use an accepted external tool.
    pub enum ExternalToolState {
        /// They can.
        Usable = "usable",
        /// They cannot until a person accepts its changed declaration.
        Changed = "changed",
        /// They cannot, because its server no longer offers it.
        Gone = "gone",
        /// They cannot, because it is too large, or cannot be a command.
        Unusable = "unusable",
    }
}

entracte_domain::words! {
    /// A person's choice about external tools.
    pub enum ExternalToolChoice {
        /// They ask before each call.
        Ask = "ask",
        /// They run unasked, unless another level asks.
        Trust = "trust",
        /// They ask or run as they do now.
        Keep = "keep",
    }
}

/// The hints of a server about a tool; `None` where it gives none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExternalToolHints {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// A repeated call has no further effect.
    pub idempotent: Option<bool>,
    /// It reaches places outside its server.
    pub open_world: Option<bool>,
}

/// An accepted external tool, as a person decides about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalTool {
    /// The name of the tool at its server.
    pub tool: String,
    /// Its name in the catalog; `None` if it is not a command.
    pub command: Option<String>,
    /// Whether it reads or changes something.
    pub kind: CommandKind,
    /// Whether a person approves each call.
    pub asks: bool,
    /// What decides that.
    pub source: ExternalToolRuleSource,
    /// Whether it sends data out; `None` if nobody says.
    pub sends_out: Option<bool>,
    /// What its server says of it.
    pub hints: ExternalToolHints,
    /// Whether a person should decide about it: nobody has, and it is a query that asks or an action that runs unasked.
    pub is_undecided: bool,
    /// Whether sessions can use it.
    pub state: ExternalToolState,
}

/// The accepted tools of an external server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalServerTools {
    /// The name of the server in the configuration.
    pub server: String,
    /// Its tools, by name.
    pub tools: Vec<ExternalTool>,
    /// When the decisions about tools were last changed.
    pub changed_at: Timestamp,
}

impl ExternalServerTools {
    /// Whether a person should decide about a tool of the server.
    pub fn is_undecided(&self) -> bool {
        self.tools.iter().any(|tool| tool.is_undecided)
    }

    /// Whether this command is a query of the server about which no person has decided.
    pub fn holds_query(&self, command: &str) -> bool {
        let is_it = |tool: &&ExternalTool| tool.command.as_deref() == Some(command);
        self.tools.iter().find(is_it).is_some_and(|tool| tool.is_undecided && tool.kind == CommandKind::Query)
    }
}

/// The outcome of a decision about the tools of an external server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExternalToolDecision {
    /// The tools that the choice is about.
    pub decided: Vec<String>,
    /// The tools for which the configuration decides.
    pub configured: Vec<String>,
    /// The other undecided tools of a choice about all: they are decided as they are.
    pub kept: Vec<String>,
}

/// A model server of this machine that listed its models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundModelServer {
    /// The name that its provider would get.
    pub name: String,
    /// Which API it speaks, in the word of a provider's `kind`.
    pub kind: String,
    /// The address of its API.
    pub base_url: String,
    /// The names of its models that hold conversations, in its order; never empty.
    pub models: Vec<String>,
}

/// Where the answers of a new provider come from.
#[derive(Debug)]
pub enum NewProviderSource {
    /// A service, with the key of the person's account.
    Key {
        /// The key. It is stored in a file that only its owner can read.
        key: SecretString,
        /// The word of the service; `None`: as the prefix of the key tells.
        kind: Option<String>,
        /// The address of its API; `None`: the usual one.
        base_url: Option<String>,
        /// The model; `None`: the usual one of the service, else the first that it lists.
        model: Option<String>,
    },
    /// A model server that needs no key.
    Server {
        /// The address of its API.
        base_url: String,
        /// The model; `None`: the first that it lists.
        model: Option<String>,
    },
    /// A script, to try a chat without a model.
    Rehearsal,
}

/// The changes to a provider's entry; `None` leaves a value as it is.
#[derive(Debug, Default)]
pub struct ProviderChange {
    /// The new key, in place of the one before.
    pub key: Option<SecretString>,
    /// The new address of its API.
    pub base_url: Option<String>,
    /// The new model.
    pub model: Option<String>,
    /// Whether new sessions that name no provider use it from then on.
    pub is_default: bool,
}

/// When a written provider takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderEffect {
    /// From the next model call on.
    AtOnce,
    /// From the next model call on, but for its fallbacks and whether its calls are one by one: from the next start.
    PartlyAtNextStart,
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
/// use entracte_application::settings::Language;
///
/// /// Lists the fixes a person has to make.
/// async fn to_do(operator: Arc<dyn ProcessOperator>) -> Result<Vec<String>, OperatorError> {
///     let looked = operator.run_health_checks(false, Language::En.into()).await?;
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
    /// configuration; otherwise nothing is sent. The findings are in the language of `reader`.
    ///
    /// # Errors
    /// [`OperatorError::Failed`] when the checks cannot run. Failed checks are not errors: they are in the result.
    async fn run_health_checks(
        &self,
        online: bool,
        reader: ReaderLanguage,
    ) -> Result<Vec<HealthCheckResult>, OperatorError>;

    /// The latest lines of the log of the process, the oldest first, as far as it keeps them in memory. Secrets are not
    /// scrubbed from them.
    fn recent_log(&self) -> Vec<ProcessLogLine> {
        Vec::new()
    }

    /// The settings in force.
    fn effective_settings(&self) -> Vec<ProcessSetting>;

    /// The last owner of the database; its process may be dead.
    ///
    /// # Errors
    /// [`OperatorError::Failed`] when the database cannot be queried now.
    async fn holder(&self) -> Result<Option<OwnershipRecord>, OperatorError>;

    /// Runs the integrity check of the database, and replays every session. The faults are in the language of `reader`.
    ///
    /// # Errors
    /// [`OperatorError::Failed`] when the database cannot be queried. Faults are part of the result.
    async fn check(&self, reader: ReaderLanguage) -> Result<DatabaseCheckReport, OperatorError>;

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
    /// replaces, `None` for a new one. Secrets are refused, and so are settings that would start a program or read a
    /// file of the server's machine; a key is given only as the name of its variable. If `is_default`, new sessions that
    /// name no provider use this one from then on. Running model calls go on with the entry that they began with. Refusals
    /// are in `language`.
    ///
    /// # Errors
    /// [`OperatorError::Invalid`] when the settings are refused, or the file is a project's; [`OperatorError::Changed`] or
    /// [`OperatorError::Failed`] when the entry differs from the one that was read, or another file has an entry of
    /// that name; [`OperatorError::Failed`] when the file cannot be written. The file is unchanged then.
    async fn put_provider(
        &self,
        name: &str,
        settings: &Value,
        is_default: bool,
        read: Option<Digest>,
        language: Language,
    ) -> Result<ProviderEffect, OperatorError>;

    /// Removes the entry of a provider from that file, with the key that [`set_up_provider`](Self::set_up_provider) or
    /// [`change_provider`](Self::change_provider) stored for it. Refusals are in `language`.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] when the file has no such entry; [`OperatorError::Changed`] or
    /// [`OperatorError::Failed`] when it differs from the one that was read, or is the default;
    /// [`OperatorError::Failed`] when the file cannot be written. The file is unchanged then.
    async fn remove_provider(
        &self,
        name: &str,
        read: &Digest,
        language: Language,
    ) -> Result<(), OperatorError>;

    /// The model servers that answer at their usual ports of this machine.
    async fn find_model_servers(&self) -> Vec<FoundModelServer>;

    /// Asks a new provider, and writes it as the default of new sessions if it answers. Returns its name.
    ///
    /// # Errors
    /// [`OperatorError::Invalid`] when the source says too little or is refused; [`OperatorError::Failed`] when the model
    /// does not answer, or a file cannot be written. Nothing was written then, and the key is not stored.
    async fn set_up_provider(
        &self,
        source: NewProviderSource,
        language: Language,
    ) -> Result<String, OperatorError>;

    /// Changes the entry of a provider in that file. A new key is stored in place of the one before if the model answers
    /// with it. A stored key goes to another address only if the change contains it.
    ///
    /// # Errors
    /// As those of [`put_provider`](Self::put_provider) and [`set_up_provider`](Self::set_up_provider).
    async fn change_provider(
        &self,
        name: &str,
        change: ProviderChange,
        read: &Digest,
        language: Language,
    ) -> Result<(), OperatorError>;

    /// The offer under a command name or as `server.tool`; `None` if no server offers such a tool.
    ///
    /// # Errors
    /// [`OperatorError::Failed`] when the accepted declarations cannot be read.
    async fn external_tool_offer(
        &self,
        command: &str,
        language: Language,
    ) -> Result<Option<ExternalToolOffer>, OperatorError>;

    /// The offers of the servers that were connected to at least once that wait to be accepted, by server. Starts no server.
    ///
    /// # Errors
    /// [`OperatorError::Failed`] when the accepted declarations cannot be read.
    fn external_tool_offers(&self, language: Language) -> Result<Vec<ExternalToolOffer>, OperatorError>;

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

    /// What keeps tools of the configured servers from being commands. Starts no server.
    ///
    /// # Errors
    /// [`OperatorError::Failed`] when the accepted declarations cannot be read.
    fn external_tool_gaps(&self, language: Language) -> Result<ExternalToolGaps, OperatorError>;

    /// The accepted tools of the external servers that were connected to at least once, by server.
    ///
    /// # Errors
    /// [`OperatorError::Failed`] when the accepted declarations cannot be read.
    fn external_servers(&self) -> Result<Vec<ExternalServerTools>, OperatorError>;

    /// Decides whether tools of a server ask, by names or patterns; without any, about all of them: `Trust` is then for
    /// those that the server calls read-only, and the others stay as they are. `read` is the digest of the tools that
    /// the person read. It counts for calls from then on; open approvals stay open. Refusals are in `language`.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] when there is no such server or tool; [`OperatorError::Changed`] when the tools differ
    /// from those that were read; [`OperatorError::Failed`] when the decision cannot be stored. Nothing is decided then.
    async fn decide_external_tools(
        &self,
        server: &str,
        choice: ExternalToolChoice,
        tools: &[String],
        read: &Digest,
        language: Language,
    ) -> Result<ExternalToolDecision, OperatorError>;
}
