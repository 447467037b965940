//! Writes the text of a summary, section by section. Code writes all of it; only the items come from a model.
//!
//! It never exceeds its share. Parts that do not fit leave the prompt, least needed first, and stay in the row:
//! the oldest facts, then the oldest actions, then other items, then open work.

mod left_out;
mod section_lines;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use entracte_domain::id::MessageId;
use entracte_domain::session::{SummaryItem, SummaryItemKind};

use super::TokenEstimator;
use super::fold::{end_of, start_of};
use super::identifiers::identifiers;
use super::summary_record::SummaryRecord;
use crate::command_naming::CommandNaming;
use crate::settings::Language;
use crate::texts::{LocalizedTexts, say};
pub use left_out::{SummaryOmissions, insert_left_out, left_out_line, longest_left_out_line};
pub(super) use section_lines::item_line;
use section_lines::{SummarySectionLines, done_line, fence_text, one_line};

/// Maximum tokens of an objective that stays whole, and tokens retained of the beginning of a longer one; its end
/// gets a third of that.
const OBJECTIVE_MOST: u64 = 2_000;
const OBJECTIVE_HEAD: u64 = 1_500;

/// Maximum share of the objective, of the identifiers, and of all items in a summary, in percent.
const OBJECTIVE_SHARE: u64 = 30;
const IDENTIFIERS_SHARE: u64 = 30;
const NOTES_SHARE: u64 = 30;

/// The session's current state besides the log, worded one line each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummaryStateText {
    /// The approved plan with the state of its steps.
    pub plan: Option<String>,
    /// Open work that no log entry mentions: child sessions.
    pub open: Vec<String>,
}

/// How a summary is written.
#[derive(Clone, Copy, Debug)]
pub struct SummaryOptions<'a> {
    /// Estimates the tokens of its text.
    pub ruler: TokenEstimator,
    /// Language of Entracte's texts for the model.
    pub language: Language,
    /// Maximum tokens of the summary.
    pub share: u64,
    /// The model's naming of commands.
    pub naming: CommandNaming,
    /// IANA name of the workspace's time zone.
    pub zone: &'a str,
    /// Sequence of the first entry that stays in the prompt, which is not repeated in the summary.
    pub kept_from: Option<u64>,
    /// A person's message that stays whole in the prompt, after the summary.
    pub message_kept: Option<&'a MessageId>,
    /// The model's name for the query that searches its log; `None` if it has none.
    pub search: Option<&'a str>,
}

/// Maximum characters of all items together in a summary of `share` tokens.
pub fn notes_most(ruler: TokenEstimator, share: u64) -> usize {
    ruler.bytes(share.saturating_mul(NOTES_SHARE) / 100)
}

/// The text of a summary. With unchanged items it is the mechanical one.
pub fn summary_text(
    record: &SummaryRecord,
    standing: &SummaryStateText,
    items: &[SummaryItem],
    manner: &SummaryOptions<'_>,
) -> String {
    let texts = LocalizedTexts::for_language(manner.language);
    let most = manner.ruler.bytes(manner.share);
    let mut text = say!(texts, "context-about");
    text.push_str(&objective(texts, record, manner));
    let reserve = manner.ruler.bytes(manner.share.saturating_mul(IDENTIFIERS_SHARE) / 100);
    let room = most.saturating_sub(text.len()).saturating_sub(reserve);
    let (written, left_out) = middle(texts, record, standing, items, manner, room);
    text.push_str(&written);
    let room = reserve.min(most.saturating_sub(text.len()));
    let tail = identifiers_part(texts, record, &left_out, &text, manner.kept_from, room);
    text.push_str(&tail);
    start_of(&text, most).to_owned()
}

