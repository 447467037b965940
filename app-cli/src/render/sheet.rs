//! One session or one call, as facts by their names.

use entracte_application::texts::Texts;
use entracte_application::use_cases::{CallView, Decided, SessionView, Waiting};
use jiff::tz::TimeZone;

use super::standing::{placed, wakes};
use super::text::{cut, one_line};
use super::time::day;
use super::words;

/// Columns of parameters and answers in a table.
const CELL: usize = 48;

/// A session.
pub(crate) fn session(
    view: &SessionView,
    waiting: Option<&Waiting>,
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
    rows.extend(view.woken().map(|woken| ("next", wakes(woken, texts, zone))));
    rows.extend(facts.end_reason.map(|reason| ("ended", reason.word().to_owned())));
    rows.extend(waiting.map(|waiting| ("waits for", asked(waiting))));
    rows.extend(facts.parked.as_ref().map(|why| ("parked", words::parked(why))));
    rows.extend(facts.unsettled.iter().map(|call| ("unknown", call.to_string())));
    rows.into_iter().map(|(name, value)| format!("{name:<10}  {}", one_line(&value))).collect()
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

/// A call: id, state, who decided, command, parameters, answer.
pub(crate) fn call(view: &CallView) -> Vec<String> {
    let command = view.call.effective();
    vec![
        view.call.id.to_string(),
        view.state.clone(),
        view.decided.as_ref().map(decided).unwrap_or_default(),
        command.name.clone(),
        cut(&one_line(&command.arguments.to_json()), CELL),
        cut(&one_line(view.content.as_deref().unwrap_or_default()), CELL),
    ]
}

/// Who decided, and what; the rule where one gave leave or was made.
fn decided(decided: &Decided) -> String {
    let parts = [Some(decided.what), decided.by.as_deref(), decided.rule.as_deref()];
    one_line(&parts.into_iter().flatten().filter(|part| *part != "rule").collect::<Vec<_>>().join(" "))
}
