//! `init`: sets up the first model, in three choices: a key, a server on this machine, or a rehearsed model. Nothing is
//! written before the model answered.

mod key_kind;
mod local_servers;

use std::io::{Read, Write};
use std::path::Path;

use entracte_adapters_providers::config::ProviderKind;
use entracte_application::settings::Language;
use entracte_application::texts::say;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

use self::key_kind::{HOSTED, kind_of_key};
use self::local_servers::{ANY_MODEL, LocalModelServer, find_servers, models_of};
use super::provider::{NewProviderEntry, ProviderDraft, usual_model_of};
use crate::app_services::providers;
use crate::args::InitArgs;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::line_reader::{LineInput, LineReader};
use crate::render::text::one_line;
use crate::user_text::message;

/// Where the answers of the first model come from.
enum ModelSource {
    /// A service, with the key of the person's account.
    Key(SecretString, ProviderKind),
    /// A server on this machine.
    Server(LocalModelServer),
    /// A script.
    Rehearsal,
}

/// A model that was set up.
struct ReadyModel {
    provider: String,
    model: Option<String>,
    /// The configuration file that names it.
    file: String,
}

/// Runs `init`; `config` is the file of `--config`.
pub(crate) async fn run(
    context: &CommandContext,
    config: Option<&Path>,
    args: InitArgs,
) -> Result<CliExitCode, CliError> {
    let setup = ModelSetup { context, config, args };
    match setup.named_source().await? {
        Some(source) => {
            let ready = setup.set_up(source).await?;
            setup.report(&ready)?;
        }
        None if setup.is_interactive() => {
            let Some(ready) = setup.ask().await? else { return Ok(CliExitCode::Interrupted) };
            setup.report(&ready)?;
        }
        None => {
            let text = message!("init-no-choice");
            return Err(CliError::with_next(CliExitCode::Usage, text, "entracte init --help"));
        }
    }
    Ok(CliExitCode::Done)
}

/// Offers to set up a model to a person who began a chat without one. Returns whether one was set up.
pub(crate) async fn offer(context: &CommandContext, config: Option<&Path>) -> Result<bool, CliError> {
    let texts = context.environment.texts();
    context.out.write_notice(&say!(texts, "init-offer"));
    let setup = ModelSetup { context, config, args: InitArgs::default() };
    let Some(ready) = setup.ask().await? else { return Ok(false) };
    setup.report_ready(&ready)?;
    Ok(true)
}

struct ModelSetup<'a> {
    context: &'a CommandContext,
    config: Option<&'a Path>,
    args: InitArgs,
}

