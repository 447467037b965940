//! The command line: parses the arguments, runs the command with its settings, and reports its error.

use std::ffi::OsString;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::sync::Arc;

use entracte_application::texts::LocalizedTexts;

use crate::args::{ChatArgs, Cli, CliCommand, ColourMode};
use crate::command_context::CommandContext;
use crate::config::ConfigFlags;
use crate::environment::ProcessEnvironment;
use crate::error::{CliError, CliExitCode};
use crate::output::{OutputStyle, TerminalOutput};
use crate::{api_client, commands, complete, config, help, logging};

/// A command line before it is parsed.
pub(crate) struct CommandLine {
    /// The arguments, the name of the program first.
    pub(crate) arguments: Vec<OsString>,
    /// What the host says about the configuration.
    pub(crate) flags: ConfigFlags,
}

impl CommandLine {
    /// Runs the command in this environment, which is read when panics are caught already.
    pub(crate) fn run(self, environment: impl FnOnce() -> ProcessEnvironment) -> ExitCode {
        logging::catch_panics();
        let run = AssertUnwindSafe(|| self.run_in(environment()));
        ExitCode::from(std::panic::catch_unwind(run).unwrap_or(CliExitCode::Failure) as u8)
    }

    fn run_in(self, environment: ProcessEnvironment) -> CliExitCode {
        let Self { arguments, flags } = self;
        let located = complete::with_places(arguments.clone());
        let cli = match help::parse(environment.texts(), environment.width, located) {
            Ok(cli) => cli,
            Err(error) => return usage(&error, &arguments, environment.texts()),
        };
        logging::start(&environment);
        let out = Arc::new(output(&cli, &environment));
        let texts = environment.texts();
        let is_completing = matches!(cli.command, CliCommand::Complete { .. });
        let flags = flags.with_line(&cli);
        let done = dispatch_command(cli, flags, environment, out.clone());
        if is_completing {
            // Shell completion must not print errors.
            return CliExitCode::Done;
        }
        done.unwrap_or_else(|error| {
            let error = match error.exit {
                // After a wrong value the next command is the help of that command, not of the program.
                CliExitCode::Usage => error.or_next(help::next(arguments)),
                _ => error,
            };
            let error = error.localized_if_unset(texts);
            out.error(&error);
            error.exit
        })
    }
}

fn dispatch_command(
    cli: Cli,
    flags: ConfigFlags,
    environment: ProcessEnvironment,
    out: Arc<TerminalOutput>,
) -> Result<CliExitCode, CliError> {
    let failed = |error: std::io::Error| CliError::new(CliExitCode::Failure, error.to_string());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(failed)?;
    let done = runtime.block_on(run_with_settings(cli, flags, environment, out));
    // A thread may still be blocked on standard input.
    runtime.shutdown_background();
    done
}

/// Runs the command, with the settings if it needs them.
async fn run_with_settings(
    cli: Cli,
    flags: ConfigFlags,
    environment: ProcessEnvironment,
    out: Arc<TerminalOutput>,
) -> Result<CliExitCode, CliError> {
    #[cfg(unix)]
    ignore_file_size_signal();
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
    let server = cli.command.server_of(server, cli.server.is_some())?;
    let mut context = CommandContext::new(settings, out, environment, flags, commands::local_api);
    context.server = server;
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
fn usage(error: &clap::Error, arguments: &[OsString], texts: &LocalizedTexts) -> CliExitCode {
    let mut out = TerminalOutput::plain();
    // The program's name alone is a request for help.
    let is_name_alone = error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        && arguments.len() <= 1;
    if is_name_alone || !error.use_stderr() {
        let Err(unwritten) = out.write_data_fragment(&help::shown(error, texts)) else {
            return CliExitCode::Done;
        };
        let unwritten = unwritten.localized_if_unset(texts);
        out.error(&unwritten);
        return unwritten.exit;
    }
    out.json = arguments.iter().any(|argument| argument == "--json");
    let next = help::next(arguments.iter().cloned());
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
