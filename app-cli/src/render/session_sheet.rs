//! Renders one session or one call as named facts.

use entracte_adapters_http::shapes::cost::UsageShape;
use entracte_application::runtime::PrefixOverrun;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{
    CallDecision, CallView, ContextUsage, PendingDecision, QueuePosition, SessionMetrics, SessionOrigin,
    SessionView,
};
use entracte_domain::session::WakeReason;
use entracte_domain::task::Task;
use entracte_domain::time::{Millis, Timestamp};
use jiff::tz::TimeZone;

use super::standing::{messages_wait, standing_with_position, wake_text};
use super::stored_words;
use super::text::{block, cut, one_line};
use super::time::{TimeFormatter, day, moment};
use crate::next_command_hints::with_failure_hint;

/// The columns of parameters and answers in a table.
const CELL: usize = 48;

/// The context of a session's sheet: slot, wake-up and tasks.
pub(crate) struct SessionSheetContext<'a> {
    /// Its position in the slot queue.
    pub(crate) place: Option<&'a QueuePosition>,
    /// The people who have it open.
    pub(crate) open_by: &'a [&'a str],
    /// The next wake-up, and its reason.
    pub(crate) woken: Option<(Timestamp, WakeReason)>,
    /// Its long tasks, unfinished ones first.
    pub(crate) tasks: &'a [Task],
}

/// What was measured of a session: its calls and usage, and the size of its prompt.
#[derive(Clone, Copy)]
pub(crate) struct SessionMeasurements<'a> {
    /// Its calls, their durations and its usage.
    pub(crate) metrics: &'a SessionMetrics,
    /// How much of its token budget its prompt uses.
    pub(crate) context: &'a ContextUsage,
}

/// The sheet of a session.
pub(crate) fn session<'a>(
    view: &SessionView,
    waiting: Option<&PendingDecision>,
    SessionMeasurements { metrics, context }: SessionMeasurements<'_>,
    slot: &SessionSheetContext<'_>,
    terms: &str,
    texts: &LocalizedTexts,
    dial: impl Into<TimeFormatter<'a>>,
) -> Vec<String> {
    let dial = dial.into();
    let (facts, zone) = (&view.facts, dial.zone);
    // The original's usage is shown with the original.
    let usage = metrics.used_since.as_ref().unwrap_or(&facts.usage);
    let tokens = say!(
        texts,
        "sheet-tokens-count",
        input = usage.input,
        read = usage.cache_read,
        write = usage.cache_write,
        output = usage.output
    );
    let mut rows = vec![
        ("session", facts.id.to_string()),
        ("name", facts.name.clone()),
        ("workspace", facts.workspace.to_string()),
        ("kind", stored_words::word("session", facts.kind.word(), texts)),
        (
            "standing",
            standing_with_position(view.standing.word(), slot.place.map(|place| place.position), texts),
        ),
        ("phase", view.phase.label().word().to_owned()),
        ("provider", format!("{}, {} ({})", facts.provider, facts.model, facts.dialect.word())),
        ("rounds", facts.counters.rounds_total.to_string()),
        ("calls", facts.counters.calls_total.to_string()),
        ("context", fullness(context, texts)),
        ("tokens", tokens),
        ("cost", stored_words::cost(&UsageShape::from(*usage), texts)),
        ("created", day(facts.created_at, zone)),
        ("last-event", day(facts.last_event_at, zone)),
    ];
    rows.extend(crate::command_restriction::words(&facts.restriction).map(|only| ("commands", only)));
    rows.extend(context.overweight.as_ref().map(|heavy| ("context-heavy", heavy_words(heavy, texts))));
    rows.extend(facts.mode.map(|mode| ("mode", super::plan::mode_words(mode, texts))));
    if let Some(plan) = &facts.plan {
        rows.push(("plan", super::plan::head(plan, texts)));
        rows.extend(plan.steps.iter().map(|step| ("step", super::plan::step(step, texts))));
    }
    if let Some(copied) = &metrics.copied {
        rows.push(("copy-of", copy_of(copied, texts)));
        rows.push(("terms", terms.to_owned()));
    }
    rows.extend(metrics_text(metrics, texts).map(|went| ("progress", went)));
    rows.extend(slot.woken.map(|(at, reason)| ("next", wake_text(at, reason, texts, dial))));
    rows.extend(view.phase.end_reason().map(|reason| ("ended", reason.word().to_owned())));
    rows.extend((!slot.open_by.is_empty()).then(|| ("open-by", slot.open_by.join(", "))));
    rows.extend(slot.place.map(|place| ("slot", super::slot_place::place(place, texts, dial))));
    rows.extend(waiting.map(|waiting| ("waits-for", waiting_text(waiting, texts))));
    rows.extend(messages_wait(view, texts).map(|says| ("messages", says)));
    rows.extend(view.phase.park_reason().map(|why| ("parked", stored_words::parked_reason(why, texts))));
    rows.extend(facts.unsettled.iter().map(|call| ("unknown", call.to_string())));
    rows.extend(slot.tasks.iter().map(|task| ("task", super::task::short(&task.into(), texts))));
    drawn(rows, texts)
}

