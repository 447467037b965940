//! Routes of the entries of the configuration file: MCP servers, agents, HTTP tools, embeddings.

pub(crate) mod check;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod put;
pub(crate) mod remove;

use entracte_application::ports::{ConfigEntry, ConfigSection};
use entracte_application::terminal_text::one_line;
use entracte_application::texts::saying;
use entracte_domain::id::Digest;

use crate::authentication::TokenPrincipal;
use crate::etag::EntityTag;
use crate::problem::{Problem, ProblemCode};
use crate::routes::admin::refused;
use crate::server_state::ServerState;
use crate::shapes::config_entry::ConfigEntryShape;

/// Finds the section of this name.
fn section(name: &str) -> Result<ConfigSection, Problem> {
    ConfigSection::from_word(name).ok_or_else(|| {
        let known = ConfigSection::ALL.map(ConfigSection::word).join(", ");
        let text = saying!("refusal-no-section", section = one_line(name), known = known);
        Problem::new(ProblemCode::NotFound, text)
    })
}

/// Finds an entry; `None` if there is none of this name.
fn find_entry(
    state: &ServerState,
    section: ConfigSection,
    name: &str,
) -> Result<Option<ConfigEntry>, Problem> {
    let entries = state.ports.config_entries.entries(section).map_err(refused)?;
    Ok(entries.into_iter().find(|entry| entry.name == name))
}

/// Finds the entry of this name.
fn entry(state: &ServerState, section: ConfigSection, name: &str) -> Result<ConfigEntry, Problem> {
    find_entry(state, section, name)?.ok_or_else(|| {
        let text = saying!("refusal-no-entry", entry = one_line(name), section = section.word());
        Problem::new(ProblemCode::NotFound, text)
    })
}

/// An entry as it is shown to this visitor.
fn shape_for(entry: &ConfigEntry, visitor: &TokenPrincipal) -> ConfigEntryShape {
    if visitor.has_login() { ConfigEntryShape::from(entry) } else { ConfigEntryShape::for_program(entry) }
}

/// Requires that the entry is the one that was read, and that the server's file has it.
fn require_entry_as_read(
    read: &EntityTag,
    there: Option<&ConfigEntry>,
    name: &str,
) -> Result<Digest, Problem> {
    let Some(digest) = there.and_then(|entry| entry.digest.as_ref()) else {
        let text = saying!("refusal-entry-not-in-file", entry = one_line(name));
        return Err(Problem::new(ProblemCode::NotFound, text));
    };
    if digest.as_str() == read.as_str() {
        return Ok(digest.clone());
    }
    Err(Problem::new(ProblemCode::Changed, saying!("request-changed")))
}

/// The tag of an entry; `None` for one that is not in the server's file.
fn tag_of(entry: Option<&ConfigEntry>) -> Option<EntityTag> {
    entry.and_then(|entry| entry.digest.as_ref()).map(|digest| EntityTag::new(digest.as_str()))
}
