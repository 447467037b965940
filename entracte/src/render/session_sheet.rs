//! Renders one session or one call as named facts.

use entracte_adapters_http::shapes::call::{CallShape, PolicyAnswerShape};
use entracte_adapters_http::shapes::session::{
    ContextShape, EditableShape, MetricsShape, SessionOriginShape, SessionPoliciesShape, SessionShape,
};
use entracte_application::json_value::to_text;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::time::Millis;
use jiff::tz::TimeZone;

use super::standing::{messages_wait, standing_with_position, wake_text};
use super::stored_words;
use super::text::{block, cut, one_line};
use super::time::{TimeFormatter, day, moment, shown_instant};
use crate::command_restriction::pattern_words;
use crate::next_command_hints::with_failure_hint;

/// The columns of parameters and answers in a table.
const CELL: usize = 48;

/// The sheet of a session, which has its details.
pub(crate) fn session<'a>(
    session: &SessionShape,
    texts: &LocalizedTexts,
    dial: impl Into<TimeFormatter<'a>>,
) -> Vec<String> {
    let dial = dial.into();
    let metrics = session.metrics.as_ref();
    let mut rows = facts(session, texts, dial.zone);
    rows.extend(pattern_words(session.editable.commands.as_deref()).map(|only| ("commands", only)));
    rows.extend(
        metrics
            .and_then(|metrics| metrics.context.prefix_advice.clone())
            .map(|heavy| ("context-heavy", heavy)),
    );
    rows.extend(session.editable.mode.as_deref().map(|mode| ("mode", super::plan::mode_text(mode, texts))));
    if let Some(plan) = &session.plan {
        rows.push(("plan", super::plan::head(plan, texts)));
        rows.extend(plan.steps.iter().map(|step| ("step", super::plan::step(step, texts))));
    }
    if let Some(copied) = metrics.and_then(|metrics| metrics.copied.as_ref()) {
        rows.push(("copy-of", copy_of(copied, texts)));
        let (policies, editable) = (session.policies.as_ref(), &session.editable);
        rows.extend(policies.map(|policies| ("terms", terms(policies, editable, texts))));
    }
    rows.extend(metrics.and_then(|metrics| metrics_text(metrics, texts)).map(|went| ("progress", went)));
    let woken = session.wake_at.as_deref().zip(session.wake_reason.as_deref());
    rows.extend(woken.map(|(at, reason)| ("next", wake_text(at, reason, texts, dial))));
    rows.extend(session.end_reason.as_ref().map(|reason| ("ended", reason.to_string())));
    rows.extend((!session.open_by.is_empty()).then(|| ("open-by", session.open_by.join(", "))));
    let slot = session.slot.as_ref();
    rows.extend(slot.map(|slot| ("slot", super::slot_place::place(&session.id, slot, texts, dial))));
    rows.extend(waiting_text(session, texts).map(|waits| ("waits-for", waits)));
    rows.extend(messages_wait(session.waiting_messages(), texts).map(|says| ("messages", says)));
    rows.extend(session.parked.as_deref().map(|why| ("parked", parked_text(session, why, texts))));
    rows.extend(session.unsettled.iter().map(|call| ("unknown", call.clone())));
    let tasks = session.tasks.iter().flatten();
    rows.extend(tasks.map(|task| ("task", super::task::short(task, texts))));
    drawn(rows, texts)
}

/// What every session has.
fn facts(session: &SessionShape, texts: &LocalizedTexts, zone: &TimeZone) -> Vec<(&'static str, String)> {
    // The original's usage is shown with the original.
    let metrics = session.metrics.as_ref();
    let usage = metrics.and_then(|metrics| metrics.used_since_copy.as_ref()).unwrap_or(&session.usage);
    let tokens = say!(
        texts,
        "sheet-tokens-count",
        input = usage.input,
        read = usage.cache_read,
        write = usage.cache_write,
        output = usage.output
    );
    let editable = &session.editable;
    let shown = |at: &str| shown_instant(at, |at| day(at, zone));
    let mut rows = vec![
        ("session", session.id.clone()),
        ("name", session.name.clone()),
        ("workspace", session.workspace.clone()),
        ("kind", stored_words::word("session", &session.kind, texts)),
        ("standing", standing_with_position(&session.standing, session.position, texts)),
        ("phase", session.phase.to_string()),
        ("provider", format!("{}, {} ({})", editable.provider, editable.model, editable.dialect)),
        ("rounds", session.rounds.to_string()),
        ("calls", session.calls.to_string()),
    ];
    rows.extend(metrics.map(|metrics| ("context", fullness(&metrics.context, texts))));
    rows.extend([("tokens", tokens), ("cost", stored_words::cost(usage, texts))]);
    // A copy shows what was used since it was made.
    let has_agents =
        metrics.is_none_or(|metrics| metrics.copied.is_none()) && session.usage != session.own_usage;
    rows.extend(has_agents.then(|| ("own-cost", stored_words::cost(&session.own_usage, texts))));
    let reserved = metrics.and_then(|metrics| metrics.reservations.as_ref());
    rows.extend(reserved.map(|reserved| stored_words::reservations(reserved, texts)).unwrap_or_default());
    rows.extend([("created", shown(&session.created_at)), ("last-event", shown(&session.last_activity))]);
    rows
}

