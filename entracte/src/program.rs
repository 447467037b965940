//! The program as its host builds it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use axum::Router;
use entracte_adapters_commands::knowledge::serve_reading;
use entracte_application::ports::{
    Clock, CommandExecutor, EmbeddingClient, NotificationSender, Observer, Provider, SecretStore,
};
use entracte_application::texts::LocalizedTexts;
use entracte_domain::session::Dialect;
use rustls::crypto::CryptoProvider;

use crate::command_context::CommandContext;
use crate::command_line::CommandLine;
use crate::commands::{self, RunningServer};
use crate::config::{ConfigFlags, load};
use crate::environment::ProcessEnvironment;
use crate::error::{CliError, CliExitCode};
use crate::knowledge_services::own_program;
use crate::output::TerminalOutput;
use crate::program_parts::{HostProvider, ProgramParts};
use crate::program_stores::ProgramStores;

/// Builds a [`Program`]. What is not given is that of the `entracte` command.
#[derive(Default)]
#[must_use]
pub struct ProgramBuilder {
    flags: ConfigFlags,
    parts: ProgramParts,
    variables: Option<BTreeMap<String, String>>,
}

impl ProgramBuilder {
    /// Reads only this configuration file. Without it: `entracte.toml` of the working folder, as far as it is trusted, and
    /// the user's file.
    pub fn config_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.flags.file = Some(file.into());
        self
    }

    /// A setting by its name, with its value as its variable would have it: `data`, `workspace`, `server.bind`,
    /// `server.base_path`, … It wins over variables and files.
    pub fn setting(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.flags.host.insert(name.into(), value.into());
        self
    }

    /// The environment variables in place of those of the process: settings, language and terminal. Keys are read by the
    /// secret store ([`secrets`](Self::secrets)).
    pub fn variables(mut self, variables: BTreeMap<String, String>) -> Self {
        self.variables = Some(variables);
        self
    }

    /// Chooses the stores: gets those of the configured database, and returns those to use. Called whenever a database is
    /// opened, and `db` and the other commands open one each.
    pub fn stores(mut self, choose: impl Fn(ProgramStores) -> ProgramStores + Send + Sync + 'static) -> Self {
        self.parts.stores = Some(Arc::new(choose));
        self
    }

    /// Adds a provider under the name that its [`info`](Provider::info) returns, in front of a configured one of that name.
    /// The first by name is that of new sessions, unless the configuration names another. Agents and fallbacks of the
    /// configuration may name it. `dialect` is how its sessions write commands.
    pub fn provider(mut self, provider: Arc<dyn Provider>, dialect: Dialect) -> Self {
        let name = provider.info().name;
        self.parts.providers.insert(name, HostProvider { provider, dialect });
        self
    }

    /// Adds a maker of vectors for the search by meaning, which `embeddings.provider` names, in front of a configured provider
    /// of that name. It decides on its model and its sizes: settings of those are refused beside it.
    pub fn embeddings(mut self, name: impl Into<String>, client: Arc<dyn EmbeddingClient>) -> Self {
        self.parts.embeddings.insert(name.into(), client);
        self
    }

    /// Adds the commands of an executor to those of the configuration. A command that is declared twice is an error of the
    /// start.
    pub fn executor(mut self, executor: Arc<dyn CommandExecutor>) -> Self {
        self.parts.executors.push(executor);
        self
    }

    /// Adds an observer to the metrics.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.parts.observers.push(observer);
        self
    }

    /// The clock of sessions, automations and the server. What a terminal draws goes by the system's.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.parts.clock = clock;
        self
    }

    /// Reads the secrets that the configuration refers to, in place of environment, files and programs.
    pub fn secrets(mut self, secrets: Arc<dyn SecretStore>) -> Self {
        self.parts.secrets = secrets;
        self
    }

    /// Sends notifications to their targets, in place of the network.
    pub fn notification_sender(mut self, sender: Arc<dyn NotificationSender>) -> Self {
        self.parts.sender = Some(sender);
        self
    }

    /// The cryptography of every TLS connection.
    pub fn cryptography(mut self, provider: Arc<CryptoProvider>) -> Self {
        self.parts.cryptography = provider;
        self
    }

    /// The program that reads untrusted documents in a process of its own: one whose `main` is
    /// [`Program::command_line`], such as `entracte`. Without it, and outside of a command line, they are read by a thread
    /// of this process, and no program of `reader.ocr` is run.
    pub fn document_reader(mut self, program: impl Into<PathBuf>) -> Self {
        self.parts.document_reader = Some(program.into());
        self
    }

    /// The program. Nothing is read or opened yet.
    pub fn build(self) -> Program {
        let Self { flags, parts, variables } = self;
        Program { flags, parts, variables }
    }
}

/// The program with the parts of its host.
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     entracte::Program::builder().build().command_line(std::env::args_os())
/// }
/// ```
pub struct Program {
    flags: ConfigFlags,
    parts: ProgramParts,
    variables: Option<BTreeMap<String, String>>,
}

impl Program {
    /// Begins to build a program.
    pub fn builder() -> ProgramBuilder {
        ProgramBuilder::default()
    }

