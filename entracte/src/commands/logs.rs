//! `logs`: the end of the program's log.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use entracte_application::texts::say;

use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::text::one_line;

/// The most bytes that are read of the end of the file.
const READ_MAX: u64 = 1 << 20;

/// Prints the last lines of the log file, and where it is. A process that writes to standard error has no file unless
/// the setting `log.file` is on.
pub(crate) fn run(context: &CommandContext, lines: usize) -> Result<CliExitCode, CliError> {
    let texts = context.environment.texts();
    let file = context.settings.log.file();
    let shown = one_line(&file.display().to_string());
    let text = match read_end(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            context.out.write_notice(&say!(texts, "logs-none", file = shown));
            return Ok(CliExitCode::Done);
        }
        Err(error) => return Err(CliError::new(CliExitCode::Failure, format!("{shown}: {error}"))),
    };
    context.out.write_notice(&say!(texts, "logs-of", file = shown));
    let all: Vec<&str> = text.lines().collect();
    for line in all.iter().skip(all.len().saturating_sub(lines)) {
        context.out.write_data_line(&one_line(line))?;
    }
    Ok(CliExitCode::Done)
}

/// The end of a file, from the first whole line on.
fn read_end(path: &Path) -> std::io::Result<String> {
    let mut file = std::fs::File::open(path)?;
    let length = file.metadata()?.len();
    let skipped = length.saturating_sub(READ_MAX);
    file.seek(SeekFrom::Start(skipped))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(match text.split_once('\n') {
        Some((_, rest)) if skipped > 0 => rest.to_owned(),
        _ => text,
    })
}