/// The policies of a session: the workspace's, or the session's own where they are stricter.
pub(crate) fn terms(
    policies: &SessionPoliciesShape,
    editable: &EditableShape,
    texts: &LocalizedTexts,
) -> String {
    let approval = if editable.require_validation { "copy-approval-all" } else { "copy-approval" };
    let limits = policies.limits.as_deref().map(str::to_owned);
    say!(
        texts,
        "copy-terms",
        unattended = &*policies.unattended,
        limits = limits.unwrap_or_else(|| say!(texts, "copy-limits")),
        completion = &*policies.completion,
        approval = texts.render(approval, &[]),
        commands =
            pattern_words(editable.commands.as_deref()).unwrap_or_else(|| say!(texts, "copy-commands"))
    )
}

fn parked_text(session: &SessionShape, why: &str, texts: &LocalizedTexts) -> String {
    let key = format!("parked-{why}");
    match &session.parked_text {
        Some(text) => text.clone(),
        None if texts.has(&key) => texts.render(&key, &[]),
        None => why.to_owned(),
    }
}

/// The size of its prompt.
pub(crate) fn fullness(full: &ContextShape, texts: &LocalizedTexts) -> String {
    let size = full.size.to_string();
    let (Some(budget), Some(window), Some(percent)) = (full.budget, full.window, full.percent()) else {
        return say!(texts, "sheet-context-size", size = size);
    };
    let told = full.window_told.as_deref().unwrap_or_default();
    let told = texts.render(&format!("sheet-window-{told}"), &[]);
    say!(
        texts,
        "sheet-context-full",
        size = size,
        budget = budget.to_string(),
        percent = percent,
        window = window.to_string(),
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
pub(crate) fn copy_of(copied: &SessionOriginShape, texts: &LocalizedTexts) -> String {
    let session = copied.session.as_str();
    match copied.ended.as_deref() {
        Some(reason) => say!(texts, "copy-of-ended", session = session, reason = reason),
        None => say!(texts, "copy-of", session = session),
    }
}

/// Metrics of the session; `None` while it had no request.
fn metrics_text(metrics: &MetricsShape, texts: &LocalizedTexts) -> Option<String> {
    let rate = metrics.calls_per_hundred_rounds.filter(|_| metrics.calls > 0)?;
    let mut parts = vec![say!(texts, "sheet-rate", rate = format!("{}.{:02}", rate / 100, rate % 100))];
    parts.extend(metrics.success_percent.map(|percent| say!(texts, "sheet-succeeded", percent = percent)));
    if metrics.timed > 0 {
        let mean = metrics.took_ms / i64::from(metrics.timed);
        parts.push(say!(texts, "sheet-times", mean = mean, longest = metrics.longest_ms));
    }
    let counts = [
        (metrics.unknown, "sheet-outcomes-unknown"),
        (metrics.relaunches, "sheet-relaunches"),
        (metrics.early_stops, "sheet-early-stops"),
        (metrics.circuit_breaks, "sheet-closing-calls"),
    ];
    parts.extend(
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, of)| say!(texts, of, count = *count)),
    );
    Some(parts.join(", "))
}

/// What it asks of a person; `None` if it asks nothing.
fn waiting_text(session: &SessionShape, texts: &LocalizedTexts) -> Option<String> {
    if let Some(question) = &session.question {
        return Some(say!(texts, "sheet-answer-to", question = question.text.as_str()));
    }
    let ids = session.approvals.join(", ");
    (!ids.is_empty()).then(|| say!(texts, "sheet-approval-of", ids = ids))
}

