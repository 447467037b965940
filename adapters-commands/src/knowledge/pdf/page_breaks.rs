//! Completes sentences that run over the end of a page.

use super::layout::{SOFT_HYPHEN, end_line};

/// The longest end of a sentence that is moved to the page where the sentence begins, in bytes.
const MOVED_MAX_BYTES: usize = 1_000;

/// Moves the end of a sentence that runs over a page to the page where it begins.
pub(super) fn complete_sentences(pages: &mut [String]) {
    for at in 1..pages.len() {
        let (before, after) = pages.split_at_mut(at);
        if let (Some(page), Some(next)) = (before.last_mut(), after.first_mut()) {
            complete_sentence(page, next);
        }
    }
}

fn complete_sentence(page: &mut String, next: &mut String) {
    if !is_open(page) || !next.starts_with(char::is_lowercase) {
        return;
    }
    let Some(end) = sentence_end(next) else { return };
    let rest = next.split_off(end);
    end_line(page, next, false);
    page.push_str(next);
    *next = rest.trim_start().to_owned();
}

/// Whether the last line of a page is text, and ends within a sentence.
fn is_open(page: &str) -> bool {
    let last = page.lines().next_back().unwrap_or_default();
    let is_row = last.contains('\t');
    !is_row
        && last.ends_with(|char: char| {
            char.is_alphanumeric() || [',', ';', '-', '\u{2010}', SOFT_HYPHEN].contains(&char)
        })
}

/// Where the first sentence ends, if that is in the first paragraph and near.
fn sentence_end(text: &str) -> Option<usize> {
    let paragraph = text.split("\n\n").next()?;
    let mut chars = paragraph.char_indices().take_while(|(at, _)| *at < MOVED_MAX_BYTES).peekable();
    while let Some((at, char)) = chars.next() {
        let is_followed_by_space = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        if matches!(char, '.' | '!' | '?') && is_followed_by_space {
            let end = at + char.len_utf8();
            // The limit, and not the text, ended here.
            return (end == paragraph.len() || paragraph[end..].starts_with(char::is_whitespace))
                .then_some(end);
        }
    }
    None
}
