//! Long tasks in a turn: their rows follow their calls, and their updates are applied. The row, the update, and
//! what the session reads of it are in one commit.

use entracte_domain::call::{Call, CallOutcome, CallResult, CallState, CallStatus};
use entracte_domain::command::CallTask;
use entracte_domain::id::{CallId, SessionId, TaskId};
use entracte_domain::session::{EndReason, Input};
use entracte_domain::task::{
    CancelReason, Task, TaskCompletion, TaskHandle, TaskOrigin, TaskOutcome, TaskProtocol, TaskResult,
    TaskState, TaskUpdate, TaskUpdateVerdict, apply_update,
};
use entracte_domain::time::Deadline;

use crate::codec::decode_task;
use crate::planted_bugs::{PlantedBug, is_planted};
use crate::ports::StoreError;
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::{TaskCallState, TurnDraft, texts};
use crate::runtime::turn::lookups::read_call_row;
use crate::runtime::turn::placement::draft_session;
use crate::runtime::turn::prefix::append_data_changes_now;
use crate::runtime::turn::questions::{DueTasksQuestion, OpenTasksQuestion, TaskRowQuestion};
use crate::runtime::turn::rechecks::recheck_session;
use crate::runtime::turn::settlement::mark_settled;
use crate::runtime::turn::stage::TurnStage;
use crate::system::sha256;
use crate::texts::say;

/// Applies a task update: the row changes, and the session reads the news if there is any.
pub(crate) fn apply_arrival(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    task: Task,
    arrival: &TaskUpdate,
) -> Result<TaskUpdateVerdict, TurnStop> {
    let arrived = apply_update(&task, arrival, draft.now);
    let mut heard = arrived.task;
    if let Some(news) = &arrived.news {
        let is_proof = matches!(arrival, TaskUpdate::Final { .. });
        heard.is_delivered = deliver_completion(turn, draft, &heard, news, is_proof)?;
    }
    if heard != task {
        draft.tasks.insert(heard.id.clone(), heard);
    }
    Ok(arrived.verdict)
}

/// Gives a session the completion of its task; returns whether the session took it. `is_proof`: the remote side
/// reported it, so it had accepted the task, whatever is known of the call.
fn deliver_completion(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    task: &Task,
    news: &TaskCompletion,
    is_proof: bool,
) -> Result<bool, TurnStop> {
    let session = &task.session;
    if !draft_session(turn, draft, session)? {
        return Ok(false);
    }
    if is_planted(PlantedBug::UnreadTask) {
        return Ok(true);
    }
    recheck_session(turn, draft, session)?;
    append_data_changes_now(turn, draft, session)?;
    if is_proof {
        confirm_dispatch(turn, draft, task)?;
    }
    let input = Input::TaskFinished {
        task: task.id.clone(),
        outcome: news.outcome,
        late: news.is_late,
        content: news.content.clone(),
    };
    Ok(draft.apply_input(session, input, turn.memory.rules)?.is_none())
}

/// Confirms to the call, whose answer is awaited or was lost, that the remote side accepted the task: it sent an
/// update of it.
fn confirm_dispatch(turn: &TurnContext<'_>, draft: &mut TurnDraft, task: &Task) -> Result<(), TurnStop> {
    let Some(drafted) = draft.sessions.get(&task.session) else { return Ok(()) };
    let call = drafted.phase.batch().and_then(|batch| batch.call(&task.call));
    if let Some(call) = call.filter(|call| call.is_under_way()) {
        let (call, attempt) = (call.id.clone(), call.attempt);
        let content = say!(texts(draft), "task-accepted", task = task.id.as_str());
        let handle = TaskHandle { remote: task.remote.clone(), ..TaskHandle::default() };
        let outcome = CallOutcome::Accepted { task: task.id.clone(), content, handle };
        return turn.apply_input(draft, &task.session, Input::CallFinished { call, attempt, outcome });
    }
    if drafted.facts.unsettled.contains(&task.call) {
        let settled = Input::CallSettled {
            call: task.call.clone(),
            command: task.command.clone(),
            happened: true,
            note: None,
            author: task.id.as_str().to_owned(),
        };
        turn.apply_input(draft, &task.session, settled)?;
        mark_settled(turn, draft, &task.call, true)?;
    }
    Ok(())
}

/// Ends the task of a call of unknown outcome that a person settled as not happened.
pub(crate) fn follow_settled(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    call: &CallId,
    happened: bool,
) -> Result<(), TurnStop> {
    if happened {
        return Ok(());
    }
    let Some(row) = read_call_row(turn, call)? else { return Ok(()) };
    let Some(CallTask { id, .. }) = crate::codec::decode_call(row)?.task().cloned() else {
        return Ok(());
    };
    if let Some(task) = find_task(turn, draft, &id)? {
        apply_arrival(turn, draft, task, &TaskUpdate::DeniedByPerson)?;
    }
    Ok(())
}

