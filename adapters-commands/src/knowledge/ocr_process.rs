//! Runs the program that recognises words in pictures: the PDF on standard input, a PDF or text on standard output.

use std::path::Path;

use entracte_application::ports::mebibytes;
use entracte_application::settings::OcrSettings;

use crate::limited_program::{LimitedProgram, ProgramFault};

/// The answer to a PDF, of at most this many bytes; the reason if there is none. Dropping the future kills the program
/// and what it started.
pub(super) async fn answer(
    own_program: &Path,
    settings: &OcrSettings,
    pdf: &[u8],
    most: u64,
) -> Result<Vec<u8>, String> {
    let Some(program) = &settings.program else { return Err("no program is configured".to_owned()) };
    let program = LimitedProgram {
        launcher: own_program,
        program,
        arguments: &settings.arguments,
        memory: settings.memory,
        cpu_seconds: settings.cpu_seconds(),
    };
    program.run(pdf, most).await.map_err(|fault| match fault {
        ProgramFault::NotStarted(error) => format!("it cannot be started: {error}"),
        ProgramFault::NoPipes => "it has no pipes".to_owned(),
        ProgramFault::TooLarge => {
            format!("it answered more than {} MiB (reader.output)", mebibytes(most))
        }
        ProgramFault::Lost(error) => error.to_string(),
        ProgramFault::Failed { status, complaint } if complaint.is_empty() => {
            format!("it ended with {status}")
        }
        ProgramFault::Failed { status, complaint } => format!("it ended with {status}: {complaint}"),
    })
}
