//! Renders long tasks. Texts of the task server are behind a bar, because they are unverified.

use entracte_application::ports::TaskArrivalRow;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::task::{Task, TaskCancellation, TaskResult};

use super::text::fold_text;
use super::time::TimeFormatter;

/// The most characters of a task's text in a list.
const NEWS_WIDTH: usize = 48;

/// The row of a list.
pub(crate) fn line<'a>(
    task: &Task,
    texts: &LocalizedTexts,
    dial: impl Into<TimeFormatter<'a>>,
) -> Vec<String> {
    vec![
        task.id.to_string(),
        state(task, texts),
        task.command.clone(),
        task.session.to_string(),
        dial.into().with_relative_time(task.created_at, texts),
        fold_text(&news(task, texts), NEWS_WIDTH, texts),
    ]
}

/// Its id, command and state, for the sheet of its session.
pub(crate) fn short(task: &Task, texts: &LocalizedTexts) -> String {
    format!("{}  {}  {}", task.id, task.command, state(task, texts))
}

/// The state of a task.
pub(crate) fn state(task: &Task, texts: &LocalizedTexts) -> String {
    if task.is_asking() {
        return say!(texts, "task-state-asks");
    }
    if task.cancel.is_some() && !task.state.is_final() {
        return say!(texts, "task-state-cancelling");
    }
    texts.render(&format!("task-state-{}", task.state.word()), &[])
}

/// Its latest report: a question, the result or progress.
fn news(task: &Task, texts: &LocalizedTexts) -> String {
    if let Some(question) = task.question.as_ref().filter(|_| task.is_asking()) {
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

/// The sheet of a task.
pub(crate) fn sheet<'a>(
    task: &Task,
    arrivals: &[TaskArrivalRow],
    texts: &LocalizedTexts,
    dial: impl Into<TimeFormatter<'a>>,
) -> Vec<String> {
    let dial = dial.into();
    let at = |at| dial.with_relative_time(at, texts);
    let mut lines = vec![
        format!("{}  {}", task.id, state(task, texts)),
        say!(
            texts,
            "task-of",
            command = &task.command,
            session = task.session.as_str(),
            call = task.call.as_str()
        ),
        say!(texts, "task-made", at = at(task.created_at)),
    ];
    let mut more = |line: String| lines.push(line);
    match task.dispatched_at {
        Some(taken) => more(say!(texts, "task-taken", at = at(taken))),
        None if task.state.is_final() => {}
        None => more(say!(texts, "task-not-taken")),
    }
    if let Some(deadline) = task.deadline.filter(|_| !task.state.is_final()) {
        more(say!(texts, "task-deadline", at = at(deadline.due_at)));
    }
    if let Some(poll) = task.poll.filter(|_| !task.state.is_final()) {
        more(say!(texts, "task-poll", at = at(poll.next.due_at)));
    }
    if let Some(progress) = &task.progress {
        more(quoted_block(&say!(texts, "task-progress", at = at(progress.at)), &progress.text));
    }
    if let Some(question) = task.question.as_ref().filter(|_| task.is_asking()) {
        more(quoted_block(&say!(texts, "task-asks", task = task.id.as_str()), question));
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
    if task.state.is_final() && !task.is_delivered {
        more(say!(texts, "task-undelivered"));
    }
    for row in arrivals {
        let verdict = texts.render(&format!("task-verdict-{}", row.verdict), &[]);
        more(say!(texts, "task-told", at = at(row.at), id = &row.webhook_id, verdict = verdict));
    }
    lines
}

/// A heading, and the server's text behind a bar.
fn quoted_block(heading: &str, text: &str) -> String {
    let mut lines = vec![heading.to_owned()];
    lines.extend(text.lines().map(|line| format!("  │ {line}")));
    lines.join("\n")
}

fn ended(result: &TaskResult, key: &str, texts: &LocalizedTexts, dial: TimeFormatter<'_>) -> String {
    let outcome = texts.render(&format!("task-state-{}", result.outcome.word()), &[]);
    quoted_block(
        &say!(texts, key, outcome = outcome, at = dial.with_relative_time(result.at, texts)),
        &result.content,
    )
}

fn cancelled(cancel: &TaskCancellation, texts: &LocalizedTexts, dial: TimeFormatter<'_>) -> String {
    let at = dial.with_relative_time(cancel.at, texts);
    let why = say!(
        texts,
        "task-cancel-why",
        why = cancel.why.word(),
        who = cancel.author.as_deref().unwrap_or_default(),
        at = at
    );
    let heard = match (cancel.is_confirmed, cancel.is_sent) {
        (true, _) => "confirmed",
        (false, true) => "unconfirmed",
        (false, false) => "unsent",
    };
    say!(texts, "task-cancel", why = why, heard = heard)
}
