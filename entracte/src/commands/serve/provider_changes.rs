//! Changes of providers while the server runs: the file is written, and counts from the next model call on.

use std::sync::Arc;

use entracte_application::ports::{FoundModelServer, NewProviderSource, ProviderChange, ProviderEffect};
use entracte_application::settings::Language;
use entracte_domain::id::Digest;

use super::running_entries::RunningEntries;
use crate::commands::model_setup::{
    LocalModelServer, ModelSetup, ModelSource, ServiceKey, find_servers, service_of,
};
use crate::commands::provider::{http_change, http_edit, unusable_entry_error};
use crate::config::{ConfigLayer, load_with};
use crate::error::{CliError, CliExitCode};
use crate::program_parts::ProgramParts;
use crate::user_text::message;

impl RunningEntries {
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
        let _changing = self.begin_change().await;
        let replaced = self.file_settings();
        http_edit::put(&self.context(), &entry, read, &|layer| self.check_layer(layer))?;
        self.reload(replaced.as_ref())
    }

    /// Removes an entry.
    pub(super) async fn remove(&self, name: &str, read: &Digest) -> Result<(), CliError> {
        let _changing = self.begin_change().await;
        // What names the provider was not changed by another request; the provider is in use.
        let is_unused =
            |layer| self.check_layer(layer).map_err(|error| error.with_exit(CliExitCode::NotAllowed));
        let replaced = self.file_settings();
        http_edit::remove(&self.context(), name, read, &is_unused)?;
        self.reload(replaced.as_ref()).map(drop)
    }

    /// Changes an entry.
    pub(super) async fn change(
        &self,
        name: &str,
        change: &ProviderChange,
        read: &Digest,
    ) -> Result<(), CliError> {
        let _changing = self.begin_change().await;
        let check = |layer| self.check_layer(layer);
        let replaced = self.file_settings();
        http_change::change_entry(&self.context(), name, change, read, &check).await?;
        self.reload(replaced.as_ref()).map(drop)
    }

    /// Requires that all that names providers, and all commands, agree with a changed file.
    fn check_layer(&self, layer: ConfigLayer) -> Result<(), CliError> {
        let context = self.context();
        let read = load_with(&context.flags, &context.environment, layer);
        self.prepare(&read.map_err(|fault| unusable_entry_error(&fault))?).map(drop)
    }

    /// Sets up a provider as the default of new sessions; returns its name.
    pub(super) async fn set_up(
        &self,
        source: NewProviderSource,
        language: Language,
    ) -> Result<String, CliError> {
        let _changing = self.begin_change().await;
        let (context, replaced) = (self.context(), self.file_settings());
        http_edit::check_own_file(&context)?;
        let (source, model) = source_of(&context.settings.parts, source).await?;
        let setup = ModelSetup { context: &context, language };
        let prepared = setup.prepare(source).await?;
        let model = model.or_else(|| prepared.models.first().cloned());
        let ready = setup.finish(prepared, model.as_deref()).await?;
        self.reload(replaced.as_ref())?;
        Ok(ready.provider)
    }
}

/// The source of a request, and the model that it names.
async fn source_of(
    parts: &Arc<ProgramParts>,
    source: NewProviderSource,
) -> Result<(ModelSource, Option<String>), CliError> {
    match source {
        NewProviderSource::Key { key, kind, base_url, model } => {
            let kind = service_of(kind.as_deref(), &key, base_url.as_deref())?;
            Ok((ModelSource::Key(ServiceKey { key, kind, base_url }), model))
        }
        NewProviderSource::Server { base_url, model } => {
            let found = find_servers(parts, Some(&base_url)).await.into_iter().next();
            let none = || CliError::new(CliExitCode::Usage, message!("init-no-server"));
            Ok((ModelSource::Server(found.ok_or_else(none)?), model))
        }
        NewProviderSource::Rehearsal => Ok((ModelSource::Rehearsal, None)),
    }
}

/// The model servers that answer at their usual ports.
pub(super) async fn found_servers(parts: &Arc<ProgramParts>) -> Vec<FoundModelServer> {
    let found = |server: LocalModelServer| FoundModelServer {
        name: server.name,
        kind: server.kind.word().to_owned(),
        base_url: server.base_url,
        models: server.models,
    };
    find_servers(parts, None).await.into_iter().map(found).collect()
}
