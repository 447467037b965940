//! Routes of the documents that models may search and read.

pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod put;
pub(crate) mod remove;
pub(crate) mod search;
pub(crate) mod vectors;

use entracte_application::ports::DocumentConversionError;
use entracte_application::texts::RefusalText;
use entracte_application::use_cases::{KnowledgeError, ReadDocuments};
use http::StatusCode;

use crate::problem::{Problem, ProblemCode, readers_busy};
use crate::server_state::ServerState;

fn reader(state: &ServerState) -> ReadDocuments {
    ReadDocuments::new(state.ports.knowledge.clone(), state.ports.clock.clone())
}

/// Converts an error of stored documents to a problem.
fn problem(error: KnowledgeError) -> Problem {
    let detail = error.message().into();
    with_code(error, detail)
}

/// Converts the error of an uploaded file to a problem that names the file.
fn problem_of_file(name: &str, error: KnowledgeError) -> Problem {
    let detail = error.message_of_file(name).into();
    with_code(error, detail)
}

fn with_code(error: KnowledgeError, detail: RefusalText) -> Problem {
    let code = match error {
        KnowledgeError::Store(error) => return error.into(),
        KnowledgeError::Convert(
            DocumentConversionError::Busy(_) | DocumentConversionError::WaitedTooLong(_),
        ) => {
            return readers_busy(detail);
        }
        KnowledgeError::Unknown(_) => ProblemCode::NotFound,
        KnowledgeError::TooLarge { .. } => ProblemCode::TooLarge,
        KnowledgeError::Convert(DocumentConversionError::NotStarted(_)) | KnowledgeError::Stopped(_) => {
            tracing::error!(%error, "a document could not be handled");
            return Problem::from_status(StatusCode::INTERNAL_SERVER_ERROR);
        }
        KnowledgeError::Full { .. } => ProblemCode::NotApplicable,
        KnowledgeError::Name { .. }
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
        | KnowledgeError::Path(_) => ProblemCode::Invalid,
    };
    Problem::new(code, detail)
}