/// The always-sent data that exceeds its share, and the remedy.
pub(crate) fn heavy_words(heavy: &PrefixOverrun, texts: &LocalizedTexts) -> String {
    format!("{}. {}", heavy.describe(texts), heavy.describe_fix(texts))
}

/// The size of its prompt.
pub(crate) fn fullness(full: &ContextUsage, texts: &LocalizedTexts) -> String {
    let size = full.size.tokens.to_string();
    let (Some(budget), Some(window), Some(percent)) = (full.budget, full.window, full.percent()) else {
        return say!(texts, "sheet-context-size", size = size);
    };
    let told = texts.render(&format!("sheet-window-{}", window.told.word()), &[]);
    say!(
        texts,
        "sheet-context-full",
        size = size,
        budget = budget.to_string(),
        percent = percent,
        window = window.tokens.to_string(),
        told = told
    )
}

/// A line for each fact, with its name.
fn drawn(rows: Vec<(&str, String)>, texts: &LocalizedTexts) -> Vec<String> {
    let named =
        |(name, value): (&str, String)| (texts.render(&format!("sheet-{name}"), &[]), one_line(&value));
    let rows: Vec<(String, String)> = rows.into_iter().map(named).collect();
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default().max(NAMES);
    rows.into_iter().map(|(name, value)| format!("{name:<width$}  {value}")).collect()
}

/// The minimum width of the names.
const NAMES: usize = 10;

/// The session it was copied from, and how that had ended.
pub(crate) fn copy_of(copied: &SessionOrigin, texts: &LocalizedTexts) -> String {
    let session = copied.session.as_str();
    match copied.ended {
        Some(reason) => say!(texts, "copy-of-ended", session = session, reason = reason.word()),
        None => say!(texts, "copy-of", session = session),
    }
}

/// Metrics of the session; `None` while it had no request.
fn metrics_text(metrics: &SessionMetrics, texts: &LocalizedTexts) -> Option<String> {
    let rate = metrics.calls_per_hundred_rounds().filter(|_| metrics.calls > 0)?;
    let mut parts = vec![say!(texts, "sheet-rate", rate = format!("{}.{:02}", rate / 100, rate % 100))];
    parts.extend(metrics.success_percent().map(|percent| say!(texts, "sheet-succeeded", percent = percent)));
    if metrics.timed > 0 {
        let mean = metrics.took.0 / i64::from(metrics.timed);
        parts.push(say!(texts, "sheet-times", mean = mean, longest = metrics.longest.0));
    }
    let counts = [
        (metrics.relaunches, "sheet-relaunches"),
        (metrics.early_stops, "sheet-early-stops"),
        (metrics.circuit_breaks, "sheet-closing-calls"),
    ];
    parts.extend(
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, of)| say!(texts, of, count = *count)),
    );
    Some(parts.join(", "))
}

