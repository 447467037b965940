//! The effect of every message on every state of a task's row.

use entracte_domain::command::CommandKind;
use entracte_domain::id::{CallId, Digest, SessionId, TaskId};
use entracte_domain::task::{
    CancelReason, CancelResponse, Task, TaskCompletion, TaskHandle, TaskOrigin, TaskOutcome, TaskProtocol,
    TaskResult, TaskState, TaskUpdate, apply_update,
};
use entracte_domain::time::{Deadline, Millis, Timestamp};

use super::doc_tables::table;

const NOW: Timestamp = Timestamp(1_000_000_000_000);

/// The rows of the table.
const ROWS: [&str; 9] = [
    "registered",
    "dispatched",
    "running",
    "completed",
    "failed",
    "cancelled",
    "cancelled, unconfirmed",
    "expired",
    "late result",
];

/// The messages of the table.
const ARRIVALS: [&str; 19] = [
    "accepted",
    "done at once",
    "not begun",
    "denied by a person",
    "progress",
    "a question",
    "final",
    "the same final",
    "gone",
    "gone again, a query",
    "gone again, an action",
    "unreachable",
    "deadline, first",
    "deadline, asked last",
    "cancel asked",
    "cancel confirmed",
    "cancel pending",
    "cancel unconfirmed",
    "cancel unanswered",
];

fn ended(outcome: TaskOutcome, content: &str) -> TaskUpdate {
    TaskUpdate::Final { outcome, content: content.to_owned(), digest: Digest::new(content) }
}

fn result(content: &str) -> TaskResult {
    let (outcome, digest) = (TaskOutcome::Completed, Digest::new(content));
    TaskResult { outcome, content: content.to_owned(), digest, at: NOW }
}

/// A task in this state, for this message.
fn task(row: &str, arrival: &str) -> Task {
    let kind = match arrival {
        "gone again, a query" => CommandKind::Query,
        _ => CommandKind::Action,
    };
    let origin = TaskOrigin {
        session: SessionId::new("ses_a"),
        call: CallId::new("cal_a_1_0"),
        command: "books.close".to_owned(),
        kind,
    };
    let passed = Some(Deadline { armed_at: Timestamp(0), due_at: NOW });
    let deadline = passed.filter(|_| arrival.starts_with("deadline"));
    let made = Task::register(TaskId::new("tsk_a"), origin, TaskProtocol::Http, deadline, Timestamp(0));
    let handle = TaskHandle { remote: Some("https://books.example/7".into()), ..TaskHandle::default() };
    let dispatched = hear(&made, &TaskUpdate::Accepted(handle));
    let asked = TaskUpdate::CancelAsked { why: CancelReason::Person, author: None };
    let cancelled = |answer| hear(&hear(&dispatched, &asked), &TaskUpdate::CancelAnswered(answer));
    let mut task = match row {
        "registered" => made,
        "dispatched" => dispatched,
        "running" => {
            hear(&dispatched, &TaskUpdate::Progress { text: "half".into(), at: None, poll_after: None })
        }
        "completed" => hear(&dispatched, &ended(TaskOutcome::Completed, "known")),
        "failed" => hear(&dispatched, &ended(TaskOutcome::Failed, "known")),
        "cancelled" => cancelled(CancelResponse::Confirmed),
        "cancelled, unconfirmed" => cancelled(CancelResponse::Unconfirmed),
        "expired" => hear(&dispatched, &ended(TaskOutcome::Expired, "")).without_result(),
        "late result" => {
            let expired = hear(&dispatched, &ended(TaskOutcome::Expired, "")).without_result();
            hear(&expired, &ended(TaskOutcome::Completed, "known"))
        }
        other => panic!("no row is called {other}"),
    };
    if !task.state.is_final() {
        task.gone = u32::from(arrival.starts_with("gone again"));
        task.is_asked_last = arrival == "deadline, asked last";
        if arrival.starts_with("cancel ") && arrival != "cancel asked" {
            task = hear(&task, &asked);
        }
    }
    task
}

trait TaskWithoutResult {
    fn without_result(self) -> Self;
}

impl TaskWithoutResult for Task {
    /// The state after a deadline without any message.
    fn without_result(self) -> Self {
        Self { result: None, ..self }
    }
}

fn arrival(name: &str) -> TaskUpdate {
    match name {
        "accepted" => TaskUpdate::Accepted(TaskHandle::default()),
        "done at once" => TaskUpdate::DoneAtOnce(result("at once")),
        "not begun" => TaskUpdate::NotBegun,
        "denied by a person" => TaskUpdate::DeniedByPerson,
        "progress" => TaskUpdate::Progress { text: "more".into(), at: None, poll_after: None },
        "a question" => TaskUpdate::Asks { question: "which?".into(), form: None, remote: None },
        "final" => ended(TaskOutcome::Completed, "another"),
        "the same final" => ended(TaskOutcome::Completed, "known"),
        "gone" | "gone again, a query" | "gone again, an action" => TaskUpdate::Gone,
        "unreachable" => TaskUpdate::Unreachable,
        "deadline, first" | "deadline, asked last" => TaskUpdate::DeadlineReached,
        "cancel asked" => TaskUpdate::CancelAsked { why: CancelReason::Model, author: None },
        "cancel confirmed" => TaskUpdate::CancelAnswered(CancelResponse::Confirmed),
        "cancel pending" => TaskUpdate::CancelAnswered(CancelResponse::Pending),
        "cancel unconfirmed" => TaskUpdate::CancelAnswered(CancelResponse::Unconfirmed),
        "cancel unanswered" => TaskUpdate::CancelUnanswered,
        other => panic!("no arrival is called {other}"),
    }
}