/// The task word for word, in a fence that its own text cannot close.
fn objective(texts: &LocalizedTexts, record: &SummaryRecord, manner: &SummaryOptions<'_>) -> String {
    let messages = record.objective();
    if messages.is_empty() && record.trigger.is_none() {
        return String::new();
    }
    let mut part = format!("\n\n{}", say!(texts, "context-objective"));
    if let Some(trigger) = &record.trigger {
        part.push('\n');
        part.push_str(&say!(texts, "context-run", trigger = one_line(trigger)));
    }
    let share = manner.share.saturating_mul(OBJECTIVE_SHARE) / 100;
    let most = OBJECTIVE_MOST.min(share) / u64::try_from(messages.len().max(1)).unwrap_or(u64::MAX);
    for (id, text) in messages {
        part.push('\n');
        if manner.message_kept == Some(id) {
            part.push_str(&say!(texts, "context-objective-below", message = id.as_str()));
        } else if text.len() <= manner.ruler.bytes(most) {
            part.push_str(&fence_text(text));
        } else {
            part.push_str(&shortened(texts, id, text, most, manner));
        }
    }
    part
}

/// The first three quarters and the last quarter of a shortened message, and how to find the rest.
fn shortened(
    texts: &LocalizedTexts,
    id: &MessageId,
    text: &str,
    most: u64,
    manner: &SummaryOptions<'_>,
) -> String {
    let head = start_of(text, manner.ruler.bytes(most * OBJECTIVE_HEAD / OBJECTIVE_MOST));
    let tail = end_of(text, manner.ruler.bytes(most - most * OBJECTIVE_HEAD / OBJECTIVE_MOST));
    let count = text.chars().count() - head.chars().count() - tail.chars().count();
    let says = match manner.search {
        Some(search) => {
            say!(texts, "context-objective-cut", message = id.as_str(), count = count, command = search)
        }
        None => say!(texts, "context-objective-cut-unsearched", message = id.as_str(), count = count),
    };
    format!("{}\n{says}\n{}", fence_text(head), fence_text(tail))
}

/// Plan, open work, completed work and items, within `room` bytes, and the texts of the items left out.
fn middle<'a>(
    texts: &LocalizedTexts,
    record: &SummaryRecord,
    standing: &SummaryStateText,
    items: &'a [SummaryItem],
    manner: &SummaryOptions<'_>,
    room: usize,
) -> (String, Vec<&'a str>) {
    let mut plan = SummarySectionLines::under(say!(texts, "context-plan"));
    plan.extend(standing.plan.iter().flat_map(|plan| plan.lines()).map(one_line));
    let mut open = SummarySectionLines::under(say!(texts, "context-open"));
    open.extend(open_lines(texts, record, standing, manner));
    let mut done = SummarySectionLines::under(say!(texts, "context-done"));
    done.extend(
        record.done(manner.kept_from).iter().map(|done| done_line(texts, done, manner.naming, manner.zone)),
    );
    let mut notes = SummarySectionLines::under(say!(texts, "context-items"));
    notes.extend(items.iter().map(|item| item_line(texts, item)));

    let size = |parts: [&SummarySectionLines; 4]| parts.iter().map(|part| part.len()).sum::<usize>();
    let of_kind = |facts: bool| {
        let is_meant = move |item: &SummaryItem| (item.kind == SummaryItemKind::Fact) == facts;
        items.iter().enumerate().filter(move |(_, item)| is_meant(item)).map(|(index, _)| index)
    };
    let mut left_out = Vec::new();
    let actions = record.done_count(manner.kept_from);
    let left_out_line = say!(texts, "context-items-left-out", count = items.len());
    let room = room.saturating_sub(say!(texts, "context-done-left-out", count = actions).len() + 1);
    let is_over = |plan: &SummarySectionLines,
                   open: &SummarySectionLines,
                   done: &SummarySectionLines,
                   notes: &SummarySectionLines| {
        size([plan, open, done, notes]) + left_out_line.len() + 1 > room
    };
    for fact in of_kind(true) {
        if is_over(&plan, &open, &done, &notes) {
            notes.leave_out(fact);
            left_out.push(fact);
        }
    }
    while is_over(&plan, &open, &done, &notes) && done.leave_out_first() {}
    for other in of_kind(false) {
        if is_over(&plan, &open, &done, &notes) {
            notes.leave_out(other);
            left_out.push(other);
        }
    }
    let mut fewer = 0_usize;
    while is_over(&plan, &open, &done, &notes) && open.leave_out_first() {
        fewer += 1;
    }
    let mut steps = 0_usize;
    while is_over(&plan, &open, &done, &notes) && plan.leave_out_last() {
        steps += 1;
    }
    if fewer > 0 {
        open.extend([say!(texts, "context-open-more", count = fewer)]);
    }
    if steps > 0 {
        plan.extend([say!(texts, "context-open-more", count = steps)]);
    }
    let earlier = actions.saturating_sub(done.count());
    if earlier > 0 {
        done.extend([say!(texts, "context-done-left-out", count = earlier)]);
    }
    let mut text = [plan, open, done, notes].map(SummarySectionLines::text).concat();
    if !left_out.is_empty() {
        text.push('\n');
        text.push_str(&say!(texts, "context-items-left-out", count = left_out.len()));
    }
    let texts_left_out = left_out.into_iter().filter_map(|index| items.get(index));
    // Open items and promises come first, in whatever order items left the prompt.
    let (facts, others): (Vec<_>, Vec<_>) =
        texts_left_out.partition(|item| item.kind == SummaryItemKind::Fact);
    (text, others.into_iter().chain(facts).map(|item| item.text.as_str()).collect())
}

