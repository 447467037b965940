//! The secrets that the caller brings: for tools that use the requester's own.

pub(crate) mod list;
pub(crate) mod remove;
pub(crate) mod store;

use entracte_application::ports::SecretOwner;

use crate::authentication::WorkspacePrincipal;

/// The caller, as whoever a secret belongs to. Nobody names another person.
fn holder(caller: &WorkspacePrincipal) -> SecretOwner {
    SecretOwner { workspace: caller.workspace().clone(), person: caller.author() }
}
