//! Sets up a provider from a key, a server or a script, for `init` and for the browser. Nothing is written before the
//! model answered.

mod key_kind;
mod local_servers;

use entracte_adapters_providers::config::ProviderKind;
use entracte_application::settings::Language;
use secrecy::{ExposeSecret, SecretString};
use tempfile::TempPath;

pub(super) use self::key_kind::HOSTED;
use self::key_kind::kind_of_key;
use self::local_servers::{ANY_MODEL, SERVICE_PATIENCE, models_of};
pub(super) use self::local_servers::{LocalModelServer, find_servers};
use super::provider::{
    NewProviderEntry, ProviderDraft, keep, unanswered_error, usual_model_of, write_key, write_private,
};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// A key of a service.
pub(super) struct ServiceKey {
    /// The key.
    pub(super) key: SecretString,
    /// The service.
    pub(super) kind: ProviderKind,
    /// The address of its API; `None`: the usual one.
    pub(super) base_url: Option<String>,
}

/// Where the answers of a model come from.
pub(super) enum ModelSource {
    /// A service, with the key of the person's account.
    Key(ServiceKey),
    /// A server that needs no key.
    Server(LocalModelServer),
    /// A script.
    Rehearsal,
}

/// A model that was set up.
pub(super) struct ReadyModel {
    /// The name of its provider.
    pub(super) provider: String,
    /// The model; `None` for a script.
    pub(super) model: Option<String>,
    /// The configuration file that names it.
    pub(super) file: String,
}

/// The service of a key: the named one, else as its prefix tells; with an address, any that speaks Chat Completions.
pub(super) fn service_of(
    named: Option<&str>,
    key: &SecretString,
    base_url: Option<&str>,
) -> Result<ProviderKind, CliError> {
    let known = HOSTED.map(ProviderKind::word).join(", ");
    let other = base_url.map(|_| ProviderKind::Compatible);
    match named {
        Some(word) => HOSTED.into_iter().chain(other).find(|kind| kind.word() == word).ok_or_else(|| {
            let text = message!("init-kind", kind = word, known = known.as_str());
            CliError::with_next(CliExitCode::Usage, text, "entracte provider add --help")
        }),
        None => kind_of_key(key.expose_secret()).or(other).ok_or_else(|| {
            let text = message!("init-kind-unknown", known = known.as_str());
            CliError::with_next(CliExitCode::Usage, text, "entracte init --key-file FILE --kind KIND")
        }),
    }
}

/// Sets up models in the configuration file for new entries.
pub(super) struct ModelSetup<'a> {
    /// The settings in force, and the file.
    pub(super) context: &'a CommandContext,
    /// The language of scripts.
    pub(super) language: Language,
}

/// An entry before its model is chosen. Its files are removed with it, unless it is finished.
pub(super) struct PreparedProvider {
    entry: NewProviderEntry,
    /// The models to choose from, the usual one first; empty for a script, and where the service lists none.
    pub(super) models: Vec<String>,
    has_model: bool,
    /// The file of its key, or its script.
    file: Option<TempPath>,
}

impl ModelSetup<'_> {
    /// Prepares the entry of a source, whose models are listed.
    pub(super) async fn prepare(&self, source: ModelSource) -> Result<PreparedProvider, CliError> {
        match source {
            ModelSource::Key(service) => self.prepare_service(&service).await,
            ModelSource::Server(server) => self.prepare_server(server),
            ModelSource::Rehearsal => self.prepare_rehearsal(),
        }
    }

    /// Writes the entry as the default provider with this model, once it answers.
    pub(super) async fn finish(
        &self,
        prepared: PreparedProvider,
        model: Option<&str>,
    ) -> Result<ReadyModel, CliError> {
        let PreparedProvider { entry, has_model, file, .. } = prepared;
        let entry = match model {
            Some(model) => entry.with_typed("model", model)?,
            None if has_model => {
                let text = message!("init-no-model", provider = entry.name());
                return Err(CliError::with_next(CliExitCode::Usage, text, "entracte init --model MODEL"));
            }
            None => entry,
        };
        let ready = self.check_and_write(entry).await?;
        file.map(keep).transpose()?;
        Ok(ready)
    }

    fn prepare_server(&self, server: LocalModelServer) -> Result<PreparedProvider, CliError> {
        let mut entry = NewProviderEntry::new(self.free_name(&server.name), server.kind);
        // The usual address of Ollama needs no words.
        if server.kind != ProviderKind::Ollama {
            entry = entry.with_typed("base_url", &server.base_url)?;
        }
        Ok(PreparedProvider { entry, models: server.models, has_model: true, file: None })
    }

    async fn prepare_service(&self, service: &ServiceKey) -> Result<PreparedProvider, CliError> {
        let name = self.free_name(service.kind.word());
        let file = write_key(self.context, &name, &service.key)?;
        let mut entry =
            NewProviderEntry::new(name, service.kind).with("api_key_file", &file.display().to_string());
        if let Some(base_url) = &service.base_url {
            entry = entry.with_typed("base_url", base_url)?;
        }
        let models = match usual_model_of(service.kind).filter(|_| service.base_url.is_none()) {
            Some(usual) => vec![usual],
            None => {
                let listing = entry.clone().with("model", ANY_MODEL);
                let draft = ProviderDraft::new(self.context, &listing)?;
                let listed = models_of(&self.context.settings.parts, draft.entry(), SERVICE_PATIENCE).await;
                listed.map_err(|failure| unanswered_error(&failure))?
            }
        };
        Ok(PreparedProvider { entry, models, has_model: true, file: Some(file) })
    }

    fn prepare_rehearsal(&self) -> Result<PreparedProvider, CliError> {
        let name = self.free_name("rehearsed");
        let path = self.context.environment.config_dir.join(format!("{name}.toml"));
        let script = match self.language {
            Language::Fr => include_str!("rehearsed.fr.toml"),
            Language::En => include_str!("rehearsed.en.toml"),
        };
        let file = write_private(&path, script)?;
        let entry = NewProviderEntry::new(name, ProviderKind::Rehearsal)
            .with("script", &file.display().to_string())
            .with("dialect", "envelope");
        Ok(PreparedProvider { entry, models: Vec::new(), has_model: false, file: Some(file) })
    }

    /// Asks the provider, and writes it as the default of new sessions if it answers.
    async fn check_and_write(&self, entry: NewProviderEntry) -> Result<ReadyModel, CliError> {
        let draft = ProviderDraft::new(self.context, &entry)?;
        draft.check_answers(&self.context.settings.parts).await?;
        let model = draft.entry().config.model.clone();
        let file = draft.write_as_default(self.context)?;
        Ok(ReadyModel { provider: entry.name().to_owned(), model, file })
    }

    /// A name that no provider of a file has.
    fn free_name(&self, name: &str) -> String {
        let is_taken = |name: &str| {
            self.context.settings.providers.iter().any(|entry| entry.name == name && entry.line > 0)
        };
        if !is_taken(name) {
            return name.to_owned();
        }
        let numbered = (2_u32..).map(|number| format!("{name}-{number}"));
        numbered.into_iter().find(|name| !is_taken(name)).unwrap_or_else(|| name.to_owned())
    }
}
