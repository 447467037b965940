//! Changes of providers while the server runs: the file is written, and counts from the next model call on.

use std::sync::{Arc, PoisonError, RwLock};

use entracte_adapters_http::server_state::PublicProviderList;
use entracte_application::ports::{FoundModelServer, NewProviderSource, ProviderChange, ProviderEffect};
use entracte_application::settings::Language;
use entracte_domain::id::Digest;
use tokio::sync::Mutex;

use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::commands::model_setup::{
    LocalModelServer, ModelSetup, ModelSource, ServiceKey, find_servers, service_of,
};
use crate::commands::provider::{entries_with_key_state, http_change, http_edit};
use crate::config::load;
use crate::error::{CliError, CliExitCode};
use crate::user_text::{UserText, message};

/// The providers of the server, and the file that they come from.
pub(super) struct RunningProviders {
    /// The context with the settings in force; replaced as a whole.
    context: RwLock<Arc<CommandContext>>,
    services: Arc<AppServices>,
    listed: Arc<PublicProviderList>,
    /// Held from the first look at the file until the change counts.
    changing: Mutex<()>,
}

impl RunningProviders {
    /// The providers at the start of the server.
    pub(super) fn new(
        context: CommandContext,
        services: Arc<AppServices>,
        listed: Arc<PublicProviderList>,
    ) -> Self {
        Self { context: RwLock::new(Arc::new(context)), services, listed, changing: Mutex::default() }
    }

    /// The context with the settings in force.
    pub(super) fn context(&self) -> Arc<CommandContext> {
        self.context.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The digest of an entry in the file.
    pub(super) fn digest(&self, name: &str) -> Result<Option<Digest>, CliError> {
        http_edit::tag(&self.context(), name)
    }

    /// Writes an entry with exactly these settings.
    pub(super) async fn put(
        &self,
        entry: http_edit::DesiredProviderEntry<'_>,
        read: Option<&Digest>,
    ) -> Result<ProviderEffect, CliError> {
        let _changing = self.changing.lock().await;
        http_edit::put(&self.context(), &entry, read)?;
        self.reload()
    }

    /// Removes an entry.
    pub(super) async fn remove(&self, name: &str, read: &Digest) -> Result<(), CliError> {
        let _changing = self.changing.lock().await;
        http_edit::remove(&self.context(), name, read)?;
        self.reload().map(drop)
    }

    /// Changes an entry.
    pub(super) async fn change(
        &self,
        name: &str,
        change: &ProviderChange,
        read: &Digest,
    ) -> Result<(), CliError> {
        let _changing = self.changing.lock().await;
        http_change::change_entry(&self.context(), name, change, read).await?;
        self.reload().map(drop)
    }

    /// Sets up a provider as the default of new sessions; returns its name.
    pub(super) async fn set_up(
        &self,
        source: NewProviderSource,
        language: Language,
    ) -> Result<String, CliError> {
        let _changing = self.changing.lock().await;
        let context = self.context();
        http_edit::check_own_file(&context)?;
        let (source, model) = source_of(source).await?;
        let setup = ModelSetup { context: &context, language };
        let prepared = setup.prepare(source).await?;
        let model = model.or_else(|| prepared.models.first().cloned());
        let ready = setup.finish(prepared, model.as_deref()).await?;
        self.reload()?;
        Ok(ready.provider)
    }

    /// Reads the configuration again, of which the providers count.
    fn reload(&self) -> Result<ProviderEffect, CliError> {
        let context = self.context();
        let read = load(&context.flags, &context.environment).map_err(|fault| {
            let text = message!("provider-written-unread", why = UserText::from(fault));
            CliError::new(CliExitCode::Failure, text)
        })?;
        let effect = match context.settings.knows_provider_rules_of(&read) {
            true => ProviderEffect::AtOnce,
            false => ProviderEffect::PartlyAtNextStart,
        };
        let settings = context.settings.with_providers_of(read);
        self.services.replace_providers(&settings);
        self.listed.replace(entries_with_key_state(&settings));
        let next = CommandContext { settings, ..context.clone_for_server() };
        *self.context.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        Ok(effect)
    }
}

/// The source of a request, and the model that it names.
async fn source_of(source: NewProviderSource) -> Result<(ModelSource, Option<String>), CliError> {
    match source {
        NewProviderSource::Key { key, kind, base_url, model } => {
            let kind = service_of(kind.as_deref(), &key, base_url.as_deref())?;
            Ok((ModelSource::Key(ServiceKey { key, kind, base_url }), model))
        }
        NewProviderSource::Server { base_url, model } => {
            let found = find_servers(Some(&base_url)).await.into_iter().next();
            let none = || CliError::new(CliExitCode::Usage, message!("init-no-server"));
            Ok((ModelSource::Server(found.ok_or_else(none)?), model))
        }
        NewProviderSource::Rehearsal => Ok((ModelSource::Rehearsal, None)),
    }
}

/// The model servers that answer at their usual ports.
pub(super) async fn found_servers() -> Vec<FoundModelServer> {
    let found = |server: LocalModelServer| FoundModelServer {
        name: server.name,
        kind: server.kind.word().to_owned(),
        base_url: server.base_url,
        models: server.models,
    };
    find_servers(None).await.into_iter().map(found).collect()
}
