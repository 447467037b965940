//! Routes of the agents that the configuration declares.

pub(crate) mod get;
pub(crate) mod list;

use entracte_application::agents::AgentDeclaration;
use entracte_application::commands::Catalog;

use crate::shapes::agent::DeclaredAgentShape;

/// The shape of a declaration, with the version of its command.
fn shape(catalog: &Catalog, agent: &AgentDeclaration) -> DeclaredAgentShape {
    let version = catalog.find(&agent.command()).map(|known| known.version.to_string());
    DeclaredAgentShape { name: agent.name.clone(), version, declaration: agent.version_input() }
}
