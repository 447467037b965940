use entracte_adapters_http::shapes::approved_plan::PlanShape;
use entracte_adapters_http::shapes::card::QuestionShape;
use entracte_adapters_http::shapes::session::{ContextShape, QueueShape};
use entracte_application::ports::{SessionListRow, SessionRow, SessionRows, UnreadableSession};
use entracte_application::rule_book::RuleBook;
use entracte_application::use_cases::{PendingDecision, QueuePosition, SessionMetrics, SessionView};
use entracte_domain::id::SessionId;
use entracte_domain::message::ExecutionMetadata;
use entracte_domain::plan::PlanMode;
use entracte_domain::session::SessionCounters;
use entracte_domain::task::Task;
use entracte_domain::time::Timestamp;
use serde::Serialize;

use super::turn::TokenUsageObject;
use crate::render::session_sheet::SessionMeasurements;
use crate::render::standing::waiting_messages;
use crate::render::time::iso;

/// `entracte.sessions/1`: sessions, those that wait for a person first.
#[derive(Serialize)]
pub(crate) struct SessionsObject {
    schema: &'static str,
    sessions: Vec<SessionRowObject>,
}

#[derive(Serialize)]
struct SessionRowObject {
    id: String,
    workspace: String,
    name: String,
    kind: String,
    standing: String,
    /// Its position in the slot queue, from 1.
    position: Option<usize>,
    phase: String,
    wake_at: Option<String>,
    wake_reason: Option<&'static str>,
    waiting: bool,
    working: bool,
    created_at: String,
    last_activity: String,
    end_reason: Option<String>,
    unread: usize,
    /// The number of messages that wait for the next round.
    queued_messages: usize,
}

impl SessionRowObject {
    fn of_unreadable(line: &SessionListRow) -> Self {
        Self {
            id: line.id.to_string(),
            workspace: line.workspace.to_string(),
            name: line.name.clone(),
            kind: line.kind.word().to_owned(),
            standing: line.standing.word().to_owned(),
            position: None,
            phase: line.phase.word().to_owned(),
            wake_at: line.wake_at.map(iso),
            wake_reason: None,
            waiting: line.waiting,
            working: false,
            created_at: iso(line.created_at),
            last_activity: iso(line.last_activity),
            end_reason: line.end_reason.as_ref().map(|reason| reason.word().to_owned()),
            unread: 0,
            queued_messages: 0,
        }
    }
}

impl SessionsObject {
    /// The sessions, each with the number of messages that the reader has not seen, and the slot queue in order.
    /// Sessions that cannot be read come last, with what is known of them.
    pub(crate) fn new(found: &SessionRows, unread: &[usize], queue: &[SessionId], rules: &RuleBook) -> Self {
        let shape = |(row, unread): (&SessionRow, &usize)| SessionRowObject {
            id: row.id.to_string(),
            workspace: row.workspace.to_string(),
            name: row.name.clone(),
            kind: row.kind.word().to_owned(),
            standing: row.standing.word().to_owned(),
            position: position(queue, &row.id),
            phase: row.phase.word().to_owned(),
            wake_at: row.wake_at.map(iso),
            wake_reason: SessionView::from_row(row).ok().and_then(|view| wake_word(&view, rules)),
            waiting: row.waiting,
            working: row.working,
            created_at: iso(row.created_at),
            last_activity: iso(row.last_activity),
            end_reason: row.end_reason.map(|reason| reason.word().to_owned()),
            unread: *unread,
            queued_messages: SessionView::from_row(row).map_or(0, |view| waiting_messages(&view)),
        };
        let unreadable = |session: &UnreadableSession| SessionRowObject::of_unreadable(&session.line);
        let sessions = found.rows.iter().zip(unread).map(shape);
        let sessions = sessions.chain(found.unreadable.iter().map(unreadable)).collect();
        Self { schema: "entracte.sessions/1", sessions }
    }
}