/// Updates the task rows with what this turn did to their calls and their sessions.
pub(crate) fn follow_tasks(turn: &TurnContext<'_>, draft: &mut TurnDraft) -> Result<(), TurnStop> {
    while let Some(followed) = draft.followed.first().cloned() {
        follow_call(turn, draft, &followed)?;
        draft.followed.remove(0);
    }
    while let Some((session, id)) = draft.stopped_tasks.first().cloned() {
        if let Some(task) = find_task(turn, draft, &id)?.filter(|task| task.session == session) {
            let arrival = TaskUpdate::CancelAsked { why: CancelReason::Model, author: None };
            apply_arrival(turn, draft, task, &arrival)?;
        }
        draft.stopped_tasks.remove(0);
    }
    while let Some(session) = draft.stopped.first().cloned() {
        stop_open_tasks(turn, draft, &session)?;
        draft.stopped.remove(0);
    }
    Ok(())
}

fn follow_call(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    followed: &TaskCallState,
) -> Result<(), TurnStop> {
    let TaskCallState { session, call, handle } = followed;
    let Some(of_call) = call.task().cloned() else { return Ok(()) };
    if draft.is_deleted(session) {
        return Ok(());
    }
    match &call.state {
        CallState::Started { .. } if call.attempt == 1 && of_call.is_registered => {
            let task = register_task(turn, draft, session, call, &of_call);
            draft.tasks.entry(task.id.clone()).or_insert(task);
            Ok(())
        }
        CallState::Finished { result, .. } if call.attempt > 0 => {
            follow_result(turn, draft, session, call, &of_call, result, handle.as_ref())
        }
        CallState::Proposed
        | CallState::Follows(_)
        | CallState::WaitingDecision
        | CallState::Approved(_)
        | CallState::Started { .. }
        | CallState::Delayed { .. }
        | CallState::Finished { .. } => Ok(()),
    }
}

fn follow_result(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    call: &Call,
    of_call: &CallTask,
    result: &CallResult,
    handle: Option<&TaskHandle>,
) -> Result<(), TurnStop> {
    let is_accepted = result.status == CallStatus::Accepted;
    if !of_call.is_registered && !is_accepted {
        return Ok(());
    }
    let known = match find_task(turn, draft, &of_call.id)? {
        None if is_accepted => Some(register_task(turn, draft, session, call, of_call)),
        known => known,
    };
    let Some(task) = known else { return Ok(()) };
    match result.status {
        CallStatus::Accepted => {
            let handle = handle.cloned().unwrap_or_default();
            apply_arrival(turn, draft, task, &TaskUpdate::Accepted(handle))?;
            deliver_deferred_news(turn, draft, &of_call.id)
        }
        CallStatus::Succeeded => {
            apply_arrival(turn, draft, task, &TaskUpdate::DoneAtOnce(result_of(result))).map(drop)
        }
        CallStatus::Cancelled => {
            let arrival = TaskUpdate::CancelAsked { why: CancelReason::Session, author: None };
            apply_arrival(turn, draft, task, &arrival)?;
            deliver_deferred_news(turn, draft, &of_call.id)
        }
        CallStatus::TimedOut | CallStatus::Unknown => deliver_deferred_news(turn, draft, &of_call.id),
        CallStatus::Failed
        | CallStatus::InvalidArguments
        | CallStatus::UnknownCommand
        | CallStatus::Malformed
        | CallStatus::SchemaRequired
        | CallStatus::Forbidden
        | CallStatus::PlanFirst
        | CallStatus::OverLimit
        | CallStatus::Repeated
        | CallStatus::RepeatedReply
        | CallStatus::Rejected
        | CallStatus::Cached
        | CallStatus::Duplicate
        | CallStatus::Expired => apply_arrival(turn, draft, task, &TaskUpdate::NotBegun).map(drop),
    }
}

/// Delivers news held back while the call was under way; the task of a session stopped meanwhile is cancelled.
fn deliver_deferred_news(turn: &TurnContext<'_>, draft: &mut TurnDraft, id: &TaskId) -> Result<(), TurnStop> {
    let Some(task) = find_task(turn, draft, id)? else { return Ok(()) };
    if task.state.is_final() && !task.is_delivered {
        let news = news_of(&task);
        let is_delivered = deliver_completion(turn, draft, &task, &news, false)?;
        if is_delivered {
            draft.tasks.insert(task.id.clone(), Task { is_delivered, ..task });
        }
        return Ok(());
    }
    let ended = draft.sessions.get(&task.session).and_then(|drafted| drafted.phase.end_reason());
    if ended == Some(EndReason::Cancelled) {
        let arrival = TaskUpdate::CancelAsked { why: CancelReason::Session, author: None };
        apply_arrival(turn, draft, task, &arrival)?;
    }
    Ok(())
}

