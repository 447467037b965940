//! Routes of the agents that the configuration declares.

pub(crate) mod get;
pub(crate) mod list;

use entracte_application::agents::AgentDeclaration;
use entracte_application::commands::Catalog;
use entracte_application::texts::LocalizedTexts;
use entracte_domain::restriction::{CommandPattern, Restriction};

use crate::shapes::agent::DeclaredAgentShape;

/// The shape of a declaration, with the version of its command and what it reads in this language.
fn shape(catalog: &Catalog, agent: &AgentDeclaration, texts: &LocalizedTexts) -> DeclaredAgentShape {
    let version = catalog.find(&agent.command()).map(|known| known.version.to_string());
    let is_unmatched = |pattern: &&String| {
        let parsed = CommandPattern::from_text(pattern);
        *pattern != Restriction::EVERY
            && !catalog.entries().any(|known| parsed.matches_command(&known.spec.name))
    };
    DeclaredAgentShape {
        name: agent.name.clone(),
        version,
        declaration: agent.version_input(),
        instructions: agent.instructions.text(texts),
        unmatched: agent.commands.iter().filter(is_unmatched).cloned().collect(),
    }
}
