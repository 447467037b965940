//! Document errors with their exit codes.

use entracte_application::ports::DocumentConversionError;
use entracte_application::use_cases::KnowledgeError;

use super::{HELP, LIST};
use crate::error::{CliError, CliExitCode};
use crate::user_text::UserText;

/// The error with its exit code and the next command.
pub(super) fn document_error(error: KnowledgeError) -> CliError {
    let text = error.message().into();
    with_exit(error, text)
}

/// The error of an added file, with the file's name.
pub(super) fn refused_of(file: &str, error: KnowledgeError) -> CliError {
    let text = error.message_of_file(file).into();
    with_exit(error, text)
}

fn with_exit(error: KnowledgeError, text: UserText) -> CliError {
    match error {
        KnowledgeError::Store(error) => error.into(),
        KnowledgeError::Unknown(_) => CliError::with_next(CliExitCode::NotFound, text, LIST),
        KnowledgeError::Full { .. } => CliError::with_next(CliExitCode::Limit, text, LIST),
        KnowledgeError::Convert(
            DocumentConversionError::Busy(_) | DocumentConversionError::WaitedTooLong(_),
        ) => CliError::with_next(CliExitCode::Limit, text, LIST),
        KnowledgeError::Convert(DocumentConversionError::NotStarted(_)) | KnowledgeError::Stopped(_) => {
            CliError::with_next(CliExitCode::Failure, text, "entracte doctor")
        }
        KnowledgeError::Name { .. }
        | KnowledgeError::TooLarge { .. }
        | KnowledgeError::Empty
        | KnowledgeError::Convert(
            DocumentConversionError::NotText
            | DocumentConversionError::Unreadable { .. }
            | DocumentConversionError::Scanned
            | DocumentConversionError::Ocr { .. }
            | DocumentConversionError::TooSlow(_)
            | DocumentConversionError::Crashed(_)
            | DocumentConversionError::Memory(_)
            | DocumentConversionError::Cpu(_)
            | DocumentConversionError::Output(_)
            | DocumentConversionError::NotBuiltIn(_),
        )
        | KnowledgeError::NotStructured(_)
        | KnowledgeError::Path(_) => CliError::with_next(CliExitCode::Usage, text, HELP),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Inputs: a file that crashes its reader, and a full queue; expected: the file's name, the remedy, an exit code,
    /// and a next command that is about documents.
    #[test]
    fn document_error_names_file_and_remedy() {
        let crashed =
            KnowledgeError::Convert(DocumentConversionError::Crashed("signal: 11 (SIGSEGV)".into()));
        let error = refused_of("map.pdf", crashed);
        assert!(error.message.starts_with("map.pdf: its reader crashed (signal: 11 (SIGSEGV))"), "{error:?}");
        assert!(error.message.contains("save it again with another program"), "{error:?}");
        assert_eq!((error.exit, error.next.as_str()), (CliExitCode::Usage, "entracte knowledge add --help"));
        let full = refused_of("map.pdf", KnowledgeError::Convert(DocumentConversionError::Busy(64)));
        assert!(full.message.contains("64 documents wait to be read already"), "{full:?}");
        assert_eq!((full.exit, full.next.as_str()), (CliExitCode::Limit, "entracte knowledge list"));
    }
}