/// `entracte.session/1`: one session.
#[derive(Serialize)]
pub(crate) struct SessionObject {
    schema: &'static str,
    id: String,
    workspace: String,
    name: String,
    kind: &'static str,
    standing: &'static str,
    /// Its position in the slot queue, from 1.
    position: Option<usize>,
    /// Its place in the slot queue; null if it does not wait.
    slot: Option<QueueShape>,
    /// The people who have it open.
    open_by: Vec<String>,
    phase: &'static str,
    provider: String,
    model: String,
    dialect: &'static str,
    require_validation: bool,
    /// Whether a plan precedes its actions; null: its automation or the workspace decides.
    mode: Option<&'static str>,
    /// The latest approved plan and its progress.
    plan: Option<PlanShape>,
    /// The commands it may use; null: every command.
    commands: Option<Vec<String>>,
    /// The automation of the run.
    automation: Option<String>,
    /// The instant that the run was due at.
    occurrence: Option<String>,
    /// The trigger of the run: `manual`, `scheduled` or `event`.
    trigger: Option<String>,
    automation_version: Option<u32>,
    rounds: u32,
    rounds_since_human: u32,
    calls: u32,
    counters: SessionCountersObject,
    approvals: Vec<String>,
    question: Option<QuestionShape>,
    unsettled: Vec<String>,
    /// Its long tasks, unfinished ones first.
    tasks: Vec<SessionTaskObject>,
    /// Messages that wait for the next round.
    queued_messages: Vec<String>,
    /// Whether its last request still waits for a round, because a later chat took its position in the queue.
    owes_round: bool,
    created_at: String,
    last_activity: String,
    wake_at: Option<String>,
    /// The reason for the wake-up.
    wake_reason: Option<&'static str>,
    usage: TokenUsageObject,
    context: ContextShape,
    metrics: SessionMetricsObject,
    end_reason: Option<&'static str>,
}

/// A long task of a session.
#[derive(Serialize)]
struct SessionTaskObject {
    id: String,
    command: String,
    state: &'static str,
}

impl From<&Task> for SessionTaskObject {
    fn from(task: &Task) -> Self {
        Self { id: task.id.to_string(), command: task.command.clone(), state: task.state.word() }
    }
}

/// The counters that its limits are checked against.
#[derive(Serialize)]
pub(super) struct SessionCountersObject {
    rounds_total: u32,
    rounds_since_human: u32,
    query_rounds: u32,
    failed_action_rounds: u32,
    format_errors: u32,
    relaunches: u32,
    without_progress: u32,
    /// How often the last failure occurred in a row.
    equal_failures: u32,
    calls_total: u32,
    closing_done: bool,
}

impl From<&SessionCounters> for SessionCountersObject {
    fn from(counters: &SessionCounters) -> Self {
        // Every field is destructured, so that a new one fails to compile until it is shown.
        let SessionCounters {
            rounds_total,
            rounds_since_human,
            query_rounds,
            failed_action_rounds,
            format_errors,
            relaunches,
            without_progress,
            equal_failures,
            calls_total,
            closing_done,
        } = counters;
        Self {
            rounds_total: *rounds_total,
            rounds_since_human: *rounds_since_human,
            query_rounds: *query_rounds,
            failed_action_rounds: *failed_action_rounds,
            format_errors: *format_errors,
            relaunches: *relaunches,
            without_progress: *without_progress,
            equal_failures: equal_failures.as_ref().map_or(0, |equal| equal.count),
            calls_total: *calls_total,
            closing_done: *closing_done,
        }
    }
}

/// Metrics of the session.
#[derive(Serialize)]
struct SessionMetricsObject {
    relaunches: u32,
    early_stops: u32,
    circuit_breaks: u32,
    calls_succeeded: u32,
    calls_failed: u32,
    calls_per_hundred_rounds: Option<u64>,
    success_percent: Option<u64>,
    calls_took_ms: i64,
    longest_call_ms: i64,
}

