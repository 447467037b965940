//! Level 1: who the model is, how a conversation works, how to answer, what it may do. The words stand in
//! [`super::texts`]; here is decided which of them a session needs.

mod arguments;
mod commands;
mod examples;
mod limits;
#[cfg(test)]
mod tests;

use entracte_domain::session::{Dialect, Rules, SessionKind};

use super::texts::level1 as texts;
use super::{Chunk, Importance};
use crate::commands::CommandSpec;

/// What level 1 is written from.
#[derive(Clone, Copy, Debug)]
pub struct PromptFacts<'a> {
    /// Kind of the session.
    pub kind: SessionKind,
    /// How commands are encoded.
    pub dialect: Dialect,
    /// The rules in force.
    pub rules: &'a Rules,
    /// The commands that the session may ask for, in the order they are shown.
    pub catalog: &'a [CommandSpec],
    /// Name of the workspace.
    pub workspace: &'a str,
    /// Name of its time zone.
    pub zone: &'a str,
}

/// Level 1 as one text. The same facts give the same bytes.
pub fn level1(facts: &PromptFacts<'_>) -> String {
    chunks(facts).iter().map(|chunk| chunk.text.as_str()).collect::<Vec<_>>().join("\n\n")
}

/// Level 1 in its parts, in order. What changes least comes first.
pub fn chunks(facts: &PromptFacts<'_>) -> Vec<Chunk> {
    let mut chunks = vec![role(facts), conversation(facts), format(facts)];
    chunks.extend(examples(facts));
    chunks.extend([work(facts), leave(facts), results(), limits(facts)]);
    chunks.extend(commands(facts));
    chunks
}

fn role(facts: &PromptFacts<'_>) -> Chunk {
    chunk("role", Importance::Vital, texts::role(facts.kind, facts.workspace))
}

fn conversation(facts: &PromptFacts<'_>) -> Chunk {
    chunk("conversation", Importance::Vital, texts::conversation(facts.zone))
}

fn format(facts: &PromptFacts<'_>) -> Chunk {
    let text = match facts.dialect {
        Dialect::Envelope => texts::envelope_format(facts.kind),
        Dialect::Tools => texts::TOOLS_FORMAT.to_owned(),
    };
    chunk("format", Importance::Vital, text)
}

/// Whole answers, one per pattern; native calls need none.
fn examples(facts: &PromptFacts<'_>) -> Option<Chunk> {
    match facts.dialect {
        Dialect::Envelope => {
            let text = format!("{}\n{}", texts::EXAMPLES_TITLE, examples::text(facts.kind, facts.catalog));
            Some(chunk("examples", Importance::Needed, text))
        }
        Dialect::Tools => None,
    }
}

fn work(facts: &PromptFacts<'_>) -> Chunk {
    let follows = match facts.dialect {
        Dialect::Envelope => texts::envelope_work(facts.kind),
        Dialect::Tools => texts::tools_work(facts.kind),
    };
    let on_failure = texts::on_failure(facts.rules.actions_on_failure);
    chunk("work", Importance::Vital, format!("# What follows your answer\n{follows} {on_failure}"))
}

fn leave(facts: &PromptFacts<'_>) -> Chunk {
    chunk("leave", Importance::Needed, texts::leave(facts.kind, facts.rules.unattended))
}

fn results() -> Chunk {
    chunk("results", Importance::Needed, texts::RESULTS.to_owned())
}

fn limits(facts: &PromptFacts<'_>) -> Chunk {
    let text = limits::text(facts.kind, facts.dialect, facts.rules);
    chunk("limits", Importance::Helpful, text)
}

/// The documentation of the commands; native tools bring their own.
fn commands(facts: &PromptFacts<'_>) -> Option<Chunk> {
    match facts.dialect {
        Dialect::Envelope => Some(chunk("commands", Importance::Vital, commands::text(facts.catalog))),
        Dialect::Tools => None,
    }
}

fn chunk(name: &'static str, importance: Importance, text: String) -> Chunk {
    Chunk { name, importance, text }
}
