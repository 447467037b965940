//! The entries of the configuration that a person edits as a whole: MCP servers, agents, HTTP tools, embeddings.

use async_trait::async_trait;
use entracte_domain::id::Digest;
use secrecy::SecretString;
use serde_json::Value;

use super::OperatorError;
use crate::settings::Language;

entracte_domain::words! {
    /// A kind of entries of the configuration.
    pub enum ConfigSection {
        /// MCP servers, `[mcp.NAME]`.
        McpServers = "mcp-servers",
        /// Agents, `[agents.NAME]`.
        Agents = "agents",
        /// HTTP tools, `[[tools.http.tool]]` by their names.
        HttpTools = "http-tools",
        /// The vectors of documents, `[embeddings]`: the only entry, of this name.
        Embeddings = "embeddings",
    }
}

/// The member of an object that stands for a value that is not shown, because it may contain a secret: `{ "hidden": true }`.
/// Given back, the value stays as it is.
pub const HIDDEN_VALUE: &str = "hidden";

/// An entry of the configuration. It contains no secret, only where secrets are kept.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigEntry {
    /// Its name.
    pub name: String,
    /// Its settings, as a configuration file has them; texts that may contain a secret are hidden ([`HIDDEN_VALUE`]).
    pub settings: Value,
    /// The digest of the entry in the configuration file of the server; `None` if that file has no such entry, so that it
    /// is changed elsewhere.
    pub digest: Option<Digest>,
}

/// A secret of an entry, as a person pasted it. It is stored in a file that only its owner can read.
#[derive(Debug)]
pub struct NewEntrySecret {
    /// The name of the header that sends it.
    pub header: String,
    /// What stands before it in the header, such as `Bearer ` with its space.
    pub prefix: String,
    /// The secret.
    pub secret: SecretString,
}

/// What an entry is to say.
#[derive(Debug)]
pub struct ConfigEntryEdit {
    /// All of its settings.
    pub settings: Value,
    /// The secrets that it sends from now on, beside those that it keeps.
    pub secrets: Vec<NewEntrySecret>,
    /// Whether it is written only if it works.
    pub must_work: bool,
}

/// When a written entry takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigEntryEffect {
    /// From the next call on.
    AtOnce,
    /// From the next start of the server on.
    AtNextStart,
}

/// What came of trying an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigEntryTrial {
    /// Whether it works.
    pub works: bool,
    /// What it answered, or why it does not work. For people.
    pub says: String,
}

/// Reads, tries and writes the entries of the configuration file of a server.
///
/// Contract: no answer contains a secret. Nothing that is written starts a program that the machine's configuration does
/// not start already, or sends a secret to an address that it was not stored for.
///
/// ```
/// use entracte_application::ports::{ConfigEntryStore, ConfigSection, OperatorError};
///
/// /// The names of the MCP servers that the file of the server has.
/// fn own_servers(entries: &dyn ConfigEntryStore) -> Result<Vec<String>, OperatorError> {
///     let all = entries.entries(ConfigSection::McpServers)?;
///     Ok(all.into_iter().filter(|one| one.digest.is_some()).map(|one| one.name).collect())
/// }
/// ```
///
/// # Errors
/// Each contains its reason for the operator of the process. [`OperatorError::Invalid`]: the name or the settings are refused,
/// or the file is a project's; [`OperatorError::NotFound`]: the file has no such entry; [`OperatorError::Changed`]: the entry
/// is not the one that was read; [`OperatorError::Failed`]: the file cannot be read or written now, or the entry does not
/// work and must. The file is unchanged then, and no secret is stored.
///
/// # Cancel safety
/// Reads leave nothing behind. A write that is dropped is done or not; what is written counts at the latest from the next
/// change or start on.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait ConfigEntryStore: Send + Sync {
    /// The entries of a section: those in force, and those of the file, by name.
    ///
    /// # Errors
    /// When the file cannot be read.
    fn entries(&self, section: ConfigSection) -> Result<Vec<ConfigEntry>, OperatorError>;

    /// The names of the entries of the file that were changed since they were read, such as `mcp.files`. They count with the next
    /// change of an entry or a provider, or from the next start on. None if the file cannot be read: nothing is changed here then.
    fn pending_entries(&self) -> Vec<String>;

    /// Tries an entry as the file has it: a server is connected to, the model of an agent is asked, the host of a tool is
    /// connected to, a text gets its vector. Starts no program that is not in force. Changes nothing here.
    async fn try_entry(
        &self,
        section: ConfigSection,
        name: &str,
        language: Language,
    ) -> Result<ConfigEntryTrial, OperatorError>;

    /// Writes an entry with exactly these settings; `read` is the digest of the entry it replaces, `None` for a new one.
    async fn put_entry(
        &self,
        section: ConfigSection,
        name: &str,
        edit: ConfigEntryEdit,
        read: Option<Digest>,
        language: Language,
    ) -> Result<ConfigEntryEffect, OperatorError>;

    /// Removes an entry, with the secrets that were stored for it alone.
    async fn remove_entry(
        &self,
        section: ConfigSection,
        name: &str,
        read: &Digest,
        language: Language,
    ) -> Result<ConfigEntryEffect, OperatorError>;
}