fn hear(task: &Task, arrival: &TaskUpdate) -> Task {
    apply_update(task, arrival, NOW).task
}

/// When a message arrives: the answer to a cancellation is awaited.
fn when(arrival: &str) -> Timestamp {
    if arrival == "cancel unanswered" { NOW.plus(Millis::minutes(2)) } else { NOW }
}

fn row_of(task: &Task) -> &'static str {
    match (task.state, task.late_result.is_some(), task.is_cancel_confirmed()) {
        (_, true, _) => "late result",
        (TaskState::Registered, false, _) => "registered",
        (TaskState::Dispatched, false, _) => "dispatched",
        (TaskState::Running, false, _) => "running",
        (TaskState::Completed, false, _) => "completed",
        (TaskState::Failed, false, _) => "failed",
        (TaskState::Expired, false, _) => "expired",
        (TaskState::Cancelled, false, true) => "cancelled",
        (TaskState::Cancelled, false, false) => "cancelled, unconfirmed",
    }
}

fn news_word(news: Option<&TaskCompletion>) -> String {
    match news {
        None => "-".to_owned(),
        Some(news) if news.is_late => format!("{}, late", news.outcome.word()),
        Some(news) => news.outcome.word().to_owned(),
    }
}

/// The rows that a cell of the table names. Names contain commas, so they are removed one by one.
fn named(cell: &str) -> Vec<&'static str> {
    let mut rest = cell.to_owned();
    let mut found = Vec::new();
    for row in ["cancelled, unconfirmed"].into_iter().chain(ROWS) {
        let before = rest.len();
        let parts: Vec<&str> = rest.split(row).collect();
        let taken = parts.concat();
        if taken.len() < before {
            found.push(row);
            rest = taken;
        }
    }
    let left = rest.replace([',', ' '], "");
    assert!(left.is_empty() || cell == "any other", "“{cell}” names a row that is none: {left}");
    found
}

/// Each message on each row: exactly one rule of the page applies, and describes the behaviour; repeated after a crash
/// it causes no second notification.
pub(crate) fn every_cell_is_as_the_page_says() {
    let rules = table("What becomes of the row");
    for rule in &rules {
        assert!(ARRIVALS.contains(&rule[0].as_str()), "the page names an arrival that is none: {}", rule[0]);
    }
    let mut cells = 0;
    for name in ARRIVALS {
        let of_arrival: Vec<&Vec<String>> = rules.iter().filter(|rule| rule[0] == name).collect();
        let spoken: Vec<&str> = of_arrival.iter().flat_map(|rule| named(&rule[1])).collect();
        for row in ROWS {
            let covers = |rule: &&&Vec<String>| match rule[1].as_str() {
                "any other" => !spoken.contains(&row),
                cell => named(cell).contains(&row),
            };
            let covering: Vec<&&Vec<String>> = of_arrival.iter().filter(covers).collect();
            let [rule] = covering.as_slice() else {
                panic!("{name} on {row}: {} rules instead of one", covering.len());
            };
            check(name, row, rule);
            cells += 1;
        }
    }
    assert_eq!(cells, ARRIVALS.len() * ROWS.len());
}

fn check(name: &str, row: &str, rule: &[String]) {
    let (task, arrival, now) = (task(row, name), arrival(name), when(name));
    assert_eq!(row_of(&task), row);
    let heard = apply_update(&task, &arrival, now);
    let becomes = if rule[2] == "same" { row } else { rule[2].as_str() };
    let found = (row_of(&heard.task), heard.verdict.word(), news_word(heard.news.as_ref()));
    assert_eq!(found, (becomes, rule[3].as_str(), rule[4].clone()), "{name} on {row}");
    // The process was killed before the commit: the message arrives again at the same row.
    assert_eq!(apply_update(&task, &arrival, now), heard, "{name} on {row}");
    // It was killed after the commit, and the sender repeats the message: no second notification.
    let again = apply_update(&heard.task, &arrival, now);
    let is_counted = matches!(name, "gone" | "deadline, first");
    assert!(again.news.is_none() || is_counted, "{name} on {row}, twice: {:?}", again.news);
    if heard.news.is_some() {
        let state = (row_of(&again.task), again.task.completed_at);
        assert_eq!(state, (row_of(&heard.task), heard.task.completed_at), "{name} on {row}, twice");
    }
}
