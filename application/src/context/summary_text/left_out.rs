//! Says in a summary what is no longer in the prompt in full.
//!
//! How much of a conversation stays depends on the length of its summary, so the line is written last, in room that was
//! reserved for its longest form.

use crate::context::summary_record::SummaryRecord;
use crate::settings::Language;
use crate::texts::{LocalizedTexts, say};

/// What stays in the prompt beside a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SummaryOmissions {
    /// Sequence of the first entry that stays.
    pub kept_from: u64,
    /// Sequence of the last entry that the notes cover.
    pub covers_to: u64,
    /// Number of people's messages from before that stay whole.
    pub messages_kept: usize,
    /// Number of long results that stay shortened.
    pub shortened: usize,
}

/// The line that says how many messages, replies and results are no longer in the prompt, how many results are
/// shortened, and how many replies no note covers; `None` if all of it is there.
pub fn left_out_line(
    record: &SummaryRecord,
    language: Language,
    left_out: SummaryOmissions,
) -> Option<String> {
    let counts = record.left_out(Some(left_out.kept_from));
    let replies_before = record.replies_until(left_out.covers_to);
    line(
        language,
        LineCounts {
            messages: counts.messages.saturating_sub(left_out.messages_kept),
            replies: counts.replies,
            results: counts.results,
            shortened: left_out.shortened,
            without_notes: counts.replies.saturating_sub(replies_before),
        },
    )
}

/// The longest form of that line.
pub fn longest_left_out_line(record: &SummaryRecord, language: Language) -> String {
    let counts = record.left_out(None);
    // A plural is no shorter than a singular.
    let (messages, replies, results) = (counts.messages.max(2), counts.replies.max(2), counts.results.max(2));
    let counts = LineCounts { messages, replies, results, shortened: results, without_notes: replies };
    line(language, counts).unwrap_or_default()
}

/// The text of a summary with that line under its first sentences.
pub fn insert_left_out(text: &str, line: &str, language: Language) -> String {
    let about = say!(LocalizedTexts::for_language(language), "context-about");
    match text.strip_prefix(&about) {
        Some(rest) => format!("{about}\n{line}{rest}"),
        None => format!("{line}\n{text}"),
    }
}

struct LineCounts {
    messages: usize,
    replies: usize,
    results: usize,
    shortened: usize,
    without_notes: usize,
}

fn line(language: Language, counts: LineCounts) -> Option<String> {
    let texts = LocalizedTexts::for_language(language);
    let LineCounts { messages, replies, results, shortened, without_notes } = counts;
    let mut sentences = Vec::new();
    if messages + replies + results > 0 {
        let (messages, replies, results) = (
            say!(texts, "context-left-out-messages", count = messages),
            say!(texts, "context-left-out-replies", count = replies),
            say!(texts, "context-left-out-results", count = results),
        );
        sentences.push(say!(
            texts,
            "context-left-out",
            messages = messages,
            replies = replies,
            results = results
        ));
    }
    if shortened > 0 {
        sentences.push(say!(texts, "context-left-out-shortened", count = shortened));
    }
    if without_notes > 0 {
        sentences.push(say!(texts, "context-left-out-notes", count = without_notes));
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}
