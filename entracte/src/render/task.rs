//! Renders long tasks. Texts of the task server are behind a bar, because they are unverified.

use entracte_adapters_http::shapes::task::{CancelShape, TaskLineShape, TaskResultShape, TaskShape};
use entracte_application::texts::{LocalizedTexts, say};

use super::text::fold_text;
use super::time::{TimeFormatter, shown_instant};

/// The most characters of a task's text in a list.
const NEWS_WIDTH: usize = 48;

/// The row of a list.
pub(crate) fn line<'a>(
    task: &TaskLineShape,
    texts: &LocalizedTexts,
    dial: impl Into<TimeFormatter<'a>>,
) -> Vec<String> {
    vec![
        task.id.clone(),
        state(task, texts),
        task.command.clone(),
        task.session.clone(),
        at(&task.created_at, texts, dial.into()),
        fold_text(&news(task, texts), NEWS_WIDTH, texts),
    ]
}

/// Its id, command and state, for the sheet of its session.
pub(crate) fn short(task: &TaskLineShape, texts: &LocalizedTexts) -> String {
    format!("{}  {}  {}", task.id, task.command, state(task, texts))
}

/// The state of a task.
pub(crate) fn state(task: &TaskLineShape, texts: &LocalizedTexts) -> String {
    if task.asks {
        return say!(texts, "task-state-asks");
    }
    if task.cancelled && !task.is_final() {
        return say!(texts, "task-state-cancelling");
    }
    texts.render(&format!("task-state-{}", task.state), &[])
}

/// Its latest report: a question, the result or progress.
fn news(task: &TaskLineShape, texts: &LocalizedTexts) -> String {
    if let Some(question) = &task.question {
        return question.clone();
    }
    if task.late_result.is_some() {
        return say!(texts, "task-late");
    }
    match (&task.result, &task.progress) {
        (Some(result), _) => result.content.clone(),
        (None, Some(progress)) => progress.text.clone(),
        (None, None) => String::new(),
    }
}

/// An instant of the API, with the time until or since then.
fn at(at: &str, texts: &LocalizedTexts, dial: TimeFormatter<'_>) -> String {
    shown_instant(at, |at| dial.with_relative_time(at, texts))
}

/// The sheet of a task.
pub(crate) fn sheet<'a>(
    shape: &TaskShape,
    texts: &LocalizedTexts,
    dial: impl Into<TimeFormatter<'a>>,
) -> Vec<String> {
    let (task, dial) = (&shape.line, dial.into());
    let at = |text: &str| at(text, texts, dial);
    let mut lines = vec![
        format!("{}  {}", task.id, state(task, texts)),
        say!(texts, "task-of", command = &task.command, session = &task.session, call = &task.call),
        say!(texts, "task-made", at = at(&task.created_at)),
    ];
    let mut more = |line: String| lines.push(line);
    match &task.dispatched_at {
        Some(taken) => more(say!(texts, "task-taken", at = at(taken))),
        None if task.is_final() => {}
        None => more(say!(texts, "task-not-taken")),
    }
    if let Some(deadline) = task.deadline.as_ref().filter(|_| !task.is_final()) {
        more(match task.extra_time {
            true => say!(texts, "task-extra-time", at = at(deadline)),
            false => say!(texts, "task-deadline", at = at(deadline)),
        });
    }
    if let Some(poll) = &task.next_poll {
        more(say!(texts, "task-poll", at = at(poll)));
    }
    if let Some(progress) = &task.progress {
        more(quoted_block(&say!(texts, "task-progress", at = at(&progress.at)), &progress.text));
    }
    if let Some(question) = &task.question {
        more(quoted_block(&say!(texts, "task-asks", task = &task.id), question));
    }
    if let Some(cancel) = &task.cancel {
        more(cancelled(cancel, texts, dial));
    }
    if let Some(result) = &task.result {
        more(ended(result, "task-ended", texts, dial));
    }
    if let Some(result) = &task.late_result {
        more(ended(result, "task-ended-late", texts, dial));
    }
    if task.contradicted > 0 {
        more(say!(texts, "task-contradicted", count = task.contradicted));
    }
    if task.is_final() && !task.delivered {
        more(say!(texts, "task-undelivered"));
    }
    for row in &shape.arrivals {
        let verdict = texts.render(&format!("task-verdict-{}", row.verdict), &[]);
        more(say!(texts, "task-told", at = at(&row.at), id = &row.webhook_id, verdict = verdict));
    }
    lines
}

/// A heading, and the server's text behind a bar.
fn quoted_block(heading: &str, text: &str) -> String {
    let mut lines = vec![heading.to_owned()];
    lines.extend(text.lines().map(|line| format!("  │ {line}")));
    lines.join("\n")
}

fn ended(result: &TaskResultShape, key: &str, texts: &LocalizedTexts, dial: TimeFormatter<'_>) -> String {
    let outcome = texts.render(&format!("task-state-{}", result.outcome), &[]);
    quoted_block(&say!(texts, key, outcome = outcome, at = at(&result.at, texts, dial)), &result.content)
}

fn cancelled(cancel: &CancelShape, texts: &LocalizedTexts, dial: TimeFormatter<'_>) -> String {
    let why = say!(
        texts,
        "task-cancel-why",
        why = &*cancel.why,
        who = cancel.author.as_deref().unwrap_or_default(),
        at = at(&cancel.at, texts, dial)
    );
    let heard = match (cancel.confirmed, cancel.sent) {
        (true, _) => "confirmed",
        (false, true) => "unconfirmed",
        (false, false) => "unsent",
    };
    say!(texts, "task-cancel", why = why, heard = heard)
}
