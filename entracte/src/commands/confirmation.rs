//! Asks a person to confirm a deletion.

use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::line_reader::{LineInput, LineReader};
use crate::user_text::message;

/// Whether the text means yes, in either language.
pub(super) fn is_yes(text: &str) -> bool {
    matches!(text.trim().to_lowercase().as_str(), "y" | "yes" | "o" | "oui")
}

/// Whether the person at the terminal confirms; without a terminal, `--force` is needed.
pub(super) async fn confirm(
    context: &CommandContext,
    what: &str,
    prompt: &str,
    command: &str,
) -> Result<bool, CliError> {
    let terminal = context.environment.stdin_terminal;
    if !terminal || context.out.json {
        let text = message!("delete-without-terminal", what = what, command = command);
        return Err(CliError::new(CliExitCode::Usage, text));
    }
    match LineReader::new(terminal).read_message_line(prompt).await? {
        LineInput::Line(text) => Ok(is_yes(&text)),
        LineInput::Interrupted | LineInput::End => Ok(false),
    }
}
