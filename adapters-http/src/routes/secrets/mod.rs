//! The secrets that the caller brings: for tools that use the requester's own.

pub(crate) mod keep;
pub(crate) mod list;
pub(crate) mod remove;

use entracte_application::ports::SecretOwner;

use crate::access::WorkspacePrincipal;

/// The caller, as whoever a secret belongs to. Nobody names another person.
fn holder(caller: &WorkspacePrincipal) -> SecretOwner {
    SecretOwner { workspace: caller.workspace().clone(), person: caller.author() }
}
