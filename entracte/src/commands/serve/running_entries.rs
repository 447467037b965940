//! The entries of the configuration while the server runs: providers, agents, tools. A changed file counts from the next
//! call on.

use std::sync::{Arc, PoisonError, RwLock};

use entracte_adapters_http::server_state::PublicEntries;
use entracte_application::ports::ProviderEffect;
use tokio::sync::{Mutex, MutexGuard};

use super::entry_draft::EntryTags;
use super::trial_turns::TrialTurns;
use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::commands::provider::{StoredKeyFile, entries_with_key_state};
use crate::config::{AppSettings, load};
use crate::error::{CliError, CliExitCode};
use crate::tools::ConfiguredExecutors;
use crate::user_text::{UserText, message};

/// The entries of the server, and the file that they come from.
pub(super) struct RunningEntries {
    /// The context with the settings in force; replaced as a whole.
    context: RwLock<Arc<CommandContext>>,
    services: Arc<AppServices>,
    listed: Arc<PublicEntries>,
    changing: Mutex<()>,
    /// Makes the digests of entries.
    pub(super) tags: EntryTags,
    /// The trials of entries that go on.
    pub(super) trials: TrialTurns,
    /// The stored keys that the file does not name any more, and this process still sends.
    last_keys: std::sync::Mutex<Vec<StoredKeyFile>>,
}

impl RunningEntries {
    /// The entries at the start of the server.
    pub(super) fn new(
        context: CommandContext,
        services: Arc<AppServices>,
        listed: Arc<PublicEntries>,
    ) -> Self {
        let tags = EntryTags { key: services.ids.secret() };
        Self {
            tags,
            context: RwLock::new(Arc::new(context)),
            services,
            listed,
            changing: Mutex::default(),
            trials: TrialTurns::default(),
            last_keys: std::sync::Mutex::default(),
        }
    }

    /// The context with the settings in force.
    pub(super) fn context(&self) -> Arc<CommandContext> {
        self.context.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The services of the process.
    pub(super) fn services(&self) -> &Arc<AppServices> {
        &self.services
    }

    /// Excludes other changes. Held from the first look at the file until the change counts.
    pub(super) async fn begin_change(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().await
    }

    /// Removes stored keys that no file names any more. One that this process still sends stays until its end.
    fn remove_keys(&self, keys: Vec<StoredKeyFile>) {
        let context = self.context();
        let (sent, unused): (Vec<_>, Vec<_>) =
            keys.into_iter().partition(|key| key.is_named_by(&context.settings));
        unused.into_iter().for_each(StoredKeyFile::remove);
        self.last_keys.lock().unwrap_or_else(PoisonError::into_inner).extend(sent);
    }

    /// Checks settings as the next start reads them, and as they count from now on; returns the executors of the latter.
    pub(super) fn prepare(&self, read: &AppSettings) -> Result<ConfiguredExecutors, CliError> {
        self.services.prepare_executors(read)?;
        self.services.prepare_executors(&self.context().settings.with_entries_of(read.clone()))
    }

    /// The names of the entries that were changed in the file since they were read; none if it cannot be read.
    pub(super) fn pending_entries(&self) -> Vec<String> {
        let context = self.context();
        let Ok(read) = load(&context.flags, &context.environment) else { return Vec::new() };
        context.settings.changed_entries(&context.settings.with_entries_of(read))
    }

    /// The settings of the file before a change of it; `None` if they cannot be used.
    pub(super) fn file_settings(&self) -> Option<AppSettings> {
        let context = self.context();
        load(&context.flags, &context.environment).ok()
    }

    /// Reads the changed configuration, of which the entries count: also those that were changed in the file by hand.
    /// `replaced` are the settings of the file before the change, if they could be used.
    pub(super) fn reload(&self, replaced: Option<&AppSettings>) -> Result<ProviderEffect, CliError> {
        let context = self.context();
        let read = load(&context.flags, &context.environment).map_err(|fault| {
            let text = message!("provider-written-unread", why = UserText::from(fault));
            CliError::new(CliExitCode::Failure, text)
        })?;
        let executors = self.services.prepare_executors(&context.settings.with_entries_of(read.clone()))?;
        self.put_in_force(read, executors, replaced)
    }

    /// Puts the entries of a changed file in force, with the executors that were prepared for them, and removes the stored keys
    /// that the file named before and does not name any more.
    pub(super) fn put_in_force(
        &self,
        read: AppSettings,
        executors: ConfiguredExecutors,
        replaced: Option<&AppSettings>,
    ) -> Result<ProviderEffect, CliError> {
        let context = self.context();
        let effect = match context.settings.knows_provider_rules_of(&read) {
            true => ProviderEffect::AtOnce,
            false => ProviderEffect::PartlyAtNextStart,
        };
        // What a person removed from the file by hand keeps its key.
        let unused = StoredKeyFile::unused(&context, replaced.unwrap_or(&context.settings), &read);
        let settings = context.settings.with_entries_of(read);
        self.services.replace_entries(&settings, executors)?;
        let changed = context.settings.changed_entries(&settings).join(", ");
        tracing::info!(changed, "entries of the configuration were replaced");
        self.listed.providers.replace(entries_with_key_state(&settings));
        self.listed.agents.replace(settings.agents.clone());
        let next = CommandContext { settings, ..context.clone_for_server() };
        *self.context.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        self.remove_keys(unused);
        Ok(effect)
    }
}

impl Drop for RunningEntries {
    fn drop(&mut self) {
        let keys = std::mem::take(&mut *self.last_keys.lock().unwrap_or_else(PoisonError::into_inner));
        let context = self.context();
        // A file that cannot be read now may name any of them.
        let Ok(read) = load(&context.flags, &context.environment) else { return };
        keys.into_iter().filter(|key| !key.is_named_by(&read)).for_each(StoredKeyFile::remove);
    }
}
