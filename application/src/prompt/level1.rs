//! Level 1: the model's role, how a conversation works, the reply format and the allowed commands. The texts are
//! in the text catalogue; this module selects those a session needs.

mod arguments;
mod commands;
mod examples;
mod limits;
#[cfg(test)]
mod tests;
mod types;

use entracte_domain::plan::PlanMode;
use entracte_domain::session::{Dialect, SessionKind, SessionRules};

use super::texts::level1 as words;
use super::{CommandListing, PromptChunk, PromptPrefix};
use crate::command_naming::CommandNaming;
use crate::ports::{CommandSpec, ResourceTypeSpec, schema_bytes};
use crate::protocol::envelope::command_schema;
use crate::protocol::tools::command_declaration;
use crate::schema::SchemaDocument;
use crate::settings::{ChunkImportance, ChunkImportances, Language};
use crate::texts::{LocalizedTexts, say};

/// The input of level 1.
#[derive(Clone, Copy, Debug)]
pub struct PromptFacts<'a> {
    /// Kind of the session.
    pub kind: SessionKind,
    /// How commands are encoded.
    pub dialect: Dialect,
    /// The rules in force.
    pub rules: &'a SessionRules,
    /// Whether a plan is required before actions.
    pub mode: PlanMode,
    /// Result schema of an agent; `None` if any object is valid.
    pub result: Option<&'a SchemaDocument>,
    /// The commands that the session may request, in the order shown.
    pub catalog: &'a [CommandSpec],
    /// The commands that it may request but must find first; `None` if all are in the catalog.
    pub listing: Option<&'a CommandListing>,
    /// The types of resources that the session may fill or configure.
    pub types: &'a [ResourceTypeSpec],
    /// Name of the workspace.
    pub workspace: &'a str,
    /// IANA name of its time zone.
    pub zone: &'a str,
    /// Language of the texts for the model.
    pub language: Language,
    /// Minimum importance; less important chunks are left out.
    pub importance: ChunkImportance,
    /// Importances of single chunks that differ from their defaults.
    pub grades: &'a ChunkImportances,
}

/// The name of the chunk that lists the commands found on demand.
pub const ON_DEMAND: &str = "on_demand";

/// Level 1 as one text. Equal facts give equal bytes.
pub fn level1(facts: &PromptFacts<'_>) -> String {
    PromptPrefix::join_chunks(&chunks(facts)).0.to_string()
}

/// The bytes by which the description of a command makes a prompt longer: as a native tool, or in the documentation of
/// commands and the schema of a reply.
pub fn description_bytes(spec: &CommandSpec, dialect: Dialect, language: Language) -> usize {
    match dialect {
        Dialect::Envelope => commands::bytes(language, spec) + schema_bytes(&command_schema(spec).into()),
        Dialect::Tools => command_declaration(spec, language).bytes(),
    }
}

/// The chunks of level 1 in order, without those below the minimum importance. Chunks that change least come
/// first.
pub fn chunks(facts: &PromptFacts<'_>) -> Vec<PromptChunk> {
    role_chunk(facts).into_iter().chain(common_chunks(facts)).collect()
}

/// The first chunk, the only one that names the workspace; `None` if it is below the minimum importance.
pub fn role_chunk(facts: &PromptFacts<'_>) -> Option<PromptChunk> {
    let texts = LocalizedTexts::for_language(facts.language);
    graded(facts, "role", ChunkImportance::Vital, words::role(texts, facts.kind, facts.workspace))
}

/// The chunks after the first in order, without those below the minimum importance. They are the same for every
/// workspace.
pub fn common_chunks(facts: &PromptFacts<'_>) -> Vec<PromptChunk> {
    use ChunkImportance::{Helpful, Needed, Vital};

    let texts = LocalizedTexts::for_language(facts.language);
    let PromptFacts { kind, dialect, rules, mode, catalog, .. } = *facts;
    // Native calls need no examples, and native tools have their own documentation.
    let (examples, commands) = match dialect {
        Dialect::Envelope => {
            let title = say!(texts, "prompt-examples-title");
            let examples = format!("{title}\n{}", examples::text(texts, kind, catalog));
            (Some(examples), Some(commands::text(facts.language, catalog, facts.listing.is_some())))
        }
        Dialect::Tools => (None, None),
    };
    let calls_agents = catalog.iter().any(|spec| spec.agent.is_some());
    let agents = calls_agents.then(|| words::agents(texts, dialect));
    let plans = match mode {
        PlanMode::Plan => Some(words::plans(texts, dialect)),
        PlanMode::Free => None,
    };
    // The tool types, which no command schema describes.
    let types = types::text(texts, catalog, facts.types, CommandNaming::from_dialect(dialect));
    let listing =
        facts.listing.map(|listing| listing.text(CommandNaming::from_dialect(dialect), facts.language));
    let all = [
        ("conversation", Vital, Some(words::conversation(texts, facts.zone))),
        ("format", Vital, Some(words::format(texts, kind, dialect, facts.result))),
        ("examples", Needed, examples),
        ("work", Vital, Some(words::work(texts, kind, dialect, rules.actions_on_failure))),
        ("agents", Vital, agents),
        ("plans", Vital, plans),
        ("approvals", Needed, Some(words::approvals(texts, kind, rules.unattended))),
        ("results", Needed, Some(words::results(texts))),
        ("limits", Helpful, Some(limits::text(texts, kind, dialect, rules))),
        ("types", Helpful, types),
        ("commands", Vital, commands),
        (ON_DEMAND, Vital, listing),
    ];
    all.into_iter().filter_map(|(name, usual, text)| graded(facts, name, usual, text?)).collect()
}

/// A chunk; `None` if it is below the minimum importance.
fn graded(
    facts: &PromptFacts<'_>,
    name: &'static str,
    usual: ChunkImportance,
    text: String,
) -> Option<PromptChunk> {
    let importance = facts.grades.importance_of(name, usual);
    (importance >= facts.importance).then_some(PromptChunk { name, importance, text })
}
