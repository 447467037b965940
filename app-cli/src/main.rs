//! The `entracte` command: parse, wire, call one use case, print.
//!
//! `args` is the command line, `config` the settings in their layers, `wiring` the one place that names every
//! adapter, `way` the way in (own runtime, or the mailbox of the owner), `commands` a file per command, `render`
//! and `json` pure shapes of what is printed. Logic lives in the use cases of `entracte-application`.

mod args;
mod commands;
mod config;
mod demo;
mod desk;
mod environment;
mod error;
mod follow;
mod gate;
mod json;
mod keyboard;
mod logging;
mod output;
mod render;
mod tools;
mod way;
mod wiring;

use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use clap::Parser;
use jiff::tz::TimeZone;

use crate::args::{Cli, Colour};
use crate::desk::Desk;
use crate::environment::Environment;
use crate::error::{CliError, Exit};
use crate::output::{Output, Style};

fn main() -> ExitCode {
    logging::catch_panics();
    let exit = std::panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or(Exit::Failure);
    ExitCode::from(exit as u8)
}

fn run() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let environment = Environment::read();
    logging::start(&environment);
    let out = Arc::new(output(&cli, &environment));
    let done = act(cli, environment, out.clone());
    done.unwrap_or_else(|error| {
        out.error(&error);
        error.exit
    })
}

fn act(cli: Cli, environment: Environment, out: Arc<Output>) -> Result<Exit, CliError> {
    let settings = match config::load(&cli, &environment) {
        Ok(settings) => settings,
        Err(fault) => {
            let done = commands::run_without_settings(&cli, &environment, &fault, &out);
            return done.unwrap_or_else(|| {
                Err(CliError::new(Exit::Usage, fault.to_string()).or_next("entracte config show --origin"))
            });
        }
    };
    let zone = TimeZone::system();
    let desk = Desk { settings, out, environment, zone, opened: OnceLock::new() };
    let failed = |error: std::io::Error| CliError::new(Exit::Failure, error.to_string());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(failed)?;
    let done = runtime.block_on(async {
        match commands::run(cli, &desk).await {
            Err(error) => Err(desk.spoken(error).await),
            done => done,
        }
    });
    // A thread may still wait for a line that nobody will type.
    runtime.shutdown_background();
    done
}

/// Help and version are data; a wrong command line is an error, as an object too where JSON was asked for.
fn usage(error: &clap::Error) -> Exit {
    let mut out = Output::plain();
    let text = error.render().to_string();
    if !error.use_stderr() {
        return out.piece(&text).map_or(Exit::Done, |()| Exit::Done);
    }
    out.json = std::env::args_os().any(|argument| argument == "--json");
    let text = text.trim_start_matches("error: ").trim_end();
    let text = text.replace("\n\nFor more information, try '--help'.", "");
    out.error(&CliError::with_next(Exit::Usage, text, "entracte --help"));
    Exit::Usage
}

fn output(cli: &Cli, environment: &Environment) -> Output {
    let colour = |terminal: bool| match cli.color {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => {
            let dumb = environment.variable("TERM") == Some("dumb");
            terminal && !dumb && environment.variable("NO_COLOR").is_none()
        }
    };
    let style = |terminal: bool| Style {
        colour: colour(terminal),
        width: if terminal { environment.width } else { None },
    };
    let mut out = Output::plain();
    out.json = cli.json;
    out.quiet = cli.quiet;
    out.watched = environment.stderr_terminal;
    out.style = style(environment.stdout_terminal);
    out.message_style = style(environment.stderr_terminal);
    out
}
