//! The documentation of the commands, derived from the catalog.

use entracte_domain::command::CommandKind;

use super::{arguments, examples};
use crate::command_naming::CommandNaming;
use crate::ports::{CommandSpec, command_doc, documents_arguments};
use crate::settings::Language;
use crate::texts::{LocalizedTexts, say};

/// All commands: queries, then actions. `has_listing`: the prompt lists further ones.
pub(super) fn text(language: Language, catalog: &[CommandSpec], has_listing: bool) -> String {
    let texts = LocalizedTexts::for_language(language);
    if catalog.is_empty() {
        return say!(texts, "prompt-commands-none");
    }
    let of = |kind| {
        catalog.iter().filter(move |spec| spec.kind == kind).map(move |spec| entry(language, texts, spec))
    };
    let title = if has_listing { "prompt-commands-title-some" } else { "prompt-commands-title" };
    std::iter::once(say!(texts, title))
        .chain(of(CommandKind::Query))
        .chain(of(CommandKind::Action))
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// The bytes of a command's documentation.
pub(super) fn bytes(language: Language, spec: &CommandSpec) -> usize {
    entry(language, LocalizedTexts::for_language(language), spec).len()
}

fn entry(language: Language, texts: &LocalizedTexts, spec: &CommandSpec) -> String {
    let title = match (spec.kind, spec.destructive || spec.egress || spec.asks) {
        (CommandKind::Query, false) => "prompt-command-query",
        (CommandKind::Query, true) => "prompt-command-query-with-approval",
        (CommandKind::Action, false) => "prompt-command-action",
        (CommandKind::Action, true) => "prompt-command-action-with-approval",
    };
    let title = say!(texts, title, word = &spec.word, name = &spec.name);
    let doc = command_doc(spec, CommandNaming::Types, language);
    // The list does not repeat what the documentation says; the schema line says the rest.
    let takes = if documents_arguments(spec) {
        arguments::in_one_line(texts, &spec.schema)
    } else {
        arguments::text(texts, &spec.schema)
    };
    let mut text = format!("{title}\n{}\n{takes}", doc.trim());
    let example = examples::example_command(spec).filter(|_| spec.example.is_some());
    if let Some(example) = example.and_then(|example| serde_json::to_string(&example).ok()) {
        text.push('\n');
        text.push_str(&say!(texts, "prompt-command-example", example = example));
    }
    text
}