impl ModelSetup<'_> {
    fn is_interactive(&self) -> bool {
        self.context.environment.stdin_terminal && !self.context.out.json
    }

    /// The source that the command line names; `None` if it names none.
    async fn named_source(&self) -> Result<Option<ModelSource>, CliError> {
        if let Some(file) = &self.args.key_file {
            let key = read_key(file)?;
            let kind = self.kind_of(&key)?;
            return Ok(Some(ModelSource::Key(key, kind)));
        }
        if self.args.rehearsed {
            return Ok(Some(ModelSource::Rehearsal));
        }
        if !(self.args.local || self.args.url.is_some()) {
            return Ok(None);
        }
        let server = find_servers(self.args.url.as_deref()).await.into_iter().next();
        server.map(|server| Some(ModelSource::Server(server))).ok_or_else(|| {
            let next = "entracte init --url http://localhost:PORT/v1";
            CliError::with_next(CliExitCode::NotFound, message!("init-no-server"), next)
        })
    }

    /// The service of a key: the named one, else as its prefix tells.
    fn kind_of(&self, key: &SecretString) -> Result<ProviderKind, CliError> {
        let known = HOSTED.map(ProviderKind::word).join(", ");
        match &self.args.kind {
            Some(word) => HOSTED.into_iter().find(|kind| kind.word() == word).ok_or_else(|| {
                let text = message!("init-kind", kind = word.as_str(), known = known.as_str());
                CliError::with_next(CliExitCode::Usage, text, "entracte provider add --help")
            }),
            None => kind_of_key(key.expose_secret()).ok_or_else(|| {
                let text = message!("init-kind-unknown", known = known.as_str());
                CliError::with_next(CliExitCode::Usage, text, "entracte init --key-file FILE --kind KIND")
            }),
        }
    }

    /// Asks until a model answers; `None` if the person leaves.
    async fn ask(&self) -> Result<Option<ReadyModel>, CliError> {
        let texts = self.context.environment.texts();
        let servers = find_servers(None).await;
        loop {
            self.context.out.write_notice(&say!(texts, "init-choices", servers = self.found(&servers)));
            let Some(choice) = self.read(&say!(texts, "init-choose")).await? else { return Ok(None) };
            let source = match choice.trim() {
                "1" => self.ask_for_key().await?,
                "2" if servers.is_empty() => {
                    self.context.out.write_notice(&say!(texts, "init-no-server"));
                    None
                }
                "2" => self.ask_for_server(&servers).await?.map(ModelSource::Server),
                "3" => Some(ModelSource::Rehearsal),
                _ => None,
            };
            let Some(source) = source else { continue };
            match self.set_up(source).await {
                Ok(ready) => return Ok(Some(ready)),
                Err(error) => self.context.out.write_error_text(&error.localized(texts)),
            }
        }
    }

    /// The found servers as one text.
    fn found(&self, servers: &[LocalModelServer]) -> String {
        if servers.is_empty() {
            return say!(self.context.environment.texts(), "init-servers-none");
        }
        let names: Vec<String> =
            servers.iter().map(|server| format!("{} ({})", server.name, server.base_url)).collect();
        names.join(", ")
    }

    /// A line that the person types; `None` if the person leaves.
    async fn read(&self, prompt: &str) -> Result<Option<String>, CliError> {
        match LineReader::new(true).read_message_line(&format!("{prompt} ")).await? {
            LineInput::Line(text) => Ok(Some(text)),
            LineInput::Interrupted | LineInput::End => Ok(None),
        }
    }

    /// A key that the person pastes, which the screen does not show.
    async fn ask_for_key(&self) -> Result<Option<ModelSource>, CliError> {
        let texts = self.context.environment.texts();
        let prompt = format!("{} ", say!(texts, "init-key"));
        let read = tokio::task::spawn_blocking(move || rpassword::prompt_password(prompt)).await;
        let failed =
            |why: String| CliError::new(CliExitCode::Failure, message!("init-key-unread", why = why));
        let key =
            read.map_err(|error| failed(error.to_string()))?.map_err(|error| failed(error.to_string()))?;
        let key = SecretString::from(key.trim().to_owned());
        if key.expose_secret().is_empty() {
            return Ok(None);
        }
        if let Ok(kind) = self.kind_of(&key) {
            return Ok(Some(ModelSource::Key(key, kind)));
        }
        let names: Vec<String> = HOSTED
            .iter()
            .enumerate()
            .map(|(place, kind)| format!("  {}  {}", place + 1, kind.word()))
            .collect();
        self.context.out.write_notice(&format!("{}\n{}", say!(texts, "init-whose-key"), names.join("\n")));
        let kind = self.pick(&HOSTED).await?;
        Ok(kind.map(|kind| ModelSource::Key(key, kind)))
    }

    /// The server that the person chooses.
    async fn ask_for_server(
        &self,
        servers: &[LocalModelServer],
    ) -> Result<Option<LocalModelServer>, CliError> {
        if let [only] = servers {
            return Ok(Some(only.clone()));
        }
        let lines: Vec<String> = servers
            .iter()
            .enumerate()
            .map(|(place, server)| format!("  {}  {} ({})", place + 1, server.name, server.base_url))
            .collect();
        self.context.out.write_notice(&lines.join("\n"));
        self.pick(servers).await
    }

    /// The item of the number that the person types; `None` for anything else.
    async fn pick<T: Clone>(&self, items: &[T]) -> Result<Option<T>, CliError> {
        let typed = self.read(&say!(self.context.environment.texts(), "init-choose")).await?;
        let number = typed.and_then(|typed| typed.trim().parse::<usize>().ok());
        Ok(number.and_then(|number| items.get(number.checked_sub(1)?)).cloned())
    }

    /// The model to use: the named one, the only one, the one that the person chooses, or the first.
    async fn choose_model(&self, models: &[String]) -> Result<Option<String>, CliError> {
        if self.args.model.is_some() || models.len() < 2 || !self.is_interactive() {
            return Ok(self.args.model.clone().or_else(|| models.first().cloned()));
        }
        let lines: Vec<String> = models
            .iter()
            .enumerate()
            .map(|(place, model)| format!("  {}  {}", place + 1, one_line(model)))
            .collect();
        let texts = self.context.environment.texts();
        self.context.out.write_notice(&format!("{}\n{}", say!(texts, "init-which-model"), lines.join("\n")));
        Ok(self.pick(models).await?.or_else(|| models.first().cloned()))
    }

    /// Writes the source as the default provider, once it answers.
    async fn set_up(&self, source: ModelSource) -> Result<ReadyModel, CliError> {
        match source {
            ModelSource::Key(key, kind) => self.set_up_service(&key, kind).await,
            ModelSource::Server(server) => {
                let model = self.choose_model(&server.models).await?;
                let mut entry = NewProviderEntry::new(self.free_name(&server.name), server.kind);
                // The usual address of Ollama needs no words.
                let is_usual = server.kind == ProviderKind::Ollama && self.args.url.is_none();
                if !is_usual {
                    entry = entry.with("base_url", &server.base_url);
                }
                if let Some(model) = &model {
                    entry = entry.with("model", model);
                }
                self.check_and_write(entry).await
            }
            ModelSource::Rehearsal => self.set_up_rehearsal().await,
        }
    }

    async fn set_up_service(&self, key: &SecretString, kind: ProviderKind) -> Result<ReadyModel, CliError> {
        let name = self.free_name(kind.word());
        let file = self.context.environment.config_dir.join("keys").join(format!("{name}.key"));
        write_private(&file, key.expose_secret()).map_err(|error| unwritten(&file, &error))?;
        let entry = NewProviderEntry::new(name, kind).with("api_key_file", &file.display().to_string());
        let done = match self.args.model.clone().or_else(|| usual_model_of(kind)) {
            Some(model) => self.check_and_write(entry.with("model", &model)).await,
            None => self.write_with_listed_model(entry).await,
        };
        if done.is_err() {
            // A key that does not work is not kept.
            let _ = std::fs::remove_file(&file);
        }
        done
    }

    /// Takes the model of an entry from the list of its server.
    async fn write_with_listed_model(&self, entry: NewProviderEntry) -> Result<ReadyModel, CliError> {
        let listing = entry.clone().with("model", ANY_MODEL);
        let draft = ProviderDraft::new(self.context, self.config, &listing)?;
        let model = self.choose_model(&models_of(draft.entry()).await).await?;
        match model {
            Some(model) => self.check_and_write(entry.with("model", &model)).await,
            None => {
                let text = message!("init-no-model", provider = entry.name());
                Err(CliError::with_next(CliExitCode::Usage, text, "entracte init --model MODEL"))
            }
        }
    }

    async fn set_up_rehearsal(&self) -> Result<ReadyModel, CliError> {
        let name = self.free_name("rehearsed");
        let file = self.context.environment.config_dir.join(format!("{name}.toml"));
        let script = match self.context.environment.language() {
            Language::Fr => include_str!("rehearsed.fr.toml"),
            Language::En => include_str!("rehearsed.en.toml"),
        };
        write_private(&file, script).map_err(|error| unwritten(&file, &error))?;
        let entry = NewProviderEntry::new(name, ProviderKind::Rehearsal)
            .with("script", &file.display().to_string())
            .with("dialect", "envelope");
        self.check_and_write(entry).await
    }

    /// Asks the provider, and writes it as the default of new sessions if it answers.
    async fn check_and_write(&self, entry: NewProviderEntry) -> Result<ReadyModel, CliError> {
        let draft = ProviderDraft::new(self.context, self.config, &entry)?;
        let provider = providers(std::slice::from_ref(draft.entry())).provider(entry.name())?;
        provider.check().await.map_err(|failure| {
            let text = message!("init-no-answer", why = one_line(&failure.message));
            CliError::with_next(CliExitCode::Failure, text, "entracte init")
        })?;
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

    /// Reports the model, and what can be done with it.
    fn report(&self, ready: &ReadyModel) -> Result<(), CliError> {
        if self.context.out.json {
            let ReadyModel { provider, model, file } = ready;
            return self.context.out.write_json_line(
                &json!({ "schema": "entracte.init/1", "provider": provider, "model": model, "file": file }),
            );
        }
        self.report_ready(ready)?;
        self.context.out.write_notice(&say!(self.context.environment.texts(), "init-next"));
        Ok(())
    }

    fn report_ready(&self, ready: &ReadyModel) -> Result<(), CliError> {
        let texts = self.context.environment.texts();
        let file = one_line(&ready.file);
        self.context.out.write_data_line(&match &ready.model {
            Some(model) => {
                say!(texts, "init-ready", provider = &ready.provider, model = one_line(model), file = file)
            }
            None => say!(texts, "init-ready-rehearsed", provider = &ready.provider, file = file),
        })
    }
}

/// The key in a file, or on standard input if its name is `-`.
fn read_key(file: &Path) -> Result<SecretString, CliError> {
    let read = if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().lock().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(file)
    };
    let text = read.map_err(|error| {
        let name = one_line(&file.display().to_string());
        CliError::new(CliExitCode::Usage, message!("cannot-be-read", file = name, why = error.to_string()))
    })?;
    let key = text.trim().to_owned();
    if key.is_empty() {
        return Err(CliError::new(CliExitCode::Usage, message!("init-key-empty")));
    }
    Ok(SecretString::from(key))
}

/// Writes a file that only its owner can read. One that exists is replaced: no provider of a file names it.
fn write_private(file: &Path, text: &str) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    create_private_folder(folder)?;
    let mut written = tempfile::NamedTempFile::new_in(folder)?;
    written.write_all(text.as_bytes())?;
    written.as_file().sync_all()?;
    written.persist(file).map(drop).map_err(|error| error.error)
}

fn create_private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder)
}

fn unwritten(file: &Path, error: &std::io::Error) -> CliError {
    let name = one_line(&file.display().to_string());
    CliError::new(CliExitCode::Failure, message!("init-unwritten", file = name, why = error.to_string()))
}
