//! `init`: sets up the first model, in three choices: a key, a server on this machine, or a rehearsed model. Nothing is
//! written before the model answered.

use std::io::Read;
use std::path::Path;

use entracte_application::texts::say;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

use super::model_setup::{
    HOSTED, LocalModelServer, ModelSetup, ModelSource, ReadyModel, ServiceKey, find_servers, service_of,
};
use crate::args::InitArgs;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::line_reader::{LineInput, LineReader};
use crate::render::text::one_line;
use crate::user_text::message;

/// Runs `init`.
pub(crate) async fn run(context: &CommandContext, args: InitArgs) -> Result<CliExitCode, CliError> {
    let setup = InitDialogue { context, args };
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
pub(crate) async fn offer(context: &CommandContext) -> Result<bool, CliError> {
    let texts = context.environment.texts();
    context.out.write_notice(&say!(texts, "init-offer"));
    let setup = InitDialogue { context, args: InitArgs::default() };
    let Some(ready) = setup.ask().await? else { return Ok(false) };
    setup.report_ready(&ready)?;
    Ok(true)
}

/// Asks where the answers come from, and sets it up.
struct InitDialogue<'a> {
    context: &'a CommandContext,
    args: InitArgs,
}

impl InitDialogue<'_> {
    fn is_interactive(&self) -> bool {
        self.context.environment.stdin_terminal && !self.context.out.json
    }

    /// The source that the command line names; `None` if it names none.
    async fn named_source(&self) -> Result<Option<ModelSource>, CliError> {
        if let Some(file) = &self.args.key_file {
            let key = read_key(file)?;
            let kind = service_of(self.args.kind.as_deref(), &key, None)?;
            return Ok(Some(ModelSource::Key(ServiceKey { key, kind, base_url: None })));
        }
        if self.args.rehearsed {
            return Ok(Some(ModelSource::Rehearsal));
        }
        if !(self.args.local || self.args.url.is_some()) {
            return Ok(None);
        }
        let server =
            find_servers(&self.context.settings.parts, self.args.url.as_deref()).await.into_iter().next();
        server.map(|server| Some(ModelSource::Server(server))).ok_or_else(|| {
            let next = "entracte init --url http://localhost:PORT/v1";
            CliError::with_next(CliExitCode::NotFound, message!("init-no-server"), next)
        })
    }

    /// Asks until a model answers; `None` if the person leaves.
    async fn ask(&self) -> Result<Option<ReadyModel>, CliError> {
        let texts = self.context.environment.texts();
        let servers = find_servers(&self.context.settings.parts, None).await;
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
        if let Ok(kind) = service_of(None, &key, None) {
            return Ok(Some(ModelSource::Key(ServiceKey { key, kind, base_url: None })));
        }
        let names: Vec<String> = HOSTED
            .iter()
            .enumerate()
            .map(|(place, kind)| format!("  {}  {}", place + 1, kind.word()))
            .collect();
        self.context.out.write_notice(&format!("{}\n{}", say!(texts, "init-whose-key"), names.join("\n")));
        let kind = self.pick(&HOSTED).await?;
        Ok(kind.map(|kind| ModelSource::Key(ServiceKey { key, kind, base_url: None })))
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

    /// Writes the source as the default provider, once it answers.
    async fn set_up(&self, source: ModelSource) -> Result<ReadyModel, CliError> {
        let setup = ModelSetup { context: self.context, language: self.context.environment.language() };
        let prepared = setup.prepare(source).await?;
        let model = self.choose_model(&prepared.models).await?;
        setup.finish(prepared, model.as_deref()).await
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
