//! `completions`: a script that completes the command line in a shell.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::error::{CliError, Exit};
use crate::output::Output;

/// Prints the script.
pub(crate) fn run(out: &Output, shell: Shell) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "entracte", &mut script);
    out.bytes(&script)?;
    Ok(Exit::Done)
}
