//! Renders automations and their occurrences as text.

use std::borrow::Cow;

use entracte_adapters_http::shapes::automation::{
    AutomationShape, BlockingRunShape, DamagedAutomationShape, OccurrenceShape, TriggerShape,
};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::time::Millis;
use jiff::tz::TimeZone;

use super::stored_words;
use super::text::one_line;
use super::time::{TimeFormatter, day, exact_duration_text, interval_text, moment, shown_instant};

/// A row of the list: id, name, state, trigger, next and last run.
pub(crate) fn row<'a>(
    automation: &AutomationShape,
    texts: &LocalizedTexts,
    dial: impl Into<TimeFormatter<'a>>,
) -> Vec<String> {
    let dial = dial.into();
    let zone = own_zone(&automation.trigger, dial.zone);
    let dial = TimeFormatter { zone: &zone, ..dial };
    vec![
        automation.id.clone(),
        automation.name.clone(),
        state(automation, texts),
        when(&automation.trigger, texts, dial.zone),
        automation.next_at.as_ref().map(|at| coming(at, texts, dial)).unwrap_or_default(),
        automation.last.as_ref().map(|last| latest(last, texts, dial.zone)).unwrap_or_default(),
    ]
}

/// The zone of an automation's times: that of its trigger, else the workspace's.
pub(crate) fn own_zone(trigger: &TriggerShape, workspace: &TimeZone) -> TimeZone {
    match trigger {
        TriggerShape::Cron { zone, .. } => TimeZone::get(zone).unwrap_or_else(|_| workspace.clone()),
        TriggerShape::Every { .. }
        | TriggerShape::Once { .. }
        | TriggerShape::Manual
        | TriggerShape::Event => workspace.clone(),
    }
}

/// An instant of the API, with the time until then.
pub(crate) fn coming(at: &str, texts: &LocalizedTexts, dial: TimeFormatter<'_>) -> String {
    shown_instant(at, |at| dial.with_relative_time(at, texts))
}

/// The latest occurrence.
fn latest(last: &OccurrenceShape, texts: &LocalizedTexts, zone: &TimeZone) -> String {
    format!("{} {}", shown_instant(&last.at, |at| day(at, zone)), occurrence_outcome(last, texts))
}

/// The row of an unreadable automation, with the fault in place of the trigger.
pub(crate) fn damaged(automation: &DamagedAutomationShape, texts: &LocalizedTexts) -> Vec<String> {
    let none = String::new;
    let state = say!(texts, "automation-state-damaged");
    vec![automation.id.clone(), automation.name.clone(), state, automation.why.clone(), none(), none()]
}

/// The state of an automation: on, off or needing attention.
fn state(automation: &AutomationShape, texts: &LocalizedTexts) -> String {
    texts.render(
        match &*automation.state {
            "needs_attention" => "automation-state-attention",
            "on" => "automation-state-on",
            _ => "automation-state-off",
        },
        &[],
    )
}

/// Its trigger as text.
fn when(trigger: &TriggerShape, texts: &LocalizedTexts, zone: &TimeZone) -> String {
    let day = |at: &str| shown_instant(at, |at| day(at, zone));
    match trigger {
        TriggerShape::Cron { expression, zone } => {
            say!(texts, "automation-when-cron", expression = expression, zone = zone)
        }
        TriggerShape::Every { interval_ms, from } => {
            let every = interval_text(Millis(*interval_ms), texts);
            say!(texts, "automation-when-every", every = every, at = day(from))
        }
        TriggerShape::Once { at } => say!(texts, "automation-when-once", at = day(at)),
        TriggerShape::Manual => say!(texts, "automation-when-manual"),
        TriggerShape::Event => say!(texts, "automation-when-event"),
    }
}

/// The result of an occurrence.
fn occurrence_outcome(occurrence: &OccurrenceShape, texts: &LocalizedTexts) -> String {
    if let Some(BlockingRunShape { session, waits_for }) = &occurrence.blocked_by {
        return match waits_for.as_deref() {
            Some("approval") => say!(texts, "automation-skipped-behind-approval", session = session),
            Some("question") => say!(texts, "automation-skipped-behind-question", session = session),
            Some("person") => say!(texts, "automation-skipped-behind-person", session = session),
            _ => say!(texts, "automation-skipped-behind", session = session),
        };
    }
    let key = match &*occurrence.outcome {
        "ran" => "automation-ran",
        "too_late" => "automation-skipped-late",
        "superseded" => "automation-skipped-superseded",
        "overlap" => "automation-skipped-overlap",
        "unusable" => "automation-skipped-unusable",
        "switched_off" => "automation-skipped-switched-off",
        "deleted" => "automation-skipped-deleted",
        "rescheduled" => "automation-skipped-rescheduled",
        // A reason of a later version.
        other => return one_line(other),
    };
    texts.render(key, &[])
}

