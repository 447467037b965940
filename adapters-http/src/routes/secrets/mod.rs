//! Routes of the caller's own secrets, for tools that use the requester's.

pub(crate) mod list;
pub(crate) mod remove;
pub(crate) mod store;

use entracte_application::ports::SecretOwner;

use crate::authentication::WorkspacePrincipal;

/// The caller as owner of a secret; a request cannot name another person.
fn holder(caller: &WorkspacePrincipal) -> SecretOwner {
    SecretOwner { workspace: caller.workspace().clone(), person: caller.author() }
}
