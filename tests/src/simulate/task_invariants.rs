//! Invariants of long tasks after every step: each end is read once, or shown as not delivered; acknowledged messages
//! stay; and unsigned messages do not count.

use std::collections::BTreeMap;

use entracte_application::codec::decode_call;
use entracte_application::ports::LogReader;
use entracte_domain::call::CallStatus;
use entracte_domain::id::{SessionId, TaskId};
use entracte_domain::session::{Phase, SessionFacts};
use entracte_domain::task::{Task, TaskResult, TaskState};

use super::notice_log::SessionNoticeLog;
use super::task_server::{DONE_AT_ONCE, FORGED};
use super::workspace::SimulatedWorkspace;
use crate::virtual_workspace::home;

/// The sessions, each with its facts and its phase.
pub(super) type SessionStateMap = BTreeMap<SessionId, (SessionFacts, Phase)>;

impl SimulatedWorkspace {
    /// The violated invariant of tasks, if any.
    pub(super) async fn deliveries_hold(&mut self, states: &SessionStateMap) -> Result<(), String> {
        if let Some(fault) = self.faults.pop() {
            return Err(fault);
        }
        let tasks = self.tasks().await;
        for task in &tasks {
            self.journal.read_new_entries(&*self.world.store, &task.session).await;
            let result = self.result_of(task).await;
            is_read_once(task, result, states.get(&task.session), &self.journal)?;
            let said = [&task.result, &task.late_result].into_iter().flatten().map(|result| &result.content);
            if said
                .chain(task.progress.iter().map(|progress| &progress.text))
                .any(|text| text.contains(FORGED))
            {
                return Err(format!("{} has what nobody signed", task.id));
            }
        }
        let of = |id: &TaskId| tasks.iter().find(|task| task.id == *id);
        for taken in self.bureau.taken() {
            of(&taken).ok_or_else(|| format!("{taken} was given away, and has no row"))?;
        }
        for (id, content) in &self.told.ends {
            let says = |result: &Option<TaskResult>| {
                result.as_ref().is_some_and(|result| result.content == *content)
            };
            if !of(id).is_some_and(|task| says(&task.result) || says(&task.late_result)) {
                return Err(format!("the acknowledged end of {id} is gone: {content}"));
            }
        }
        Ok(())
    }

    /// The status of the call that started a task; `None` while it is open.
    async fn result_of(&self, task: &Task) -> Option<CallStatus> {
        let row = self.world.store.call(&home(), &task.call).await.unwrap()?;
        decode_call(&row).unwrap().result().map(|result| result.status)
    }
}

/// The end of a task is read once if it counts as delivered, and otherwise never. It is not delivered only if its
/// session has ended, still waits for the result of the starting call, or learned from that result, after the task had
/// ended here, that it was done at once or not started.
fn is_read_once(
    task: &Task,
    result: Option<CallStatus>,
    session: Option<&(SessionFacts, Phase)>,
    journal: &SessionNoticeLog,
) -> Result<(), String> {
    let (id, (read, read_late)) = (&task.id, journal.ends_of(&task.session, &task.id));
    if read > 1 || read_late > 1 {
        return Err(format!("{id} ended once and was read {read} times, and {read_late} times late"));
    }
    if !task.state.is_final() {
        return if read + read_late == 0 {
            Ok(())
        } else {
            Err(format!("{id} is open, and its end was read"))
        };
    }
    let Some((_, phase)) = session else { return Err(format!("the session of {id} is gone")) };
    let has_ended = matches!(phase, Phase::Completed { .. });
    let is_awaited = result.is_none();
    let says_it_all = !matches!(
        result,
        None | Some(
            CallStatus::Accepted | CallStatus::TimedOut | CallStatus::Unknown | CallStatus::Cancelled
        )
    );
    let reads = if task.late_result.is_some() { read_late } else { read };
    match (task.is_delivered, reads) {
        (true, 1) | (false, 0) => {}
        // The result of the call said how it ended.
        (true, 0) if task.late_result.is_none() && is_at_once(task) => {}
        (true, _) => return Err(format!("{id} ({}) counts as read, and was not", task.state.word())),
        (false, _) => return Err(format!("{id} was read, and counts as not delivered")),
    }
    if !task.is_delivered && !has_ended && !is_awaited && !says_it_all {
        return Err(format!("{id} ended ({}), and nobody told {}", task.state.word(), task.session));
    }
    Ok(())
}

/// Whether the call's own result says how it ended: it was done at once, or not started.
fn is_at_once(task: &Task) -> bool {
    match &task.result {
        Some(result) => result.content == DONE_AT_ONCE,
        None => task.state == TaskState::Failed,
    }
}
