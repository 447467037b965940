//! Renders automations and their occurrences as text.

use entracte_application::journal::{Occurrence, OccurrenceOutcome};
use entracte_application::permissions::{current_grant, lacks_grant};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{AutomationDetails, AutomationView, DamagedAutomation, OccurrenceView};
use entracte_domain::automation::{Automation, OverlapPolicy, RunCause, SkipReason, Trigger};
use entracte_domain::plan::PlanMode;
use entracte_domain::session::{CompletionCheck, LimitProfile, UnattendedPolicy};
use entracte_domain::workspace::ActivationResult;
use jiff::tz::TimeZone;

use super::stored_words;
use super::text::one_line;
use super::time::{TimeFormatter, day, exact_duration_text, interval_text, moment};

/// A row of the list: id, name, state, trigger, next and last run.
pub(crate) fn row<'a>(
    view: &AutomationView,
    texts: &LocalizedTexts,
    dial: impl Into<TimeFormatter<'a>>,
) -> Vec<String> {
    let dial = dial.into();
    let (automation, zone) = (&view.automation, dial.zone);
    let last =
        view.last.as_ref().map(|last| format!("{} {}", day(last.at, zone), occurrence_outcome(last, texts)));
    vec![
        automation.id.to_string(),
        automation.name.clone(),
        state(automation, texts),
        when(&automation.trigger, texts, zone),
        automation
            .next_undecided_occurrence()
            .map(|at| dial.with_relative_time(at, texts))
            .unwrap_or_default(),
        last.unwrap_or_default(),
    ]
}

/// The row of an unreadable automation, with the fault in place of the trigger.
pub(crate) fn damaged(automation: &DamagedAutomation, texts: &LocalizedTexts) -> Vec<String> {
    let none = String::new;
    let state = say!(texts, "automation-state-damaged");
    vec![automation.id.to_string(), automation.name.clone(), state, automation.why.clone(), none(), none()]
}

/// The state of an automation: on, off or needing attention.
pub(crate) fn state(automation: &Automation, texts: &LocalizedTexts) -> String {
    texts.render(
        match state_word(automation) {
            "needs_attention" => "automation-state-attention",
            "on" => "automation-state-on",
            _ => "automation-state-off",
        },
        &[],
    )
}

/// The word of its state in JSON.
pub(crate) fn state_word(automation: &Automation) -> &'static str {
    match (&automation.attention, automation.enabled) {
        (Some(_), _) => "needs_attention",
        (None, true) => "on",
        (None, false) => "off",
    }
}

/// Its trigger as text.
pub(crate) fn when(trigger: &Trigger, texts: &LocalizedTexts, zone: &TimeZone) -> String {
    match trigger {
        Trigger::Cron { expression, zone } => {
            say!(texts, "automation-when-cron", expression = expression, zone = zone)
        }
        Trigger::Every { interval, anchor } => {
            say!(
                texts,
                "automation-when-every",
                every = interval_text(*interval, texts),
                at = day(*anchor, zone)
            )
        }
        Trigger::Once { at } => say!(texts, "automation-when-once", at = day(*at, zone)),
        Trigger::Manual => say!(texts, "automation-when-manual"),
        Trigger::Event => say!(texts, "automation-when-event"),
    }
}

/// The result of an occurrence.
pub(crate) fn occurrence_outcome(occurrence: &Occurrence, texts: &LocalizedTexts) -> String {
    let key = match &occurrence.outcome {
        OccurrenceOutcome::Run(_) => "automation-ran",
        OccurrenceOutcome::Skipped(SkipReason::TooLate) => "automation-skipped-late",
        OccurrenceOutcome::Skipped(SkipReason::Superseded) => "automation-skipped-superseded",
        OccurrenceOutcome::Skipped(SkipReason::Overlap) => "automation-skipped-overlap",
        OccurrenceOutcome::Skipped(SkipReason::Unusable) => "automation-skipped-unusable",
        OccurrenceOutcome::Skipped(SkipReason::SwitchedOff) => "automation-skipped-switched-off",
        OccurrenceOutcome::Skipped(SkipReason::Deleted) => "automation-skipped-deleted",
        OccurrenceOutcome::Skipped(SkipReason::Rescheduled) => "automation-skipped-rescheduled",
    };
    texts.render(key, &[])
}

/// A row of the history: occurrence, cause, version, decision time, result, session, and the run's standing.
pub(crate) fn past_occurrence_row(
    past: &OccurrenceView,
    texts: &LocalizedTexts,
    zone: &TimeZone,
) -> Vec<String> {
    let occurrence = &past.occurrence;
    let session = match &occurrence.outcome {
        OccurrenceOutcome::Run(session) => session.to_string(),
        OccurrenceOutcome::Skipped(_) => String::new(),
    };
    let cause = match occurrence.cause {
        RunCause::Scheduled => "automation-cause-scheduled",
        RunCause::Manual => "automation-cause-manual",
        RunCause::Event => "automation-cause-event",
    };
    vec![
        moment(occurrence.at, zone),
        texts.render(cause, &[]),
        occurrence.version.to_string(),
        moment(occurrence.decided_at, zone),
        occurrence_outcome(occurrence, texts),
        session,
        run_standing(past, texts),
    ]
}