/// A row of a call: id, state, attempts, duration, decision, command, parameters, answer.
pub(crate) fn call(call: &CallShape, texts: &LocalizedTexts) -> Vec<String> {
    vec![
        call.id.clone(),
        stored_words::word("state", &call.state, texts),
        call.attempt.to_string(),
        call.duration_ms.map(|span| duration(Millis(span))).unwrap_or_default(),
        decision_text(call, texts).unwrap_or_default(),
        call.command.clone(),
        cut(&one_line(&call.arguments_text), CELL),
        cut(&one_line(call.content.as_deref().unwrap_or_default()), CELL),
    ]
}

/// The sheet of a call: named facts, with the full answer last.
pub(crate) fn whole_call(call: &CallShape, texts: &LocalizedTexts, zone: &TimeZone) -> Vec<String> {
    let word = |kind: &str, word: &str| stored_words::word(kind, word, texts);
    let (kind, effect) = (word("kind", &call.kind), word("effect", &call.effect));
    let shown = |at: &String| shown_instant(at, |at| moment(at, zone));
    let mut rows = vec![
        ("call", call.id.clone()),
        ("command", format!("{} ({kind}, {effect})", call.command)),
        ("state", word("state", &call.state)),
        ("parameters", call.arguments_text.clone()),
    ];
    rows.extend(call.proposed.as_ref().map(|proposed| ("proposed", to_text(&proposed.0))));
    let levels: Vec<String> = call.reasons.iter().map(|level| word("level", level)).collect();
    rows.extend((!levels.is_empty()).then(|| ("asks", levels.join(", "))));
    rows.extend(call.policy.as_ref().map(|policy| ("policy", policy_text(policy, texts))));
    rows.extend(call.awaits_policy.then(|| ("policy", word("policy", "pending"))));
    rows.extend(call.approvals.iter().map(|given| {
        let said = say!(texts, "sheet-approved-by", person = &given.by, at = shown(&given.at));
        ("approval", said)
    }));
    rows.extend(decision_text(call, texts).map(|decided| ("decided", decided)));
    rows.extend(call.comments.iter().map(|comment| {
        let said = say!(texts, "journal-by", author = &comment.by, what = &comment.text);
        ("comment", format!("{} {said}", shown(&comment.at)))
    }));
    rows.push(("tries", call.attempt.to_string()));
    rows.push(("asked", shown(&call.requested_at)));
    rows.extend(call.started_at.as_ref().map(|at| ("started", shown(at))));
    rows.extend(call.finished_at.as_ref().map(|at| ("finished", shown(at))));
    rows.extend(call.duration_ms.map(|span| ("took", duration(Millis(span)))));
    rows.extend(call.code.clone().map(|code| ("code", code)));
    rows.extend(call.path.clone().map(|path| ("place", path)));
    let (code, content) = (call.code.as_deref(), call.content.clone());
    let content = content.map(|content| with_failure_hint(code, &call.command, content, texts));
    let mut lines = drawn(rows, texts);
    lines.extend(content.map(|content| format!("\n{}", block(&content))));
    lines
}

/// The answer of the policy hook, with its version and its reason.
fn policy_text(policy: &PolicyAnswerShape, texts: &LocalizedTexts) -> String {
    let decision = stored_words::word("policy", &policy.decision, texts);
    let decision = match &policy.version {
        Some(version) => say!(texts, "journal-policy-version", what = decision, version = version),
        None => decision,
    };
    match &policy.reason {
        Some(reason) => say!(texts, "journal-noted", what = decision, note = reason),
        None => decision,
    }
}

fn duration(span: Millis) -> String {
    match span.0 {
        ..1000 => format!("{} ms", span.0),
        _ => format!("{}.{} s", span.0 / 1000, span.0 % 1000 / 100),
    }
}

/// The decision and its author; with the rule that approved it, or that it created. `None` without a decision.
fn decision_text(call: &CallShape, texts: &LocalizedTexts) -> Option<String> {
    let what = stored_words::word("decided", call.decision.as_deref()?, texts);
    let parts = [Some(what.as_str()), call.decided_by.as_deref(), call.rule.as_deref()];
    Some(one_line(&parts.into_iter().flatten().filter(|part| *part != "rule").collect::<Vec<_>>().join(" ")))
}
