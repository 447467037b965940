//! Routes of providers.

pub(crate) mod change;
pub(crate) mod check;
pub(crate) mod find_servers;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod models;
pub(crate) mod put;
pub(crate) mod remove;
pub(crate) mod set_up;

use std::sync::Arc;

use entracte_application::ports::{Provider, TokenScope};
use entracte_application::terminal_text::one_line;
use entracte_application::texts::saying;
use entracte_domain::id::Digest;

use crate::authentication::{TokenPrincipal, require_operator};
use crate::etag::EntityTag;
use crate::problem::{Problem, ProblemCode};
use crate::server_state::{PublicProviderEntry, ServerState};
use crate::shapes::workspace::ProviderShape;

/// Finds the entry of this name.
fn entry(state: &ServerState, name: &str) -> Result<PublicProviderEntry, Problem> {
    let found = state.terms.entries.providers.get().iter().find(|entry| entry.name == name).cloned();
    found.ok_or_else(|| {
        Problem::new(ProblemCode::NotFound, saying!("refusal-no-provider", provider = one_line(name)))
    })
}

/// A provider as this principal may see it: only an operator with the scope `admin` learns what tells of the machine.
fn visible_shape(visitor: &TokenPrincipal, entry: &PublicProviderEntry) -> ProviderShape {
    let shape = ProviderShape::from(entry);
    match visitor.scopes().allow(TokenScope::Admin) && require_operator(visitor).is_ok() {
        true => shape,
        false => shape.without_machine(),
    }
}

/// Requires that the entry is the one that was read; an entry that is not in the server's file cannot be changed.
fn require_entry_unchanged(read: &EntityTag, there: Option<&Digest>, name: &str) -> Result<Digest, Problem> {
    let Some(there) = there else {
        let text = saying!("refusal-provider-not-in-file", provider = one_line(name));
        return Err(Problem::new(ProblemCode::NotFound, text));
    };
    if there.as_str() == read.as_str() {
        return Ok(there.clone());
    }
    Err(Problem::new(ProblemCode::Changed, saying!("request-changed")))
}

/// Finds the provider of this name.
fn find_provider(state: &ServerState, name: &str) -> Result<Arc<dyn Provider>, Problem> {
    let made = state.ports.providers.provider(&entry(state, name)?.name);
    made.map_err(|failure| Problem::new(ProblemCode::NotApplicable, failure.message))
}
