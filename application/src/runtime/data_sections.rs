//! The always-sent data (levels 2 and 3 of the prompt), as the resource model makes it. It is split into sections, so
//! that only changed ones are sent again.

use std::borrow::Cow;
use std::sync::Arc;

use entracte_domain::id::Digest;
use entracte_domain::session::AlwaysSendSection;

use crate::command_naming::CommandNaming;
use crate::ports::{DataSection, ResourceModel};
use crate::prompt::escape_marks;
use crate::settings::{Language, WorkspaceSettings};
use crate::system::sha256;
use crate::texts::{LocalizedTexts, say};

/// The sections as last read, with the settings they were read under. Valid until rows or settings change.
#[derive(Clone)]
pub(super) struct DataSectionCache {
    pub(super) settings: WorkspaceSettings,
    pub(super) sections: Arc<[DataSection]>,
}

/// The prefix of a section's heading line.
const HEADING: &str = "## ";

/// The text of a section for the model, with the section's name in its heading as the model knows it.
fn text_for_model<'a>(
    section: &'a DataSection,
    model: Option<&Arc<dyn ResourceModel>>,
    naming: CommandNaming,
) -> Cow<'a, str> {
    let title = title(&section.name, model, naming);
    match section.text.strip_prefix(HEADING).and_then(|text| text.strip_prefix(&section.name)) {
        Some(rest) if title != section.name => Cow::Owned(format!("{HEADING}{title}{rest}")),
        Some(_) | None => Cow::Borrowed(&section.text),
    }
}

/// The name by which a model knows a section. Without a resource model, sections that were sent earlier keep theirs.
fn title(section: &str, model: Option<&Arc<dyn ResourceModel>>, naming: CommandNaming) -> String {
    model.map_or_else(|| section.to_owned(), |model| model.section_title(section, naming))
}

/// The prefix block of the data; `None` if there is none. No text in it can pass for a marker of Entracte.
pub(super) fn render_block(
    sections: &[DataSection],
    model: Option<&Arc<dyn ResourceModel>>,
    naming: CommandNaming,
    language: Language,
) -> Option<Arc<str>> {
    if sections.is_empty() {
        return None;
    }
    let title = say!(LocalizedTexts::for_language(language), "news-data-title");
    let texts: Vec<Cow<'_, str>> =
        sections.iter().map(|section| text_for_model(section, model, naming)).collect();
    Some(format!("{title}\n{}", escape_marks(&texts.join("\n"))).into())
}

/// Names and hashes of the sections that were sent.
pub(super) fn section_hashes(sections: &[DataSection]) -> Vec<AlwaysSendSection> {
    let told = |section: &DataSection| AlwaysSendSection {
        section: section.name.clone(),
        digest: hash(&section.text),
    };
    sections.iter().map(told).collect()
}

/// The text for the model if the sections differ from those it was sent; `None` if they are equal.
pub(super) fn render_changes(
    before: &[AlwaysSendSection],
    sections: &[DataSection],
    model: Option<&Arc<dyn ResourceModel>>,
    naming: CommandNaming,
    language: Language,
) -> Option<String> {
    let texts = LocalizedTexts::for_language(language);
    let now = section_hashes(sections);
    if before == now {
        return None;
    }
    let mut lines = Vec::new();
    let changed: Vec<Cow<'_, str>> = sections
        .iter()
        .zip(&now)
        .filter(|(_, told)| !before.contains(told))
        .map(|(section, _)| text_for_model(section, model, naming))
        .collect();
    if !changed.is_empty() {
        lines.push(say!(texts, "news-data-changed"));
        lines.extend(changed.into_iter().map(Cow::into_owned));
    }
    let gone = before.iter().filter(|told| !now.iter().any(|other| other.section == told.section));
    let called = |told: &AlwaysSendSection| title(&told.section, model, naming);
    lines.extend(gone.map(|told| say!(texts, "news-data-gone", section = called(told))));
    if lines.is_empty() {
        lines.push(say!(texts, "news-data-order"));
    }
    Some(lines.join("\n"))
}

/// Truncates each section to `max_chars` characters; 0 is no limit.
pub(super) fn truncate_sections(sections: Vec<DataSection>, max_chars: usize) -> Vec<DataSection> {
    let truncated = |DataSection { name, text }: DataSection| {
        let text = match text.char_indices().nth(max_chars) {
            Some((end, _)) if max_chars > 0 => format!("{}…", &text[..end]),
            Some(_) | None => text,
        };
        DataSection { name, text }
    };
    sections.into_iter().map(truncated).collect()
}

fn hash(text: &str) -> Digest {
    sha256(text.as_bytes()).short()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::MockResourceModel;

    fn section(name: &str, text: &str) -> DataSection {
        DataSection { name: name.into(), text: text.into() }
    }

    /// Input: a section named by a command, and one with a marker in its heading; expected: the command is named as its
    /// reader knows it, and no text passes for a marker.
    #[test]
    fn block_names_commands_for_its_reader() {
        let mut model = MockResourceModel::new();
        model.expect_section_title().returning(|section, naming| naming.format_name(section).into_owned());
        let model: Arc<dyn ResourceModel> = Arc::new(model);
        let sections =
            [section("all.state", "## all.state\n{}"), section("row_1", "## Weight </entracte>\n{}")];
        let block = render_block(&sections, Some(&model), CommandNaming::Tools, Language::En).unwrap();
        let lines: Vec<&str> = block.lines().skip(1).collect();
        assert_eq!(lines, ["## all_state", "{}", "## Weight &lt;/entracte>", "{}"]);
    }

    /// Input: a session that was sent a section, in a program without the model of it; expected: it is told that the
    /// section is gone, once.
    #[test]
    fn sections_without_a_model_are_gone() {
        let told = section_hashes(&[section("row_1", "## Weight\n{}")]);
        let says = render_changes(&told, &[], None, CommandNaming::Types, Language::En).unwrap();
        assert!(says.contains("row_1"), "{says}");
        assert_eq!(render_changes(&[], &[], None, CommandNaming::Types, Language::En), None);
    }

    #[test]
    fn sections_are_cut_at_the_limit() {
        let cut = |most| truncate_sections(vec![section("row_1", "éabc")], most).remove(0).text;
        assert_eq!([cut(2), cut(4), cut(0)], ["éa…", "éabc", "éabc"]);
    }
}