fn waiting_text(waiting: &PendingDecision, texts: &LocalizedTexts) -> String {
    match waiting {
        PendingDecision::Validation(approvals) => {
            let ids: Vec<&str> = approvals.iter().map(|approval| approval.id.as_str()).collect();
            say!(texts, "sheet-approval-of", ids = ids.join(", "))
        }
        PendingDecision::Question(question) => say!(texts, "sheet-answer-to", question = question.text()),
    }
}

/// A row of a call: id, state, attempts, duration, decision, command, parameters, answer.
pub(crate) fn call(view: &CallView, texts: &LocalizedTexts) -> Vec<String> {
    let command = view.call.effective_command();
    vec![
        view.call.id.to_string(),
        stored_words::word("state", &view.state, texts),
        view.call.attempt.to_string(),
        view.duration().map(duration).unwrap_or_default(),
        view.decided.as_ref().map(|taken| decision_text(taken, texts)).unwrap_or_default(),
        command.name.clone(),
        cut(&one_line(&command.arguments.to_json()), CELL),
        cut(&one_line(view.content.as_deref().unwrap_or_default()), CELL),
    ]
}

/// The sheet of a call: named facts, with the full answer last.
pub(crate) fn whole_call(view: &CallView, texts: &LocalizedTexts, zone: &TimeZone) -> Vec<String> {
    let (call, result) = (&view.call, view.call.result());
    let command = call.effective_command();
    let level = |reason: &entracte_domain::validation::ApprovalReason| {
        stored_words::word("level", reason.level.word(), texts)
    };
    let reasons: Vec<String> = call.reasons.iter().map(level).collect();
    let path = result.and_then(|result| result.path.clone());
    let edited = (command != &call.command).then(|| call.command.arguments.to_json());
    let mut rows = vec![
        ("call", call.id.to_string()),
        (
            "command",
            format!(
                "{} ({}, {})",
                command.name,
                stored_words::word("kind", call.kind.word(), texts),
                stored_words::word("effect", call.effect_class().word(), texts)
            ),
        ),
        ("state", stored_words::word("state", &view.state, texts)),
        ("parameters", command.arguments.to_json()),
    ];
    rows.extend(edited.map(|proposed| ("proposed", proposed)));
    rows.extend((!reasons.is_empty()).then(|| ("asks", reasons.join(", "))));
    rows.extend(view.decided.as_ref().map(|taken| ("decided", decision_text(taken, texts))));
    let comments = view.decided.iter().flat_map(|decided| &decided.comments);
    rows.extend(comments.map(|comment| {
        let said = say!(texts, "journal-by", author = &comment.by, what = &comment.text);
        ("comment", format!("{} {said}", moment(comment.at, zone)))
    }));
    rows.push(("tries", call.attempt.to_string()));
    rows.push(("asked", moment(call.requested_at, zone)));
    rows.extend(call.first_started_at.map(|at| ("started", moment(at, zone))));
    rows.extend(view.finished_at.map(|at| ("finished", moment(at, zone))));
    rows.extend(view.duration().map(|span| ("took", duration(span))));
    let code = result.and_then(|result| result.code.clone());
    let content =
        view.content.clone().map(|content| with_failure_hint(code.as_deref(), &command.name, content, texts));
    rows.extend(code.map(|code| ("code", code)));
    rows.extend(path.map(|path| ("place", path)));
    let mut lines = drawn(rows, texts);
    lines.extend(content.map(|content| format!("\n{}", block(&content))));
    lines
}

fn duration(span: Millis) -> String {
    match span.0 {
        ..1000 => format!("{} ms", span.0),
        _ => format!("{}.{} s", span.0 / 1000, span.0 % 1000 / 100),
    }
}

/// The decision and its author; with the rule that approved it, or that it created.
fn decision_text(decided: &CallDecision, texts: &LocalizedTexts) -> String {
    let what = stored_words::word("decided", decided.what, texts);
    let parts = [Some(what.as_str()), decided.by.as_deref(), decided.rule.as_deref()];
    one_line(&parts.into_iter().flatten().filter(|part| *part != "rule").collect::<Vec<_>>().join(" "))
}
