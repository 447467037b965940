//! The documents that models may search and read.

pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod put;
pub(crate) mod remove;
pub(crate) mod search;
pub(crate) mod vectors;

use entracte_application::ports::DocumentConversionError;
use entracte_application::use_cases::{KnowledgeError, ReadDocuments};

use crate::house::House;
use crate::problem::{Code, Problem};

fn reader(house: &House) -> ReadDocuments {
    ReadDocuments::new(house.ports.knowledge.clone())
}

/// What was wrong.
fn problem(error: KnowledgeError) -> Problem {
    let code = match error {
        KnowledgeError::Store(error) => return error.into(),
        KnowledgeError::Unknown(_) => Code::NotFound,
        KnowledgeError::TooLarge { .. } => Code::TooLarge,
        KnowledgeError::Convert(DocumentConversionError::NotStarted(_)) => Code::Internal,
        KnowledgeError::Full { .. } => Code::NotApplicable,
        KnowledgeError::Name { .. }
        | KnowledgeError::Empty
        | KnowledgeError::Convert(_)
        | KnowledgeError::NotStructured(_)
        | KnowledgeError::Path(_) => Code::Invalid,
        KnowledgeError::Stopped(_) => Code::Internal,
    };
    Problem::new(code, error.to_string())
}
