//! The passage of a chunk that matches a query.

use std::ops::Range;

use super::IndexLanguage;
use super::analysis::{stemmer, term, words};

/// At most `most` characters of a text, where these terms are densest; on one line, with `…` where it is cut.
pub fn snippet(text: &str, tongue: IndexLanguage, wanted: &[String], most: usize) -> String {
    let stemmer = stemmer(tongue);
    let matches: Vec<(usize, usize, String)> = words(text)
        .into_iter()
        .filter_map(|word| {
            let term = term(&word, tongue, stemmer.as_ref()).filter(|term| wanted.contains(term))?;
            Some((word.at.start, word.at.end, term))
        })
        .collect();
    let from = best_start(text, &matches, most);
    shown(&text[from..], from > 0, most)
}

/// The start of the window with the most matches: first by distinct terms, then by all.
fn best_start(text: &str, matches: &[(usize, usize, String)], most: usize) -> usize {
    let mut best = (0, 0, 0);
    for (index, (start, _, _)) in matches.iter().enumerate() {
        let end = text[*start..].char_indices().nth(most).map_or(text.len(), |(at, _)| start + at);
        let inside: Vec<&str> = matches[index..]
            .iter()
            .take_while(|(_, until, _)| *until <= end)
            .map(|(_, _, term)| term.as_str())
            .collect();
        let mut different = inside.clone();
        different.sort_unstable();
        different.dedup();
        if (different.len(), inside.len()) > (best.0, best.1) {
            best = (different.len(), inside.len(), *start);
        }
    }
    // Some words of context before the match help reading.
    let lead = most / 6;
    let back = text[..best.2].char_indices().rev().nth(lead).map_or(0, |(at, _)| at);
    if back == 0 { 0 } else { after_a_word(text, back..best.2) }
}

/// The start of the first whole word after the start of the range, at most its end.
fn after_a_word(text: &str, range: Range<usize>) -> usize {
    let Range { start: from, end: at_most } = range;
    let space = text[from..at_most].char_indices().find(|(_, character)| character.is_whitespace());
    space.map_or(at_most, |(at, character)| from + at + character.len_utf8())
}

/// At most `most` characters of the rest of a text, on one line.
fn shown(rest: &str, is_cut_before: bool, most: usize) -> String {
    let (window, is_cut) = match rest.char_indices().nth(most) {
        None => (rest, false),
        Some((end, _)) => {
            let window = &rest[..end];
            let word = window.rfind(char::is_whitespace).filter(|at| *at > end / 2);
            (&window[..word.unwrap_or(end)], true)
        }
    };
    let line = window.split_whitespace().collect::<Vec<_>>().join(" ");
    let (before, after) = (if is_cut_before { "…" } else { "" }, if is_cut { "…" } else { "" });
    format!("{before}{line}{after}")
}
