//! The Markdown of pages: each has a heading with its number, and no line of its text is one.

const HEADING: &str = "# Page ";

/// A page under the heading with its number; each part is a paragraph or more.
pub(super) fn page_section(number: u32, parts: &[String]) -> String {
    let mut section = format!("{HEADING}{number}\n\n");
    for part in parts.iter().filter(|part| !part.trim().is_empty()) {
        section.push_str(&without_marks(part));
        section.push('\n');
    }
    section
}

/// The sections of a text of pages, with the number of each.
pub(super) fn sections(text: &str) -> Vec<(u32, String)> {
    let mut sections: Vec<(u32, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let number = line.strip_prefix(HEADING).and_then(|number| number.trim_end().parse().ok());
        match (number, sections.last_mut()) {
            (Some(number), _) => sections.push((number, line.to_owned())),
            (None, Some((_, section))) => section.push_str(line),
            (None, None) => {}
        }
    }
    sections
}

/// Escapes Markdown at the start of a line, because no line of a page is a heading.
pub(super) fn without_marks(page: &str) -> String {
    let lines = page.lines().map(|line| {
        let bare = line.trim_end();
        if bare.trim_start().starts_with(['#', '`', '~', '|', '=']) {
            format!("\\{}", bare.trim_start())
        } else {
            bare.to_owned()
        }
    });
    let mut text = String::with_capacity(page.len());
    let mut is_empty = true;
    for line in lines {
        // Extracted lines are often separated by more blank lines than paragraphs are; only one is kept.
        if line.is_empty() && is_empty {
            continue;
        }
        is_empty = line.is_empty();
        text.push_str(&line);
        text.push('\n');
    }
    text
}
