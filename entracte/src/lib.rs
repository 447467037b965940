//! The program of Entracte as a library: parses arguments, constructs services, calls one use case, prints the result.
//!
//! `args` is the command line, `config` the layered settings, `app_services` the only module that names every
//! adapter, `runtime_access` the request entry point (own runtime, or the mail store of the owner), `commands` a file
//! per command, `render` and `json` pure formats of the output. Logic is in the use cases of `entracte-application`.
//!
//! # Modules, from the bottom
//!
//! Each imports from and calls only those above it: `layers_hold_in_every_crate` reads this table, and a new module gets its
//! row here.
//!
//! | module | what it is |
//! |---|---|
//! | `colour` | Terminal colours. |
//! | `environment` | The process environment: variables, folders, terminals. |
//! | `cryptography` | The cryptography of TLS connections, unless the host gives its own. Only this module chooses one. |
//! | `program_stores` | The stores that the program works on: those of the database, or what the host puts in their place. |
//! | `program_parts` | What the host of the program gives in place of what the configuration names. |
//! | `next_command_hints` | Adds the commands that help to texts from below the command line, which name none. Pure. |
//! | `user_text` | Texts whose language is not known yet: errors are created before the language of the workspace is read. |
//! | `error` | Errors for people: the fault, the rejected value and the next command to run; and the exit codes. |
//! | `args` | The command line, as its contract defines it. |
//! | `complete` | Shell completion of stored ids. Pure: `commands/complete` reads them. |
//! | `command_restriction` | The command-line form of a session's command restriction. |
//! | `log_ring` | The latest lines of the log, in memory, for the console. |
//! | `logging` | The log of the program: a file on a terminal, otherwise standard error, and with `log.file` both. |
//! | `help` | Help and errors of the command line in the person's language. |
//! | `output` | Prints everything: data to standard output, messages to standard error. |
//! | `raw_keyboard` | Reads single keys while a model works, when there is no prompt for a line. |
//! | `line_reader` | Reads lines: with an editor on a terminal, otherwise plainly. |
//! | `render` | Pure rendering: values in, lines out. `render/markdown` draws what a model said. |
//! | `backup_files` | The files of scheduled backups: their names, and the latest one. |
//! | `config` | The configuration in its layers; `config/project` reads the folder's file, `config/restrict` decides what of it applies before it is trusted (adr 23). |
//! | `secrets` | Secret stores: environment variables, files and programs of this machine. |
//! | `json` | The objects that `--json` prints: shapes of the HTTP API under a versioned name, and what only commands print. |
//! | `knowledge_services` | The document use cases over the adapters of this process. |
//! | `tools` | The executors of this process. Commands that only read start no MCP server. |
//! | `dry_run_database` | The sandbox of a dry run: a database in a temporary folder, and the rehearsal provider. |
//! | `app_services` | The only module that names every adapter: constructs the services from the configuration. |
//! | `runtime_access` | Request entry point: this process's runtime if it can own the database, otherwise the mail store of the owner. |
//! | `command_context` | The context of every command: settings, output, environment, and access to the use cases. |
//! | `notifier` | The notifier over the adapters of this process. |
//! | `model_stream` | Receives the live text of a server while a session is followed from another process. |
//! | `follow` | Follows a session until it rests, in this process or beside the process that owns it. |
//! | `api_client` | The API as commands use it: on the database of this machine, or on a server. |
//! | `api_follow` | Follows a session or a workspace over the API: its stream without gap or repeat, and a turn until its session rests. |
//! | `demo` | `demo`: a rehearsed story on a temporary database, with a real process that is really killed. |
//! | `commands` | One file per command: each parses its arguments, calls one use case, and prints the result. `commands/chat_loop` is the chat, `serve` the server, `service` the files of service managers. |

