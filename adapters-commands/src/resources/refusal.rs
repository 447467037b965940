//! Refusals: what was wrong, with which value, and the mend. The model reads them.

use entracte_application::ports::PlanError;
use entracte_domain::command::Failure;

/// One thing wrong with a value: where it is, as a JSON pointer into the arguments, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) path: String,
    pub(crate) message: String,
}

/// A refusal that names no place.
pub(crate) fn refused(code: &str, message: impl Into<String>) -> PlanError {
    PlanError::Refused(crate::answer::failure(code, message))
}

/// A refusal of the value at `path`.
pub(crate) fn refused_at(code: &str, path: &str, message: impl Into<String>) -> PlanError {
    let path = Some(path.to_owned());
    PlanError::Refused(Failure { path, ..crate::answer::failure(code, message) })
}

/// There is no such row; `lister` is the command that shows those there are.
pub(crate) fn not_found(kind: &str, id: &str, path: &str, lister: &str) -> PlanError {
    refused_at("NOT_FOUND", path, format!("there is no {kind} “{id}”; {lister} lists those there are"))
}

/// A refusal for all of `faults`, each named with its path; `head` says what was checked.
pub(crate) fn faulty(code: &str, head: &str, faults: &[Fault]) -> PlanError {
    let lines: Vec<String> =
        faults.iter().map(|fault| format!("{}: {}", fault.path, fault.message)).collect();
    let path = faults.first().map(|fault| fault.path.clone());
    let message = format!("{head}: {}", lines.join("; "));
    PlanError::Refused(Failure { path, ..crate::answer::failure(code, message) })
}

/// The name is taken by another row.
pub(crate) fn name_taken(kind: &str, name: &str, id: &str) -> PlanError {
    refused_at("NAME_TAKEN", "/name", format!("the {kind} {id} has the name “{name}” already; take another"))
}

/// An update that names nothing to update.
pub(crate) fn nothing_to_change(fields: &str) -> PlanError {
    refused("NOTHING_TO_CHANGE", format!("say what to change: {fields}"))
}