    /// Runs a command line, the name of the program first, with all commands of `entracte`: the whole of `main`, outside of
    /// an async runtime. Options of the line win over what the builder says.
    ///
    /// It takes the process over: it sets a panic hook and a log, and a process that was started to read documents does
    /// only that.
    pub fn command_line(self, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
        let arguments: Vec<OsString> = arguments.into_iter().collect();
        // Must run before any file is opened and any thread starts.
        if let Some(code) = serve_reading(arguments.iter().cloned()) {
            return ExitCode::from(code);
        }
        let Self { mut flags, mut parts, variables } = self;
        parts.document_reader.get_or_insert_with(own_program);
        flags.parts = Arc::new(parts);
        CommandLine { arguments, flags }.run(|| environment(variables))
    }

    /// Opens the database and starts its sessions in this process, with nothing that listens: they go on while
    /// [`RunningProgram::run`] is polled. Waits for no other owner of the database: a command is asked to give way then.
    ///
    /// # Errors
    /// When the configuration is wrong, the database cannot be opened, or another server owns it.
    pub async fn start(self) -> Result<RunningProgram, ProgramError> {
        let (context, texts) = self.context()?;
        let server = RunningServer::start(context).await.map_err(|error| ProgramError::new(error, texts))?;
        Ok(RunningProgram { server, texts })
    }

    /// Runs the sessions of the database until `end`, without answering requests: automations, agents and what waits.
    ///
    /// # Errors
    /// Like [`start`](Self::start), and when the database is lost and cannot be owned again.
    pub async fn run(self, end: impl Future<Output = ()>) -> Result<(), ProgramError> {
        self.start().await?.run(end).await
    }

    /// Listens at `server.bind` until `end`, as `entracte serve` does without TLS. A host with a server of its own mounts
    /// [`RunningProgram::router`] instead.
    ///
    /// # Errors
    /// Like [`run`](Self::run), and when it cannot listen there, or tokens would cross a network unencrypted.
    pub async fn serve(self, end: impl Future<Output = ()>) -> Result<(), ProgramError> {
        let (context, texts) = self.context()?;
        RunningServer::serve(context, end).await.map_err(|error| ProgramError::new(error, texts))
    }

    /// The context of a server that prints nothing, and the texts of its errors.
    fn context(self) -> Result<(CommandContext, &'static LocalizedTexts), ProgramError> {
        let Self { mut flags, parts, variables } = self;
        let environment = environment(variables);
        let texts = environment.texts();
        flags.parts = Arc::new(parts);
        let settings = load(&flags, &environment)
            .map_err(|fault| ProgramError::new(CliError::new(CliExitCode::Usage, fault), texts))?;
        if let Some(left_out) = commands::left_out_text(&environment, settings.project.as_ref()) {
            tracing::warn!(left_out, "the folder's configuration is not in force as a whole");
        }
        let mut out = TerminalOutput::plain();
        out.quiet = true;
        Ok((CommandContext::new(settings, Arc::new(out), environment, flags, commands::local_api), texts))
    }
}

/// The environment of this process, with other variables if the host gives them.
fn environment(variables: Option<BTreeMap<String, String>>) -> ProcessEnvironment {
    let environment = ProcessEnvironment::read();
    match variables {
        Some(variables) => ProcessEnvironment { variables, ..environment },
        None => environment,
    }
}

/// A program whose sessions run in this process.
pub struct RunningProgram {
    server: RunningServer,
    texts: &'static LocalizedTexts,
}

impl RunningProgram {
    /// The console, the API, its streams and AG-UI, under `server.base_path`: merge it into the router of your server, whose
    /// layers, TLS and shutdown hold for it. Serve with `into_make_service_with_connect_info::<SocketAddr>()`, so that
    /// limits count by client. The server answers to the names of `server.bind`, `server.public_url` and `server.hosts`;
    /// with an https `public_url` its cookies are secure ones.
    ///
    /// While [`run`](Self::run) is polled requests are carried out; after it they are refused.
    pub fn router(&self) -> Router {
        self.server.router()
    }

    /// A link that logs one browser in as the author of the configuration, once and for a short time: a secret.
    ///
    /// # Errors
    /// When it cannot be stored.
    pub async fn login_link(&self) -> Result<String, ProgramError> {
        self.server.login_link().await.map_err(|error| ProgramError::new(error, self.texts))
    }

    /// Runs sessions, sends notifications and makes backups until `end`. Then no new work starts, and the running work
    /// gets `server.grace` to end.
    ///
    /// # Errors
    /// When the database is lost and cannot be owned again within `runtime.reclaim`.
    pub async fn run(self, end: impl Future<Output = ()>) -> Result<(), ProgramError> {
        let Self { server, texts } = self;
        server.run(end).await.map_err(|error| ProgramError::new(error, texts))
    }
}

/// Why a program does not run: a text for people, in the language of the environment.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ProgramError {
    message: String,
    next: String,
}

impl ProgramError {
    fn new(error: CliError, texts: &LocalizedTexts) -> Self {
        let CliError { message, next, .. } = error.localized_if_unset(texts);
        Self { message, next }
    }

    /// The command of `entracte` that helps next; empty if none does.
    pub fn next_command(&self) -> &str {
        &self.next
    }
}
