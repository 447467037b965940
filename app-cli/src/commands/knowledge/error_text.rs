//! Renders document errors for people.

use entracte_application::knowledge::DocumentPathFault;
use entracte_application::ports::{DocumentConversionError, mebibytes};
use entracte_application::use_cases::KnowledgeError;

use super::{LIST, usage};
use crate::error::{CliError, CliExitCode};
use crate::user_text::{UserText, message};

/// The error with its exit code and the next command.
pub(super) fn document_error(error: KnowledgeError) -> CliError {
    match error {
        KnowledgeError::Store(error) => error.into(),
        error @ KnowledgeError::Unknown(_) => {
            CliError::with_next(CliExitCode::NotFound, error_text(&error), LIST)
        }
        error @ KnowledgeError::Full { .. } => {
            CliError::with_next(CliExitCode::Limit, error_text(&error), LIST)
        }
        error @ KnowledgeError::Convert(DocumentConversionError::NotStarted(_)) => {
            CliError::new(CliExitCode::Failure, error_text(&error))
        }
        error @ (KnowledgeError::Name { .. }
        | KnowledgeError::TooLarge { .. }
        | KnowledgeError::Empty
        | KnowledgeError::Convert(_)
        | KnowledgeError::NotStructured(_)
        | KnowledgeError::Path(_)) => CliError::new(CliExitCode::Usage, error_text(&error)),
        error @ KnowledgeError::Stopped(_) => CliError::new(CliExitCode::Failure, error_text(&error)),
    }
}

/// The error of an added file, with the file's name.
pub(super) fn refused_of(file: &str, error: KnowledgeError) -> CliError {
    match document_error(error) {
        refusal if refusal.exit == CliExitCode::Usage => {
            usage(message!("knowledge-error-file", path = file, why = refusal.to_text()))
        }
        refusal => refusal,
    }
}

/// The error as text.
pub(super) fn error_text(error: &KnowledgeError) -> UserText {
    match error {
        KnowledgeError::Unknown(name) => message!("knowledge-error-unknown", name = name),
        KnowledgeError::Name { most } => message!("knowledge-error-name", most = *most),
        KnowledgeError::TooLarge { bytes, most } => {
            message!("knowledge-error-size", bytes = *bytes, most = *most)
        }
        KnowledgeError::Empty => message!("knowledge-error-empty"),
        KnowledgeError::Full { most } => message!("knowledge-error-full", most = *most),
        KnowledgeError::NotStructured(name) => message!("knowledge-error-structured", name = name),
        KnowledgeError::Path(DocumentPathFault::Nothing { .. }) => message!("knowledge-error-path"),
        KnowledgeError::Path(DocumentPathFault::NoRecords) => message!("knowledge-error-records"),
        KnowledgeError::Stopped(why) => message!("knowledge-error-stopped", why = why),
        KnowledgeError::Store(error) => message!("knowledge-error-stopped", why = error.to_string()),
        KnowledgeError::Convert(error) => unread(error),
    }
}

fn unread(error: &DocumentConversionError) -> UserText {
    match error {
        DocumentConversionError::NotText => message!("knowledge-error-not-text"),
        DocumentConversionError::Unreadable { format, why } => {
            message!("knowledge-error-unreadable", format = format.word(), why = why)
        }
        DocumentConversionError::Scanned => message!("knowledge-error-scanned"),
        DocumentConversionError::TooSlow(limit) => {
            message!("knowledge-error-slow", seconds = (limit.0 / 1000).unsigned_abs())
        }
        DocumentConversionError::Memory(most) => message!("knowledge-error-memory", most = mebibytes(*most)),
        DocumentConversionError::Cpu(most) => {
            message!("knowledge-error-cpu", seconds = (most.0 / 1000).unsigned_abs())
        }
        DocumentConversionError::Output(most) => message!("knowledge-error-output", most = mebibytes(*most)),
        DocumentConversionError::NotStarted(why) => message!("knowledge-error-not-started", why = why),
        DocumentConversionError::NotBuiltIn(format) => {
            message!("knowledge-error-built", format = format.word())
        }
    }
}
