//! Asks a person before something is gone for good.

use crate::desk::Desk;
use crate::error::{CliError, Exit};
use crate::keyboard::{Keyboard, Typed};

/// Whether the person at the terminal says yes; where there is none, the command with `--force` says it.
pub(super) async fn is_sure(desk: &Desk, what: &str, prompt: &str, command: &str) -> Result<bool, CliError> {
    let terminal = desk.environment.stdin_terminal;
    if !terminal || desk.out.json {
        let text =
            format!("nobody is there who could be asked whether to delete {what}; say it: {command} --force");
        return Err(CliError::new(Exit::Usage, text));
    }
    match Keyboard::new(terminal)?.line(prompt).await? {
        Typed::Line(text) => Ok(matches!(text.trim().to_lowercase().as_str(), "y" | "yes")),
        Typed::Interrupted | Typed::End => Ok(false),
    }
}