/// Skipped occurrences of one automation in a row, for the same reason; or one that ran.
pub(crate) struct FoldedOccurrences<'a> {
    /// The latest.
    pub(crate) latest: &'a OccurrenceShape,
    /// The earliest.
    earliest: &'a OccurrenceShape,
    /// How many they are.
    count: usize,
}

/// Folds the occurrences of a history, latest first.
pub(crate) fn fold_occurrences(past: &[OccurrenceShape]) -> Vec<FoldedOccurrences<'_>> {
    let mut folded: Vec<FoldedOccurrences<'_>> = Vec::new();
    for one in past {
        let is_again = |other: &FoldedOccurrences<'_>| {
            let other = other.latest;
            one.outcome != "ran"
                && (&one.automation, &one.outcome, &one.cause, &one.blocked_by)
                    == (&other.automation, &other.outcome, &other.cause, &other.blocked_by)
        };
        match folded.last_mut().filter(|other| is_again(other)) {
            Some(again) => (again.earliest, again.count) = (one, again.count + 1),
            None => folded.push(FoldedOccurrences { latest: one, earliest: one, count: 1 }),
        }
    }
    folded
}

/// A row of the history: occurrence, cause, version, decision time, result, session, and the run's standing.
pub(crate) fn past_occurrence_row(
    folded: &FoldedOccurrences<'_>,
    texts: &LocalizedTexts,
    zone: &TimeZone,
) -> Vec<String> {
    let past = folded.latest;
    let moment = |at: &str| shown_instant(at, |at| moment(at, zone));
    let cause = match &*past.cause {
        "manual" => "automation-cause-manual",
        "event" => "automation-cause-event",
        _ => "automation-cause-scheduled",
    };
    vec![
        moment(&past.at),
        texts.render(cause, &[]),
        past.version.to_string(),
        moment(&past.decided_at),
        match folded.count {
            1 => occurrence_outcome(past, texts),
            count => say!(
                texts,
                "automation-skipped-times",
                outcome = occurrence_outcome(past, texts),
                count = count,
                at = moment(&folded.earliest.at)
            ),
        },
        past.session.clone().unwrap_or_default(),
        run_standing(past, texts),
    ]
}

/// The standing of a run, or the reason why it ended.
fn run_standing(past: &OccurrenceShape, texts: &LocalizedTexts) -> String {
    match (&past.session, &past.standing, &past.end_reason) {
        (None, _, _) => String::new(),
        (Some(_), None, _) => say!(texts, "automation-run-deleted"),
        (Some(_), Some(_), Some(reason)) => reason.to_string(),
        (Some(_), Some(standing), None) => {
            let standing = stored_words::word("standing", standing, texts);
            format!("{standing} {}", past.phase.as_deref().unwrap_or_default())
        }
    }
}

/// The result of requesting a slot: a word, and the position in the queue.
pub(crate) fn activation_text(activation: Option<&str>, position: Option<usize>) -> String {
    match (activation.unwrap_or_default(), position) {
        ("QUEUED", Some(position)) => format!("QUEUED {position}"),
        (other, _) => other.to_owned(),
    }
}

