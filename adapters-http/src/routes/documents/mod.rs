//! Routes of the documents that models may search and read.

pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod put;
pub(crate) mod remove;
pub(crate) mod search;
pub(crate) mod vectors;

use entracte_application::ports::DocumentConversionError;
use entracte_application::use_cases::{KnowledgeError, ReadDocuments};

use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;

fn reader(state: &ServerState) -> ReadDocuments {
    ReadDocuments::new(state.ports.knowledge.clone())
}

/// Converts a knowledge error to a problem.
fn problem(error: KnowledgeError) -> Problem {
    let code = match error {
        KnowledgeError::Store(error) => return error.into(),
        KnowledgeError::Unknown(_) => ProblemCode::NotFound,
        KnowledgeError::TooLarge { .. } => ProblemCode::TooLarge,
        KnowledgeError::Convert(DocumentConversionError::NotStarted(_)) => ProblemCode::Internal,
        KnowledgeError::Full { .. } => ProblemCode::NotApplicable,
        KnowledgeError::Name { .. }
        | KnowledgeError::Empty
        | KnowledgeError::Convert(_)
        | KnowledgeError::NotStructured(_)
        | KnowledgeError::Path(_) => ProblemCode::Invalid,
        KnowledgeError::Stopped(_) => ProblemCode::Internal,
    };
    Problem::new(code, error.to_string())
}
