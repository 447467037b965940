//! Changes of MCP servers, agents, HTTP tools and embeddings while the server runs: the file is written, and counts from the
//! next call on.

use entracte_adapters_commands::mcp::McpServerConfig;
use entracte_adapters_commands::mcp::login::McpLogoutOutcome;
use entracte_application::ports::{ConfigEntry, ConfigEntryEdit, ConfigEntryEffect, ConfigSection};
use entracte_application::texts::LocalizedTexts;
use entracte_domain::id::Digest;
use tokio::task::JoinHandle;

use super::entry_draft::{EntryAddress, EntryDraft, ReadEntry, entries};
use super::entry_secrets::server;
use super::entry_trials::try_entry;
use super::running_entries::RunningEntries;
use crate::commands::provider::target_for_new_entry;
use crate::config::AppSettings;
use crate::error::{CliError, CliExitCode};
use crate::tools::logins;
use crate::user_text::message;

impl RunningEntries {
    /// The entries of a section.
    pub(super) fn entries(&self, section: ConfigSection) -> Result<Vec<ConfigEntry>, CliError> {
        let context = self.context();
        Ok(entries(&context.settings, &target_for_new_entry(&context, None)?, section, &self.tags))
    }

    /// Writes an entry with exactly these settings; `before` is the digest of the entry it replaces.
    pub(super) async fn put_entry(
        &self,
        at: EntryAddress<'_>,
        edit: &ConfigEntryEdit,
        before: Option<&Digest>,
        texts: &LocalizedTexts,
    ) -> Result<ConfigEntryEffect, CliError> {
        let draft = {
            // The names of new key files are found one by one.
            let _changing = self.begin_change().await;
            EntryDraft::put(&self.context(), at, edit, ReadEntry { tags: &self.tags, digest: before })?
        };
        if edit.must_work {
            let _turn = self.trials.begin(at.section, at.name)?;
            let trial = self.within_limit(texts, try_entry(&draft.read, at, texts)).await?;
            if !trial.works {
                let text = message!("entry-does-not-work", why = trial.says);
                return Err(CliError::new(CliExitCode::Failure, text));
            }
        }
        self.write_entry(at, draft).await
    }

    /// Removes an entry.
    pub(super) async fn remove_entry(
        &self,
        at: EntryAddress<'_>,
        before: &Digest,
    ) -> Result<ConfigEntryEffect, CliError> {
        let context = self.context();
        let read = ReadEntry { tags: &self.tags, digest: Some(before) };
        let draft = EntryDraft::remove(&context, at, read)?;
        let effect = self.write_entry(at, draft).await?;
        if at.section == ConfigSection::McpServers {
            let config = server(&context.settings.tools, at.name).cloned().unwrap_or_default();
            self.forget_server(at.name, config).await;
        }
        Ok(effect)
    }

    /// Forgets what is stored of a server that was removed: the tools that were accepted, and its logins, which are revoked.
    async fn forget_server(&self, name: &str, config: McpServerConfig) {
        let context = self.context();
        if server(&context.settings.tools, name).is_some() {
            // Another configuration has it too.
            return;
        }
        if let Err(error) = self.services().mcp().forget(name) {
            tracing::warn!(server = name, %error, "what was accepted of a removed server is still on file");
        }
        let (logins, name) = (logins(&context.settings), name.to_owned());
        let logout = tokio::spawn(async move {
            match logins.logout(&name, &config).await {
                Ok(McpLogoutOutcome::Nothing | McpLogoutOutcome::Forgotten | McpLogoutOutcome::Revoked) => {}
                Ok(McpLogoutOutcome::NotRevoked(error)) | Err(error) => {
                    tracing::warn!(server = name, %error, "the login at a removed server was not revoked");
                }
            }
        });
        self.wait_a_little(logout).await;
    }

    /// Writes a draft that all commands agree with, and puts it in force; refused if the file has changed since the draft was
    /// made. New servers are connected to, which need not succeed.
    async fn write_entry(
        &self,
        at: EntryAddress<'_>,
        draft: EntryDraft,
    ) -> Result<ConfigEntryEffect, CliError> {
        let changing = self.begin_change().await;
        let before = self.context();
        let prepared = self.prepare(&draft.read)?;
        if let Some(server) = self.services().interrupted_by(&prepared).into_iter().next() {
            let text = message!("entry-calls-open", entry = server);
            return Err(CliError::new(CliExitCode::NotAllowed, text));
        }
        let (read, replaced) = (draft.read.clone(), draft.replaced.clone());
        draft.write(&before)?;
        self.put_in_force(read, prepared, replaced.as_ref())?;
        drop(changing);
        if at.section == ConfigSection::McpServers {
            self.list_new_servers().await;
        }
        Ok(effect(at, &before.settings))
    }

    /// Lists the servers that were never listed. It goes on beside the request, which waits only for those that answer soon.
    async fn list_new_servers(&self) {
        let services = self.services().clone();
        let listing = tokio::spawn(async move {
            if let Err(error) = services.list_missing_servers().await {
                tracing::warn!(error = %error.message, "the commands of an MCP server cannot be used");
            }
        });
        self.wait_a_little(listing).await;
    }

    /// Waits for work that goes on without the request, and says itself why it failed.
    async fn wait_a_little(&self, work: JoinHandle<()>) {
        let wait = self.context().settings.server.limits.entry_wait;
        tokio::select! {
            _ = work => {}
            () = self.services().clock.sleep(wait) => {}
        }
    }
}

/// When a written entry counts. The tool that gives the user context is one that the process built at its start.
fn effect(at: EntryAddress<'_>, running: &AppSettings) -> ConfigEntryEffect {
    match at.section {
        ConfigSection::HttpTools if running.context.tool.as_deref() == Some(at.name) => {
            ConfigEntryEffect::AtNextStart
        }
        ConfigSection::McpServers | ConfigSection::Agents | ConfigSection::HttpTools => {
            ConfigEntryEffect::AtOnce
        }
        ConfigSection::Embeddings => ConfigEntryEffect::AtNextStart,
    }
}