/// A sheet of one automation: named facts.
pub(crate) fn sheet<'a>(
    automation: &AutomationShape,
    texts: &LocalizedTexts,
    dial: impl Into<TimeFormatter<'a>>,
) -> Vec<String> {
    let dial = dial.into();
    let zone = own_zone(&automation.trigger, dial.zone);
    let dial = TimeFormatter { zone: &zone, ..dial };
    let day = |at: &str| shown_instant(at, |at| day(at, dial.zone));
    let policies = &automation.policies;
    let catch_up = match policies.catch_up_ms {
        Some(window) => {
            say!(texts, "automation-catch-up", window = exact_duration_text(Millis(window), texts))
        }
        None => say!(texts, "automation-catch-up-unlimited"),
    };
    let missed = if policies.latest_only { "automation-missed-latest" } else { "automation-missed-all" };
    let overlap = match &*policies.overlap {
        "queue" => "automation-overlap-queue",
        _ => "automation-overlap-skip",
    };
    let usual = |word: &Option<Cow<'static, str>>| {
        word.as_ref().map_or_else(|| say!(texts, "automation-as-usual"), ToString::to_string)
    };
    let mut rows = vec![
        ("automation", automation.id.clone()),
        ("name", automation.name.clone()),
        ("state", state(automation, texts)),
        ("when", when(&automation.trigger, texts, dial.zone)),
    ];
    rows.extend(automation.attention.as_ref().map(|why| ("why", why.clone())));
    rows.extend(automation.next_at.as_ref().map(|at| ("next", coming(at, texts, dial))));
    rows.extend(automation.last.as_ref().map(|last| ("last", latest(last, texts, dial.zone))));
    rows.extend([
        ("missed", say!(texts, "config-and", says = catch_up, more = texts.render(missed, &[]))),
        ("overlap", texts.render(overlap, &[])),
        ("profile", usual(&policies.profile)),
        ("unattended", unattended(automation, texts).unwrap_or_else(|| usual(&policies.unattended))),
        ("completion", usual(&policies.completion)),
        ("mode", usual(&policies.mode)),
    ]);
    let begins = automation.begins.as_ref();
    rows.extend(
        begins.map(|begins| {
            ("provider", format!("{}, {} ({})", begins.provider, begins.model, begins.dialect))
        }),
    );
    let requires = begins.filter(|begins| begins.require_validation);
    rows.extend(requires.map(|_| ("approval", say!(texts, "automation-approval"))));
    rows.extend([
        ("version", automation.version.to_string()),
        ("created", day(&automation.created_at)),
        ("edited", day(&automation.updated_at)),
        ("seed", automation.seed.clone()),
    ]);
    rows.extend(begins.map(|begins| ("message", begins.message.clone())));
    let named = |(name, value): (&str, String)| {
        (texts.render(&format!("automation-fact-{name}"), &[]), one_line(&value))
    };
    let rows: Vec<(String, String)> = rows.into_iter().map(named).collect();
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    rows.into_iter().map(|(name, value)| format!("{name:<width$}  {value}")).collect()
}

/// The person who allowed its unattended actions, or a note that no authorized person did; `None` if it allows none.
fn unattended(automation: &AutomationShape, texts: &LocalizedTexts) -> Option<String> {
    if automation.needs_grant {
        return Some(say!(texts, "automation-allow-waits"));
    }
    let by = automation.allowed_by.as_ref()?;
    Some(say!(texts, "automation-allowed-by", by = by))
}

#[cfg(test)]
mod tests {
    use entracte_application::settings::Language;
    use serde_json::json;

    use super::*;

    fn occurrence(hour: u32, outcome: &str, run: Option<&str>) -> OccurrenceShape {
        let blocked_by = run.map(|session| json!({ "session": session, "waits_for": "approval" }));
        let shape = json!({
            "automation": "aut_a", "at": format!("2026-11-20T{hour:02}:00:00Z"), "cause": "scheduled",
            "outcome": outcome, "session": null, "decided_at": format!("2026-11-20T{hour:02}:00:00Z"),
            "standing": null, "end_reason": null, "blocked_by": blocked_by,
        });
        serde_json::from_value(shape).unwrap()
    }

    /// Input: a run, and three skips because of two runs, in a history of Tokyo; expected: skips because of one run are one
    /// row, which names it and says since when, on the clocks of Tokyo.
    #[test]
    fn skips_because_of_one_run_are_one_row() {
        let past = [
            occurrence(4, "overlap", Some("ses_b")),
            occurrence(3, "overlap", Some("ses_a")),
            occurrence(2, "overlap", Some("ses_a")),
            occurrence(1, "ran", None),
        ];
        let (texts, zone) =
            (LocalizedTexts::for_language(Language::En), TimeZone::get("Asia/Tokyo").unwrap());
        let folded = fold_occurrences(&past);
        let rows: Vec<String> =
            folded.iter().map(|one| past_occurrence_row(one, texts, &zone)[4].clone()).collect();
        let expected = [
            "skipped: the run ses_b waits for an approval",
            "skipped: the run ses_a waits for an approval; 2 times since 2026-11-20 11:00:00 JST",
            "ran",
        ];
        assert_eq!(rows, expected);
    }
}