mod api_client;
mod api_follow;
mod app_services;
mod args;
mod backup_files;
mod colour;
mod command_context;
mod command_restriction;
mod commands;
mod complete;
mod config;
mod cryptography;
#[cfg(feature = "resources")]
mod demo;
mod dry_run_database;
mod environment;
mod error;
mod follow;
mod help;
mod json;
mod knowledge_services;
mod line_reader;
mod log_ring;
mod logging;
mod model_stream;
mod next_command_hints;
mod notifier;
mod output;
mod program_parts;
mod program_stores;
mod raw_keyboard;
mod render;
mod runtime_access;
mod secrets;
mod tools;
mod user_text;

use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};

use entracte_adapters_commands::knowledge::serve_reading;
use entracte_application::texts::LocalizedTexts;

use crate::args::{ChatArgs, Cli, CliCommand, ColourMode};
use crate::command_context::{CommandContext, DisplayZone};
use crate::config::ConfigFlags;
use crate::environment::ProcessEnvironment;
use crate::error::{CliError, CliExitCode};
use crate::knowledge_services::own_program;
use crate::output::{OutputStyle, TerminalOutput};
use crate::program_parts::ProgramParts;

/// Runs the command line of this process: the whole of `main`.
pub fn run_command_line() -> ExitCode {
    // Must run before any file is opened and any thread starts.
    if let Some(code) = serve_reading(std::env::args_os()) {
        return ExitCode::from(code);
    }
    logging::catch_panics();
    let exit = std::panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or(CliExitCode::Failure);
    ExitCode::from(exit as u8)
}

fn run() -> CliExitCode {
    let environment = ProcessEnvironment::read();
    let arguments = complete::with_places(std::env::args_os().collect());
    let cli = match help::parse(environment.texts(), environment.width, arguments) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, environment.texts()),
    };
    logging::start(&environment);
    let out = Arc::new(output(&cli, &environment));
    let texts = environment.texts();
    let is_completing = matches!(cli.command, CliCommand::Complete { .. });
    let done = dispatch_command(cli, environment, out.clone());
    if is_completing {
        // Shell completion must not print errors.
        return CliExitCode::Done;
    }
    done.unwrap_or_else(|error| {
        let error = match error.exit {
            // After a wrong value the next command is the help of that command, not of the program.
            CliExitCode::Usage => error.or_next(help::next(std::env::args_os())),
            _ => error,
        };
        let error = error.localized_if_unset(texts);
        out.error(&error);
        error.exit
    })
}

fn dispatch_command(
    cli: Cli,
    environment: ProcessEnvironment,
    out: Arc<TerminalOutput>,
) -> Result<CliExitCode, CliError> {
    let failed = |error: std::io::Error| CliError::new(CliExitCode::Failure, error.to_string());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(failed)?;
    let done = runtime.block_on(run_with_settings(cli, environment, out));
    // A thread may still be blocked on standard input.
    runtime.shutdown_background();
    done
}

