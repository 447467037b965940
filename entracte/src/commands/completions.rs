//! `completions`: prints a script that completes the command line in a shell.

use clap_complete::Shell;
use entracte_application::texts::LocalizedTexts;

use crate::complete;
use crate::error::{CliError, CliExitCode};
use crate::help;
use crate::output::TerminalOutput;

/// Prints the script.
pub(crate) fn run(
    out: &TerminalOutput,
    texts: &LocalizedTexts,
    shell: Shell,
) -> Result<CliExitCode, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut help::command(texts), "entracte", &mut script);
    let words = String::from_utf8_lossy(&script).into_owned();
    out.write_bytes(complete::script(shell, words).as_bytes())?;
    Ok(CliExitCode::Done)
}
