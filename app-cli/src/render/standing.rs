//! Renders the standing of sessions: working, waiting or resting, and until when.

use entracte_application::ports::SessionRow;
use entracte_application::rule_book::RuleBook;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::SessionView;
use entracte_domain::session::WakeReason;
use entracte_domain::time::Timestamp;

use super::stored_words;
use super::time::TimeFormatter;

/// The standing of a listed session, with its wait for a person or its position in the slot queue.
pub(crate) fn standing(row: &SessionRow, position: Option<usize>, texts: &LocalizedTexts) -> String {
    if row.waiting {
        say!(texts, "standing-waits")
    } else {
        standing_with_position(row.standing.word(), position, texts)
    }
}

/// A standing with its position in the slot queue.
pub(crate) fn standing_with_position(
    standing: &str,
    position: Option<usize>,
    texts: &LocalizedTexts,
) -> String {
    let standing = stored_words::word("standing", standing, texts);
    position.map_or_else(|| standing.clone(), |position| format!("{standing} {position}"))
}

/// The next wake-up of a listed session with its reason, and its messages that wait for the next round; empty without
/// either.
pub(crate) fn next_command<'a>(
    row: &SessionRow,
    rules: &RuleBook,
    texts: &LocalizedTexts,
    dial: impl Into<TimeFormatter<'a>>,
) -> String {
    let Ok(view) = SessionView::from_row(row) else { return String::new() };
    let woken = view.next_wake(rules).map(|(at, reason)| wake_text(at, reason, texts, dial));
    let parts: Vec<String> = woken.into_iter().chain(messages_wait(&view, texts)).collect();
    parts.join(", ")
}

/// A note that messages wait for the next round; `None` if there are none.
pub(crate) fn messages_wait(view: &SessionView, texts: &LocalizedTexts) -> Option<String> {
    let count = waiting_messages(view);
    (count > 0).then(|| say!(texts, "standing-messages-wait", count = count))
}

/// The number of messages that no round has answered: those sent during a round, and the requests of a replaced chat.
pub(crate) fn waiting_messages(view: &SessionView) -> usize {
    let waiting = view.facts.queue.len() + usize::from(view.facts.owes_round);
    if view.phase.end_reason().is_some() { 0 } else { waiting }
}

/// The next wake-up of a session with its reason.
pub(crate) fn wake_text<'a>(
    at: Timestamp,
    reason: WakeReason,
    texts: &LocalizedTexts,
    dial: impl Into<TimeFormatter<'a>>,
) -> String {
    let at = dial.into().with_relative_time(at, texts);
    match reason {
        WakeReason::ApprovalExpires => say!(texts, "wake-approval-expires", at = at),
        WakeReason::QuestionExpires => say!(texts, "wake-question-expires", at = at),
        WakeReason::Confirms => say!(texts, "wake-confirms", at = at),
        WakeReason::Retries => say!(texts, "wake-retries", at = at),
        WakeReason::CallRetries => say!(texts, "wake-call-retries", at = at),
        WakeReason::Closes => say!(texts, "wake-closes", at = at),
        WakeReason::RunEnds => say!(texts, "wake-run-ends", at = at),
        WakeReason::AgentRests => say!(texts, "wake-agent-rests", at = at),
        WakeReason::Watchdog => say!(texts, "wake-watchdog", at = at),
    }
}
