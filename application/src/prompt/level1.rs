//! Level 1: who the model is, how a conversation works, how to answer, what it may do. The words stand in the
//! catalogue of texts; here is decided which of them a session needs.

mod arguments;
mod commands;
mod examples;
mod limits;
#[cfg(test)]
mod tests;
mod types;

use entracte_domain::plan::Mode;
use entracte_domain::session::{Dialect, Rules, SessionKind};

use super::texts::level1 as words;
use super::{Chunk, Prefix};
use crate::names::Naming;
use crate::ports::{CommandSpec, ToolTypeSpec};
use crate::settings::{ChunkGrades, Importance, Language};
use crate::texts::{Texts, say};

/// What level 1 is written from.
#[derive(Clone, Copy, Debug)]
pub struct PromptFacts<'a> {
    /// Kind of the session.
    pub kind: SessionKind,
    /// How commands are encoded.
    pub dialect: Dialect,
    /// The rules in force.
    pub rules: &'a Rules,
    /// Whether a plan comes before actions.
    pub mode: Mode,
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
    pub importance: Importance,
    /// How much single parts matter, where that differs from what they are given.
    pub grades: &'a ChunkGrades,
}

/// Level 1 as one text. The same facts give the same bytes.
pub fn level1(facts: &PromptFacts<'_>) -> String {
    Prefix::of_chunks(&chunks(facts)).0.to_string()
}

/// Level 1 in its parts, in order, without those that matter too little. What changes least comes first.
pub fn chunks(facts: &PromptFacts<'_>) -> Vec<Chunk> {
    let texts = Texts::of(facts.language);
    let mut chunks = vec![role(facts, texts), conversation(facts, texts), format(facts, texts)];
    chunks.extend(examples(facts, texts));
    chunks.push(work(facts, texts));
    chunks.extend(agents(facts, texts));
    chunks.extend(plans(facts, texts));
    chunks.extend([approvals(facts, texts), results(texts), limits(facts, texts)]);
    chunks.extend(types(facts, texts));
    chunks.extend(commands(facts));
    for chunk in &mut chunks {
        chunk.importance = facts.grades.of(chunk.name, chunk.importance);
    }
    chunks.retain(|chunk| chunk.importance >= facts.importance);
    chunks
}

fn role(facts: &PromptFacts<'_>, texts: &Texts) -> Chunk {
    chunk("role", Importance::Vital, words::role(texts, facts.kind, facts.workspace))
}

fn conversation(facts: &PromptFacts<'_>, texts: &Texts) -> Chunk {
    chunk("conversation", Importance::Vital, words::conversation(texts, facts.zone))
}

fn format(facts: &PromptFacts<'_>, texts: &Texts) -> Chunk {
    chunk("format", Importance::Vital, words::format(texts, (facts.kind, facts.dialect), facts.result))
}

/// Whole answers, one per pattern; native calls need none.
fn examples(facts: &PromptFacts<'_>, texts: &Texts) -> Option<Chunk> {
    match facts.dialect {
        Dialect::Envelope => {
            let title = say!(texts, "prompt-examples-title");
            let text = format!("{title}\n{}", examples::text(texts, facts.kind, facts.catalog));
            Some(chunk("examples", Importance::Needed, text))
        }
        Dialect::Tools => None,
    }
}

fn work(facts: &PromptFacts<'_>, texts: &Texts) -> Chunk {
    let text = words::work(texts, facts.kind, facts.dialect, facts.rules.actions_on_failure);
    chunk("work", Importance::Vital, text)
}

/// What the commands that call agents answer, where there are any.
fn agents(facts: &PromptFacts<'_>, texts: &Texts) -> Option<Chunk> {
    let calls_agents = facts.catalog.iter().any(|spec| spec.agent.is_some());
    calls_agents.then(|| chunk("agents", Importance::Vital, words::agents(texts, facts.dialect)))
}

/// How a plan is proposed and carried out, where one comes first.
fn plans(facts: &PromptFacts<'_>, texts: &Texts) -> Option<Chunk> {
    match facts.mode {
        Mode::Plan => Some(chunk("plans", Importance::Vital, words::plans(texts, facts.dialect))),
        Mode::Free => None,
    }
}

fn approvals(facts: &PromptFacts<'_>, texts: &Texts) -> Chunk {
    chunk("approvals", Importance::Needed, words::approvals(texts, facts.kind, facts.rules.unattended))
}

fn results(texts: &Texts) -> Chunk {
    chunk("results", Importance::Needed, words::results(texts))
}

fn limits(facts: &PromptFacts<'_>, texts: &Texts) -> Chunk {
    let text = limits::text(texts, facts.kind, facts.dialect, facts.rules);
    chunk("limits", Importance::Helpful, text)
}

/// What the tools of each type take, which no schema of a command says.
fn types(facts: &PromptFacts<'_>, texts: &Texts) -> Option<Chunk> {
    let text = types::text(texts, facts.catalog, facts.types, Naming::of(facts.dialect))?;
    Some(chunk("types", Importance::Helpful, text))
}

/// The documentation of the commands; native tools bring their own.
fn commands(facts: &PromptFacts<'_>) -> Option<Chunk> {
    match facts.dialect {
        Dialect::Envelope => {
            Some(chunk("commands", Importance::Vital, commands::text(facts.language, facts.catalog)))
        }
        Dialect::Tools => None,
    }
}

fn chunk(name: &'static str, importance: Importance, text: String) -> Chunk {
    Chunk { name, importance, text }
}
