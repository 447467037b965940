//! The documentation of the commands, derived from the catalog.

use entracte_domain::command::CommandKind;

use super::{arguments, examples};
use crate::commands::CommandSpec;
use crate::prompt::texts::level1 as texts;

/// All commands: those that read, then those that change something.
pub(super) fn text(catalog: &[CommandSpec]) -> String {
    if catalog.is_empty() {
        return texts::NO_COMMANDS.to_owned();
    }
    let of = |kind| catalog.iter().filter(move |spec| spec.kind == kind).map(entry);
    std::iter::once(texts::COMMANDS_TITLE.to_owned())
        .chain(of(CommandKind::Query))
        .chain(of(CommandKind::Action))
        .collect::<Vec<_>>()
        .join("\n\n")
}

fn entry(spec: &CommandSpec) -> String {
    let list = match spec.kind {
        CommandKind::Query => "in `queries`",
        CommandKind::Action => "in `actions`",
    };
    let leave = if spec.destructive || spec.egress { ", always needs leave" } else { "" };
    let mut text = format!(
        "## {} ({}; {list}{leave})\n{}\n{}",
        spec.word,
        spec.name,
        spec.doc.trim(),
        arguments::text(&spec.schema)
    );
    let example = examples::shown(spec).filter(|_| spec.example.is_some());
    if let Some(example) = example.and_then(|example| serde_json::to_string(&example).ok()) {
        text.push_str("\nExample: ");
        text.push_str(&example);
    }
    text
}
