//! Changes of MCP servers, agents, HTTP tools and embeddings while the server runs: the file is written, and counts from the
//! next call on.

use entracte_application::ports::{
    ConfigEntry, ConfigEntryEdit, ConfigEntryEffect, ConfigEntryTrial, ConfigSection,
};
use entracte_application::texts::LocalizedTexts;
use entracte_domain::id::Digest;

use super::entry_draft::{EntryAddress, EntryDraft, entries};
use super::entry_trials::try_entry;
use super::running_entries::RunningEntries;
use crate::commands::provider::{StoredKeyFile, target_for_new_entry};
use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

impl RunningEntries {
    /// The entries of a section.
    pub(super) fn entries(&self, section: ConfigSection) -> Result<Vec<ConfigEntry>, CliError> {
        let context = self.context();
        Ok(entries(&context.settings, &target_for_new_entry(&context, None)?, section))
    }

    /// Tries an entry in force.
    pub(super) async fn try_entry(
        &self,
        at: EntryAddress<'_>,
        texts: &LocalizedTexts,
    ) -> Result<ConfigEntryTrial, CliError> {
        try_entry(&self.context().settings, at, texts).await
    }

    /// Writes an entry with exactly these settings; `before` is the digest of the entry it replaces.
    pub(super) async fn put_entry(
        &self,
        at: EntryAddress<'_>,
        edit: &ConfigEntryEdit,
        before: Option<&Digest>,
        texts: &LocalizedTexts,
    ) -> Result<ConfigEntryEffect, CliError> {
        let _changing = self.begin_change().await;
        let draft = EntryDraft::put(&self.context(), at, edit, before)?;
        if edit.must_work {
            let trial = try_entry(&draft.read, at, texts).await?;
            if !trial.works {
                let text = message!("entry-does-not-work", why = trial.says);
                return Err(CliError::new(CliExitCode::Failure, text));
            }
        }
        self.write_entry(at.section, draft).await
    }

    /// Removes an entry.
    pub(super) async fn remove_entry(
        &self,
        at: EntryAddress<'_>,
        before: &Digest,
    ) -> Result<ConfigEntryEffect, CliError> {
        let _changing = self.begin_change().await;
        let draft = EntryDraft::remove(&self.context(), at, before)?;
        self.write_entry(at.section, draft).await
    }

    /// Writes a draft that all commands agree with, and puts it in force. New servers are connected to, which need not
    /// succeed.
    async fn write_entry(
        &self,
        section: ConfigSection,
        draft: EntryDraft,
    ) -> Result<ConfigEntryEffect, CliError> {
        let before = self.context();
        self.services().prepare_executors(&before.settings.with_entries_of(draft.read.clone()))?;
        draft.write(&before)?;
        self.reload()?;
        let now = self.context();
        StoredKeyFile::unused(&before, &before.settings, &now.settings)
            .into_iter()
            .for_each(StoredKeyFile::remove);
        match section {
            ConfigSection::McpServers => {
                self.services().list_missing_servers().await?;
                Ok(ConfigEntryEffect::AtOnce)
            }
            ConfigSection::Agents | ConfigSection::HttpTools => Ok(ConfigEntryEffect::AtOnce),
            ConfigSection::Embeddings => Ok(ConfigEntryEffect::AtNextStart),
        }
    }
}
