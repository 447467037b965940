//! Refusals: what was wrong, with which value, and how to fix it. The model reads them, in the workspace's language.

use entracte_application::ports::ActionPlanError;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::call::CallFailure;

use super::value_text::joined;
use crate::call_outcome::failure;

/// One thing wrong with a value: where it is, as a JSON pointer into the arguments, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArgumentFault {
    pub(crate) path: String,
    pub(crate) message: String,
}

/// A refusal that names no place.
pub(crate) fn refused(code: &str, message: impl Into<String>) -> ActionPlanError {
    ActionPlanError::Refused(failure(code, message))
}

/// A refusal of the value at `path`.
pub(crate) fn refused_at(code: &str, path: &str, message: impl Into<String>) -> ActionPlanError {
    ActionPlanError::Refused(CallFailure { path: Some(path.to_owned()), ..failure(code, message) })
}

/// There is no such row; `lister` is the command that shows those there are.
pub(crate) fn not_found(
    texts: &LocalizedTexts,
    kind: &str,
    id: &str,
    path: &str,
    lister: &str,
) -> ActionPlanError {
    refused_at("NOT_FOUND", path, say!(texts, "resources-not-found", kind = kind, id = id, lister = lister))
}

/// A refusal for all of `faults`, each named with its path; `head` says what was checked.
pub(crate) fn faulty(
    texts: &LocalizedTexts,
    code: &str,
    head: &str,
    faults: &[ArgumentFault],
) -> ActionPlanError {
    let lines = faults.iter().map(|fault| format!("{}: {}", fault.path, fault.message));
    let lines = joined(texts, lines);
    let path = faults.first().map(|fault| fault.path.clone());
    let message = say!(texts, "resources-named", name = head, said = lines);
    ActionPlanError::Refused(CallFailure { path, ..failure(code, message) })
}

/// The name is taken by another row.
pub(crate) fn name_taken(texts: &LocalizedTexts, kind: &str, name: &str, id: &str) -> ActionPlanError {
    let message = say!(texts, "resources-name-taken", kind = kind, name = name, id = id);
    refused_at("NAME_TAKEN", "/name", message)
}

/// An update that names nothing to update.
pub(crate) fn nothing_to_change(texts: &LocalizedTexts, fields: &[&str]) -> ActionPlanError {
    let fields = fields.join(", ");
    refused("NOTHING_TO_CHANGE", say!(texts, "resources-nothing-to-change", fields = fields))
}