/// The standing of a run, or the reason why it ended.
fn run_standing(past: &OccurrenceView, texts: &LocalizedTexts) -> String {
    match (&past.run, &past.occurrence.outcome) {
        (_, OccurrenceOutcome::Skipped(_)) => String::new(),
        (None, OccurrenceOutcome::Run(_)) => say!(texts, "automation-run-deleted"),
        (Some(run), OccurrenceOutcome::Run(_)) => match run.phase.end_reason() {
            Some(reason) => reason.word().to_owned(),
            None => {
                let standing = stored_words::word("standing", run.standing.word(), texts);
                format!("{standing} {}", run.phase.label().word())
            }
        },
    }
}

/// The result of requesting a run: a word, and the position in the queue.
pub(crate) fn activation(activation: Option<ActivationResult>) -> String {
    match activation {
        Some(ActivationResult::Queued { position }) => format!("QUEUED {position}"),
        Some(other) => other.word().to_owned(),
        None => String::new(),
    }
}

/// A sheet of one automation: named facts.
pub(crate) fn sheet<'a>(
    sheet: &AutomationDetails,
    texts: &LocalizedTexts,
    dial: impl Into<TimeFormatter<'a>>,
) -> Vec<String> {
    let dial = dial.into();
    let zone = dial.zone;
    let AutomationDetails { view: AutomationView { automation, last }, seed } = sheet;
    let policies = &automation.policies;
    let catch_up = match policies.catch_up.window {
        Some(window) => say!(texts, "automation-catch-up", window = exact_duration_text(window, texts)),
        None => say!(texts, "automation-catch-up-unlimited"),
    };
    let missed =
        if policies.catch_up.latest_only { "automation-missed-latest" } else { "automation-missed-all" };
    let overlap = match policies.overlap {
        OverlapPolicy::Skip => "automation-overlap-skip",
        OverlapPolicy::Queue => "automation-overlap-queue",
    };
    let run = &policies.run;
    let usual = |word: Option<&str>| word.map_or_else(|| say!(texts, "automation-as-usual"), str::to_owned);
    let voice = &seed.voice;
    let mut rows = vec![
        ("automation", automation.id.to_string()),
        ("name", automation.name.clone()),
        ("state", state(automation, texts)),
        ("when", when(&automation.trigger, texts, zone)),
    ];
    rows.extend(automation.attention.as_ref().map(|why| ("why", why.clone())));
    rows.extend(
        automation.next_undecided_occurrence().map(|at| ("next", dial.with_relative_time(at, texts))),
    );
    rows.extend(
        last.as_ref()
            .map(|last| ("last", format!("{} {}", day(last.at, zone), occurrence_outcome(last, texts)))),
    );
    rows.extend([
        ("missed", say!(texts, "config-and", says = catch_up, more = texts.render(missed, &[]))),
        ("overlap", texts.render(overlap, &[])),
        ("profile", usual(run.profile.map(LimitProfile::word))),
        (
            "unattended",
            unattended(automation, texts)
                .unwrap_or_else(|| usual(run.unattended.map(UnattendedPolicy::word))),
        ),
        ("completion", usual(run.completion.map(CompletionCheck::word))),
        ("mode", usual(run.mode.map(PlanMode::word))),
        ("provider", format!("{}, {} ({})", voice.provider, voice.model, voice.dialect.word())),
    ]);
    rows.extend(seed.require_validation.then(|| ("approval", say!(texts, "automation-approval"))));
    rows.extend([
        ("version", automation.version.to_string()),
        ("created", day(automation.created_at, zone)),
        ("edited", day(automation.updated_at, zone)),
        ("seed", automation.seed.to_string()),
        ("message", seed.message.linear_text()),
    ]);
    let named = |(name, value): (&str, String)| {
        (texts.render(&format!("automation-fact-{name}"), &[]), one_line(&value))
    };
    let rows: Vec<(String, String)> = rows.into_iter().map(named).collect();
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    rows.into_iter().map(|(name, value)| format!("{name:<width$}  {value}")).collect()
}

/// The person who allowed its unattended actions, or a note that no authorized person did; `None` if it allows none.
fn unattended(automation: &Automation, texts: &LocalizedTexts) -> Option<String> {
    if lacks_grant(automation) {
        return Some(say!(texts, "automation-allow-waits"));
    }
    let grant = current_grant(automation).filter(|grant| grant.allows)?;
    Some(say!(texts, "automation-allowed-by", by = &grant.author))
}