/// Runs the command, with the settings if it needs them.
async fn run_with_settings(
    cli: Cli,
    environment: ProcessEnvironment,
    out: Arc<TerminalOutput>,
) -> Result<CliExitCode, CliError> {
    #[cfg(unix)]
    ignore_file_size_signal();
    // `main` begins with `serve_reading`.
    let parts = ProgramParts { document_reader: Some(own_program()), ..ProgramParts::default() };
    let flags = ConfigFlags { parts: Arc::new(parts), ..ConfigFlags::default() }.with_line(&cli);
    let mut settings = match config::load(&flags, &environment) {
        Ok(settings) => settings,
        Err(fault) => {
            if let CliCommand::Trust(args) = &cli.command {
                return commands::trust(&out, &environment, args).await;
            }
            let done = commands::run_without_settings(&cli, &environment, &fault, &out);
            return done.unwrap_or_else(|| {
                // No command that reads settings runs before they are correct.
                Err(CliError::new(CliExitCode::Usage, fault).or_next("entracte doctor"))
            });
        }
    };
    if let CliCommand::Chat(ChatArgs { script: Some(script), .. }) = &cli.command {
        let entry = config::rehearsal(script)
            .map_err(|fault| CliError::new(CliExitCode::Usage, fault.to_string()))?;
        settings.providers.retain(|known| known.name != entry.name);
        settings.providers.push(entry);
    }
    logging::set_log_file(settings.log.clone());
    tracing::debug!(version = env!("CARGO_PKG_VERSION"), "begins");
    commands::warn_restricted_keys(&out, &environment, settings.project.as_ref(), &cli.command);
    let server = api_client::named_server(cli.server.as_deref(), &environment)?;
    let mut context = CommandContext {
        settings,
        out,
        environment,
        zone: DisplayZone::default(),
        flags,
        server: cli.command.server_of(server, cli.server.is_some())?,
        local_api: commands::local_api,
        opened: OnceLock::new(),
        is_workspace_new: AtomicBool::new(false),
        told: Mutex::default(),
    };
    if commands::lacks_model(&cli, &context) && commands::init::offer(&context).await? {
        let fault = |fault| CliError::new(CliExitCode::Usage, fault).or_next("entracte doctor");
        context.settings = config::load(&context.flags, &context.environment).map_err(fault)?;
    }
    let done = commands::run(cli, &context).await;
    context.report_zone_of_new_workspace().await;
    context.flush_telemetry().await;
    match done {
        Err(error) => Err(context.localize_error(error).await),
        done => done,
    }
}

/// A file size limit (`ulimit -f`, a service manager) kills the writing process silently. With a handler for the
/// signal the write fails instead, and is reported like a full disk.
#[cfg(unix)]
fn ignore_file_size_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    /// SIGXFSZ, on Linux, macOS and the BSDs.
    const FILE_IS_TOO_LARGE: i32 = 25;
    // The handler stays installed after the stream is dropped; its notifications are not needed.
    if let Err(error) = signal(SignalKind::from_raw(FILE_IS_TOO_LARGE)) {
        tracing::debug!(%error, "a limit on the size of files ends the process");
    }
}

/// Prints help and version as data, and a wrong command line as an error, as JSON too if requested.
fn usage(error: &clap::Error, texts: &LocalizedTexts) -> CliExitCode {
    let mut out = TerminalOutput::plain();
    // The program's name alone is a request for help.
    let is_name_alone = error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        && std::env::args_os().len() <= 1;
    if is_name_alone || !error.use_stderr() {
        let Err(unwritten) = out.write_data_fragment(&help::shown(error, texts)) else {
            return CliExitCode::Done;
        };
        let unwritten = unwritten.localized_if_unset(texts);
        out.error(&unwritten);
        return unwritten.exit;
    }
    out.json = std::env::args_os().any(|argument| argument == "--json");
    let next = help::next(std::env::args_os());
    // clap's message ends with the usage line, which would look like a next command.
    out.error(
        &CliError::with_next(CliExitCode::Usage, help::fault(error, texts), next).mark_localized(texts),
    );
    CliExitCode::Usage
}

fn output(cli: &Cli, environment: &ProcessEnvironment) -> TerminalOutput {
    let colour = |terminal: bool| match cli.color {
        ColourMode::Always => true,
        ColourMode::Never => false,
        ColourMode::Auto => {
            let dumb = environment.variable("TERM") == Some("dumb");
            terminal && !dumb && environment.variable("NO_COLOR").is_none()
        }
    };
    let style = |terminal: bool| OutputStyle {
        colour: colour(terminal),
        width: if terminal { environment.width } else { None },
    };
    let mut out = TerminalOutput::plain();
    out.json = cli.json;
    out.quiet = cli.quiet;
    out.watched = environment.stderr_terminal;
    out.style = style(environment.stdout_terminal);
    out.message_style = style(environment.stderr_terminal);
    out
}
