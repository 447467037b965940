//! Level 1: who the model is, how a conversation works, how to answer, what it may do. The words stand in the
//! catalogue of texts; here is decided which of them a session needs.

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
use super::{PromptChunk, PromptPrefix};
use crate::command_naming::CommandNaming;
use crate::ports::{CommandSpec, ToolTypeSpec};
use crate::settings::{ChunkImportance, ChunkImportances, Language};
use crate::texts::{LocalizedTexts, say};

/// What level 1 is written from.
#[derive(Clone, Copy, Debug)]
pub struct PromptFacts<'a> {
    /// Kind of the session.
    pub kind: SessionKind,
    /// How commands are encoded.
    pub dialect: Dialect,
    /// The rules in force.
    pub rules: &'a SessionRules,
    /// Whether a plan comes before actions.
    pub mode: PlanMode,
    /// The schema of what an agent answers with; none where any object is.
    pub result: Option<&'a serde_json::Value>,
    /// The commands that the session may ask for, in the order they are shown.
    pub catalog: &'a [CommandSpec],
    /// The types of tools that it may fill or configure.
    pub types: &'a [ToolTypeSpec],
    /// Name of the workspace.
    pub workspace: &'a str,
    /// Name of its time zone.
    pub zone: &'a str,
    /// The language that the model is spoken to in.
    pub language: Language,
    /// Chunks that matter less than this are left out.
    pub importance: ChunkImportance,
    /// How much single parts matter, where that differs from what they are given.
    pub grades: &'a ChunkImportances,
}

/// Level 1 as one text. The same facts give the same bytes.
pub fn level1(facts: &PromptFacts<'_>) -> String {
    PromptPrefix::join_chunks(&chunks(facts)).0.to_string()
}

/// Level 1 in its parts, in order, without those that matter too little. What changes least comes first.
pub fn chunks(facts: &PromptFacts<'_>) -> Vec<PromptChunk> {
    use ChunkImportance::{Helpful, Needed, Vital};

    let texts = LocalizedTexts::for_language(facts.language);
    let PromptFacts { kind, dialect, rules, mode, catalog, .. } = *facts;
    // Native calls need no examples, and native tools bring their own documentation.
    let (examples, commands) = match dialect {
        Dialect::Envelope => {
            let title = say!(texts, "prompt-examples-title");
            let examples = format!("{title}\n{}", examples::text(texts, kind, catalog));
            (Some(examples), Some(commands::text(facts.language, catalog)))
        }
        Dialect::Tools => (None, None),
    };
    let calls_agents = catalog.iter().any(|spec| spec.agent.is_some());
    let agents = calls_agents.then(|| words::agents(texts, dialect));
    let plans = match mode {
        PlanMode::Plan => Some(words::plans(texts, dialect)),
        PlanMode::Free => None,
    };
    // What no schema of a command says.
    let types = types::text(texts, catalog, facts.types, CommandNaming::from_dialect(dialect));
    let all = [
        ("role", Vital, Some(words::role(texts, kind, facts.workspace))),
        ("conversation", Vital, Some(words::conversation(texts, facts.zone))),
        ("format", Vital, Some(words::format(texts, (kind, dialect), facts.result))),
        ("examples", Needed, examples),
        ("work", Vital, Some(words::work(texts, kind, dialect, rules.actions_on_failure))),
        ("agents", Vital, agents),
        ("plans", Vital, plans),
        ("approvals", Needed, Some(words::approvals(texts, kind, rules.unattended))),
        ("results", Needed, Some(words::results(texts))),
        ("limits", Helpful, Some(limits::text(texts, kind, dialect, rules))),
        ("types", Helpful, types),
        ("commands", Vital, commands),
    ];
    let graded = all.into_iter().filter_map(|(name, usual, text)| {
        let importance = facts.grades.importance_of(name, usual);
        text.map(|text| PromptChunk { name, importance, text })
    });
    graded.filter(|chunk| chunk.importance >= facts.importance).collect()
}
