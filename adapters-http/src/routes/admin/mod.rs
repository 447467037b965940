//! Routes for the whole process. They need the operator, whose token reaches every workspace.

pub(crate) mod backup;
pub(crate) mod check;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod full_doctor;
pub(crate) mod log;
pub(crate) mod owner;

use entracte_application::ports::OperatorError;

use crate::problem::{Problem, ProblemCode};

/// Converts a refusal of the operator's port.
pub(in crate::routes) fn refused(error: OperatorError) -> Problem {
    match error {
        OperatorError::NotFound(text) => Problem::new(ProblemCode::NotFound, text),
        OperatorError::Changed(text) => Problem::new(ProblemCode::Changed, text),
        OperatorError::Invalid(text) => Problem::new(ProblemCode::Invalid, text),
        OperatorError::Failed(text) => Problem::new(ProblemCode::NotApplicable, text),
    }
}
