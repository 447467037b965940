//! Refusals of actions: the fault, the rejected value and the fix, for the model, in the workspace's language.

use entracte_application::ports::ActionPlanError;
#[cfg(feature = "resources")]
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::call::CallFailure;

#[cfg(feature = "resources")]
use super::value_text::joined;
use crate::call_outcome::failure;

/// A fault of one argument: its JSON pointer, and the reason.
#[cfg(feature = "resources")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArgumentFault {
    pub(crate) path: String,
    pub(crate) message: String,
}

/// A refusal without a path.
pub(crate) fn refused(code: &str, message: impl Into<String>) -> ActionPlanError {
    ActionPlanError::Refused(failure(code, message))
}

/// A refusal of the value at `path`.
pub(crate) fn refused_at(code: &str, path: &str, message: impl Into<String>) -> ActionPlanError {
    ActionPlanError::Refused(CallFailure { path: Some(path.to_owned()), ..failure(code, message) })
}

/// No row has this id; `lister` is the command that lists the existing ones.
#[cfg(feature = "resources")]
pub(crate) fn not_found(
    texts: &LocalizedTexts,
    kind: &str,
    id: &str,
    path: &str,
    lister: &str,
) -> ActionPlanError {
    refused_at("NOT_FOUND", path, say!(texts, "resources-not-found", kind = kind, id = id, lister = lister))
}

/// A refusal for all of `faults`, each with its path; `head` says what was checked.
#[cfg(feature = "resources")]
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

/// Another row already has this name.
#[cfg(feature = "resources")]
pub(crate) fn name_taken(texts: &LocalizedTexts, kind: &str, name: &str, id: &str) -> ActionPlanError {
    let message = say!(texts, "resources-name-taken", kind = kind, name = name, id = id);
    refused_at("NAME_TAKEN", "/name", message)
}

/// An update without any field to change.
#[cfg(feature = "resources")]
pub(crate) fn nothing_to_change(texts: &LocalizedTexts, fields: &[&str]) -> ActionPlanError {
    let fields = fields.join(", ");
    refused("NOTHING_TO_CHANGE", say!(texts, "resources-nothing-to-change", fields = fields))
}
