//! One session or one call, as facts by their names.

use entracte_application::texts::Texts;
use entracte_application::use_cases::{CallView, Decided, Metrics, SessionView, Waiting};
use entracte_domain::time::{Millis, Timestamp};
use jiff::tz::TimeZone;

use super::standing::{placed, wakes};
use super::text::{block, cut, one_line};
use super::time::{clock, day};
use super::words;

/// Columns of parameters and answers in a table.
const CELL: usize = 48;

/// A session.
pub(crate) fn session(
    view: &SessionView,
    waiting: Option<&Waiting>,
    metrics: &Metrics,
    position: Option<usize>,
    texts: &Texts,
    zone: &TimeZone,
) -> Vec<String> {
    let facts = &view.facts;
    let usage = &facts.usage;
    let tokens = format!(
        "{} input, {} cache read, {} cache write, {} output",
        usage.input, usage.cache_read, usage.cache_write, usage.output
    );
    let mut rows = vec![
        ("session", facts.id.to_string()),
        ("name", facts.name.clone()),
        ("workspace", facts.workspace.to_string()),
        ("kind", facts.kind.word().to_owned()),
        ("standing", placed(view.standing.word(), position)),
        ("phase", view.phase.label().word().to_owned()),
        ("provider", format!("{}, {} ({})", facts.provider, facts.model, words::dialect(facts.dialect))),
        ("rounds", facts.counters.rounds_total.to_string()),
        ("calls", facts.counters.calls_total.to_string()),
        ("tokens", tokens),
        ("created", day(facts.created_at, zone)),
        ("last event", day(facts.last_event_at, zone)),
    ];
    rows.extend(crate::gate::words(&facts.gate).map(|only| ("commands", only)));
    rows.extend(went(metrics).map(|went| ("went", went)));
    rows.extend(view.woken().map(|woken| ("next", wakes(woken, texts, zone))));
    rows.extend(facts.end_reason.map(|reason| ("ended", reason.word().to_owned())));
    rows.extend(waiting.map(|waiting| ("waits for", asked(waiting))));
    rows.extend(facts.parked.as_ref().map(|why| ("parked", words::parked(why))));
    rows.extend(facts.unsettled.iter().map(|call| ("unknown", call.to_string())));
    rows.into_iter().map(|(name, value)| format!("{name:<10}  {}", one_line(&value))).collect()
}

/// How it went; none while nothing was asked for.
fn went(metrics: &Metrics) -> Option<String> {
    let rate = metrics.calls_per_hundred_rounds().filter(|_| metrics.calls > 0)?;
    let mut parts = vec![format!("{}.{:02} calls a round", rate / 100, rate % 100)];
    parts.extend(metrics.success_percent().map(|percent| format!("{percent} % of them well")));
    if metrics.timed > 0 {
        let mean = metrics.took.0 / i64::from(metrics.timed);
        parts.push(format!("{mean} ms each, {} ms the longest", metrics.longest.0));
    }
    let counts = [
        (metrics.relaunches, "relaunches"),
        (metrics.early_stops, "early stops"),
        (metrics.circuit_breaks, "closing calls"),
    ];
    parts.extend(counts.iter().filter(|(count, _)| *count > 0).map(|(count, of)| format!("{of} {count}")));
    Some(parts.join(", "))
}

fn asked(waiting: &Waiting) -> String {
    match waiting {
        Waiting::Validation(approvals) => {
            let ids: Vec<&str> = approvals.iter().map(|approval| approval.id.as_str()).collect();
            format!("leave for {}", ids.join(", "))
        }
        Waiting::Question(question) => format!("an answer: {}", question.text()),
    }
}

/// A call: id, state, attempts, duration, who decided, command, parameters, answer.
pub(crate) fn call(view: &CallView) -> Vec<String> {
    let command = view.call.effective();
    vec![
        view.call.id.to_string(),
        view.state.clone(),
        view.call.attempt.to_string(),
        took(view).map(duration).unwrap_or_default(),
        view.decided.as_ref().map(decided).unwrap_or_default(),
        command.name.clone(),
        cut(&one_line(&command.arguments.to_json()), CELL),
        cut(&one_line(view.content.as_deref().unwrap_or_default()), CELL),
    ]
}

/// All of one call, as facts by their names; its answer last and whole.
pub(crate) fn whole_call(view: &CallView, zone: &TimeZone) -> Vec<String> {
    let (call, result) = (&view.call, view.call.result());
    let command = call.effective();
    let reasons: Vec<&str> = call.reasons.iter().map(|reason| reason.level.word()).collect();
    let path = result.and_then(|result| result.path.clone());
    let edited = (command != &call.command).then(|| call.command.arguments.to_json());
    let mut rows = vec![
        ("call", call.id.to_string()),
        (
            "command",
            format!("{} ({}, {})", command.name, words::kind(call.kind), words::effect(call.effect())),
        ),
        ("state", view.state.clone()),
        ("parameters", command.arguments.to_json()),
    ];
    rows.extend(edited.map(|proposed| ("proposed", proposed)));
    rows.extend((!reasons.is_empty()).then(|| ("asks", reasons.join(", "))));
    rows.extend(view.decided.as_ref().map(|taken| ("decided", decided(taken))));
    rows.push(("tries", call.attempt.to_string()));
    rows.push(("asked", day_and_second(call.requested_at, zone)));
    rows.extend(call.first_started_at.map(|at| ("started", day_and_second(at, zone))));
    rows.extend(view.finished_at.map(|at| ("finished", day_and_second(at, zone))));
    rows.extend(took(view).map(|span| ("took", duration(span))));
    rows.extend(result.and_then(|result| result.code.clone()).map(|code| ("code", code)));
    rows.extend(path.map(|path| ("place", path)));
    let mut lines: Vec<String> =
        rows.into_iter().map(|(name, value)| format!("{name:<10}  {}", one_line(&value))).collect();
    lines.extend(view.content.as_deref().map(|content| format!("\n{}", block(content))));
    lines
}

/// How long a call took, from its first start to its result; none for what is planned, or has no result.
pub(crate) fn took(view: &CallView) -> Option<Millis> {
    Some(view.finished_at?.since(view.call.first_started_at?))
}

fn duration(span: Millis) -> String {
    match span.0 {
        ..1000 => format!("{} ms", span.0),
        _ => format!("{}.{} s", span.0 / 1000, span.0 % 1000 / 100),
    }
}

/// Who decided, and what; the rule where one gave leave or was made.
fn decided(decided: &Decided) -> String {
    let parts = [Some(decided.what), decided.by.as_deref(), decided.rule.as_deref()];
    one_line(&parts.into_iter().flatten().filter(|part| *part != "rule").collect::<Vec<_>>().join(" "))
}

fn day_and_second(at: Timestamp, zone: &TimeZone) -> String {
    format!("{}, {}", day(at, zone), clock(at, zone))
}