impl From<&SessionMetrics> for SessionMetricsObject {
    fn from(metrics: &SessionMetrics) -> Self {
        Self {
            relaunches: metrics.relaunches,
            early_stops: metrics.early_stops,
            circuit_breaks: metrics.circuit_breaks,
            calls_succeeded: metrics.succeeded,
            calls_failed: metrics.failed,
            calls_per_hundred_rounds: metrics.calls_per_hundred_rounds(),
            success_percent: metrics.success_percent(),
            calls_took_ms: metrics.took.0,
            longest_call_ms: metrics.longest.0,
        }
    }
}

/// The position of a session in the slot queue at an instant.
#[derive(Clone, Copy)]
pub(crate) struct SlotSnapshot<'a> {
    /// `None` if it waits for no slot.
    pub(crate) place: Option<&'a QueuePosition>,
    /// The instant.
    pub(crate) now: Timestamp,
}

impl SessionObject {
    /// The session with its trigger if it is a run, its waits, its position in the slot queue, and its
    /// measurements.
    pub(crate) fn new(
        view: &SessionView,
        began: Option<&ExecutionMetadata>,
        waiting: Option<&PendingDecision>,
        SlotSnapshot { place, now }: SlotSnapshot<'_>,
        SessionMeasurements { metrics, context }: SessionMeasurements<'_>,
        rules: &RuleBook,
        tasks: &[Task],
    ) -> Self {
        let facts = &view.facts;
        let (approvals, question) = match waiting {
            Some(PendingDecision::Validation(all)) => {
                (all.iter().map(|one| one.id.to_string()).collect(), None)
            }
            Some(PendingDecision::Question(question)) => (Vec::new(), Some(QuestionShape::from(question))),
            None => (Vec::new(), None),
        };
        Self {
            schema: "entracte.session/1",
            id: facts.id.to_string(),
            workspace: facts.workspace.to_string(),
            name: facts.name.clone(),
            kind: facts.kind.word(),
            standing: view.standing.word(),
            position: place.map(|place| place.position),
            slot: place.map(QueueShape::from),
            open_by: facts.active_attachments(now).map(|attachment| attachment.author.clone()).collect(),
            phase: view.phase.label().word(),
            provider: facts.provider.clone(),
            model: facts.model.clone(),
            dialect: facts.dialect.word(),
            require_validation: facts.require_validation,
            mode: facts.mode.map(PlanMode::word),
            plan: facts.plan.as_ref().map(PlanShape::from),
            commands: crate::command_restriction::patterns(&facts.restriction),
            automation: facts.automation.clone(),
            occurrence: facts.scheduled_at.map(iso),
            trigger: began.map(|began| began.trigger.clone()),
            automation_version: began.map(|began| began.automation_version),
            counters: SessionCountersObject::from(&facts.counters),
            rounds: facts.counters.rounds_total,
            rounds_since_human: facts.counters.rounds_since_human,
            calls: facts.counters.calls_total,
            approvals,
            question,
            unsettled: facts.unsettled.iter().map(super::text).collect(),
            tasks: tasks.iter().map(SessionTaskObject::from).collect(),
            owes_round: facts.owes_round,
            queued_messages: facts.queue.iter().map(|queued| queued.message.to_string()).collect(),
            created_at: iso(facts.created_at),
            last_activity: iso(facts.last_event_at),
            wake_at: view.wake_at.map(iso),
            wake_reason: wake_word(view, rules),
            usage: TokenUsageObject::from(metrics.used_since.unwrap_or(facts.usage)),
            context: context.into(),
            metrics: metrics.into(),
            end_reason: view.phase.end_reason().map(|reason| reason.word()),
        }
    }
}

/// A session's position in the slot queue, from 1.
pub(crate) fn position(queue: &[SessionId], session: &SessionId) -> Option<usize> {
    queue.iter().position(|waiting| waiting == session).map(|before| before + 1)
}

fn wake_word(view: &SessionView, rules: &RuleBook) -> Option<&'static str> {
    view.next_wake(rules).map(|(_, reason)| reason.word())
}