/// Cancels the open tasks of a session that a person stopped.
fn stop_open_tasks(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
) -> Result<(), TurnStop> {
    let stored = turn.ask(OpenTasksQuestion(session.clone()))?;
    let mut open: Vec<TaskId> = stored.iter().map(|row| row.id.clone()).collect();
    let drafted = draft.tasks.values().filter(|task| task.session == *session);
    open.extend(drafted.map(|task| task.id.clone()));
    open.sort();
    open.dedup();
    for id in open {
        if let Some(task) = find_task(turn, draft, &id)? {
            let arrival = TaskUpdate::CancelAsked { why: CancelReason::Session, author: None };
            apply_arrival(turn, draft, task, &arrival)?;
        }
    }
    Ok(())
}

/// Examines the due tasks one by one.
pub(crate) fn queue_due_tasks(turn: &TurnContext<'_>, draft: &mut TurnDraft) -> Result<(), TurnStop> {
    let due = turn.ask(DueTasksQuestion(draft.now))?;
    let due: Vec<TurnStage> = due.iter().map(|row| TurnStage::TaskDue(row.id.clone())).collect();
    draft.aside.next.extend(due);
    Ok(())
}

/// Handles a deadline or due work of a task.
pub(crate) fn apply_task_deadline(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    id: &TaskId,
) -> Result<(), TurnStop> {
    let task = match find_task(turn, draft, id) {
        Ok(Some(task)) => task,
        Ok(None) => return Ok(()),
        // An unreadable task must not block the deadlines of the others in its workspace.
        Err(TurnStop::Fault(fault)) => {
            tracing::error!(task = %id, %fault, "the task cannot be read; skipping it");
            return Ok(());
        }
        Err(stop @ TurnStop::Need(_)) => return Err(stop),
    };
    draft.aside.looked_at.insert(id.clone(), task.clone());
    if task.is_deadline_reached(draft.now) {
        apply_arrival(turn, draft, task, &TaskUpdate::DeadlineReached).map(drop)
    } else if task.is_cancel_wait_expired(draft.now) {
        apply_arrival(turn, draft, task, &TaskUpdate::CancelUnanswered).map(drop)
    } else {
        Ok(())
    }
}

/// The task including this draft.
pub(crate) fn find_task(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    id: &TaskId,
) -> Result<Option<Task>, TurnStop> {
    if let Some(task) = draft.tasks.get(id) {
        return Ok(Some(task.clone()));
    }
    let Some(row) = turn.ask(TaskRowQuestion(id.clone()))? else {
        return Ok(None);
    };
    if draft.is_deleted(&row.session) {
        return Ok(None);
    }
    let damaged = |fault| StoreError::Inconsistent(format!("tasks.body of {id}: {fault}"));
    Ok(Some(decode_task(row).map_err(damaged)?))
}

/// The row of a task whose call starts.
fn register_task(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    session: &SessionId,
    call: &Call,
    task: &CallTask,
) -> Task {
    let spec = turn.memory.catalog.find(&call.command.name).and_then(|known| known.spec.task);
    let deadline = spec.filter(|spec| spec.deadline.0 > 0);
    let deadline = deadline.map(|spec| Deadline::after(draft.now, spec.deadline));
    let gateway = spec.map_or(TaskProtocol::Http, |spec| spec.gateway);
    let origin = TaskOrigin {
        session: session.clone(),
        call: call.id.clone(),
        command: call.command.name.clone(),
        kind: call.kind,
    };
    Task::register(task.id.clone(), origin, gateway, deadline, draft.now)
}

/// The completion of an ended task, for its session.
fn news_of(task: &Task) -> TaskCompletion {
    let (told, is_late) = match &task.late_result {
        Some(late) => (Some(late), true),
        None => (task.result.as_ref(), false),
    };
    let outcome = match task.state {
        TaskState::Completed => TaskOutcome::Completed,
        TaskState::Failed => TaskOutcome::Failed,
        TaskState::Cancelled => TaskOutcome::Cancelled,
        TaskState::Registered | TaskState::Dispatched | TaskState::Running | TaskState::Expired => {
            TaskOutcome::Expired
        }
    };
    TaskCompletion {
        outcome: told.map_or(outcome, |result| result.outcome),
        is_late,
        content: told.map(|result| result.content.clone()).unwrap_or_default(),
    }
}

/// The result of a task whose call answered immediately.
fn result_of(result: &CallResult) -> TaskResult {
    let content = result.content.to_plain_text().into_owned();
    let digest = result.digest.clone().unwrap_or_else(|| sha256(content.as_bytes()));
    TaskResult { outcome: TaskOutcome::Completed, content, digest, at: result.at }
}