/// Open work, newest last: children, tasks, actions of unknown outcome, and rejections.
fn open_lines(
    texts: &LocalizedTexts,
    record: &SummaryRecord,
    standing: &SummaryStateText,
    manner: &SummaryOptions<'_>,
) -> Vec<String> {
    let action = |command| section_lines::action(command, manner.naming);
    let rejected = record.rejected(manner.kept_from).iter().map(|rejected| match &rejected.reason {
        Some(reason) => {
            let (action, reason) = (action(&rejected.command), one_line(reason));
            say!(texts, "context-open-rejected-because", action = action, reason = reason)
        }
        None => say!(texts, "context-open-rejected", action = action(&rejected.command)),
    });
    let tasks = record.tasks.iter().map(|(task, command)| {
        say!(texts, "context-open-task", action = action(command), task = task.as_str())
    });
    let unknown = record
        .unknown
        .iter()
        .map(|(_, command)| say!(texts, "context-open-unknown", action = action(command)));
    let children = standing.open.iter().map(|line| format!("- {}", one_line(line)));
    rejected.chain(children).chain(tasks).chain(unknown).collect()
}

/// The identifiers that are nowhere else in the summary: those of omitted items first.
fn identifiers_part(
    texts: &LocalizedTexts,
    record: &SummaryRecord,
    left_out: &[&str],
    text: &str,
    kept_from: Option<u64>,
    most: usize,
) -> String {
    let title = format!("\n\n{}\n", say!(texts, "context-identifiers"));
    let mut there: HashSet<String> = identifiers(text).into_iter().collect();
    let of_notes: Vec<String> = left_out.iter().flat_map(|text| identifiers(text)).collect();
    let mut part = String::new();
    for identifier in of_notes.iter().map(String::as_str).chain(record.identifiers.in_order(kept_from)) {
        let separator = if part.is_empty() { "" } else { SEPARATOR };
        let size = title.len() + part.len() + separator.len() + identifier.len();
        // The line of a file has several identifiers in it.
        let is_repeated = identifier.starts_with('[') && text.contains(identifier);
        if size <= most && !is_repeated && there.insert(identifier.to_owned()) {
            part.push_str(separator);
            part.push_str(identifier);
        }
    }
    if part.is_empty() { part } else { format!("{title}{part}") }
}

/// Separates identifiers, which may contain spaces and commas.
const SEPARATOR: &str = " | ";
