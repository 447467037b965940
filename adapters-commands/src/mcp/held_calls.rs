//! The tool calls that go on after their command became a task, in memory: at most [`HELD_CALLS_MAX`] of each server.
//! A call that is not here any more is never sent again, except a query.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use entracte_application::system::SecretScrubber;
use entracte_domain::id::TaskId;
use entracte_domain::task::TaskUpdate;
use rmcp::model::{CallToolResponse, ElicitResult, InputRequest};
use rmcp::service::ServiceError;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use super::connection::{McpConnection, RunningCall};
use super::open_calls::OpenCall;

/// The held calls of a server.
#[derive(Debug)]
pub(super) struct HeldCalls {
    process: String,
    calls: Mutex<BTreeMap<TaskId, HeldCall>>,
}

#[derive(Debug)]
struct HeldCall {
    /// How many times a person has answered it; only a row with the same number is about this state.
    round: u32,
    /// How many times it was sent again in this round.
    resends: u32,
    state: HeldCallState,
}

#[derive(Debug)]
enum HeldCallState {
    /// Announced: the task's row records that the call is sent, and the call is sent once that is stored.
    Prepared,
    Running(Box<HeldRunningCall>),
    /// It has ended, or asks again: what was reported, for a second poll.
    Reported(TaskUpdate),
}

/// A call under way; dropping it sends a cancellation.
#[derive(Debug)]
struct HeldRunningCall {
    answer: oneshot::Receiver<Result<CallToolResponse, ServiceError>>,
    task: AbortHandle,
    open: Arc<OpenCall>,
    connection: Weak<McpConnection>,
    scrubber: SecretScrubber,
    /// The question that was answered last.
    answered: Option<InputRequest>,
}

impl HeldRunningCall {
    fn spawn(running: RunningCall, connection: &Arc<McpConnection>) -> Self {
        let open = running.open_call();
        let (sender, answer) = oneshot::channel();
        // A server that drops its connection because of another call does not end this one.
        let kept = Arc::clone(connection);
        let work = tokio::spawn(async move {
            // Nobody may be there to read it: the task was cancelled.
            let _ = sender.send(running.finish().await);
            drop(kept);
        });
        Self {
            answer,
            task: work.abort_handle(),
            open,
            connection: Arc::downgrade(connection),
            scrubber: connection.scrubber(),
            answered: None,
        }
    }
}

impl Drop for HeldRunningCall {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The state of a held call.
#[derive(Debug)]
pub(super) enum HeldCallView {
    /// It is not held, or not in this round.
    Missing,
    Prepared,
    /// Its server asks.
    Asks {
        question: InputRequest,
        scrubber: SecretScrubber,
    },
    Working,
    /// Its server answered, or it broke (`None`).
    Answered(Box<HeldCallAnswer>),
    Reported(TaskUpdate),
}

/// The answer to a held call.
#[derive(Debug)]
pub(super) struct HeldCallAnswer {
    /// `None` if the call was dropped before its answer.
    pub(super) answer: Option<Result<CallToolResponse, ServiceError>>,
    pub(super) connection: Weak<McpConnection>,
    pub(super) scrubber: SecretScrubber,
}

/// The questions of a running call.
#[derive(Debug)]
pub(super) struct HeldCallQuestions {
    pub(super) open: Option<InputRequest>,
    pub(super) answered: Option<InputRequest>,
    pub(super) scrubber: SecretScrubber,
}

/// What became of a held call that is cancelled.
#[derive(Debug)]
pub(super) enum HeldCallEnd {
    /// It was not at the server.
    NotSent,
    /// It was at the server, which was told.
    Stopped,
    Reported(TaskUpdate),
}

impl HeldCalls {
    /// No calls, in a process of this name, which no other process has.
    pub(super) fn new(process: String) -> Self {
        Self { process, calls: Mutex::default() }
    }

    /// The name of this process. A row that another process wrote last is not about the calls held here, even if both
    /// are about the same answer: ownership of the database may have gone there and back.
    pub(super) fn process(&self) -> &str {
        &self.process
    }

    fn calls(&self) -> MutexGuard<'_, BTreeMap<TaskId, HeldCall>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a call is under way, or about to be sent.
    pub(super) fn has_open(&self) -> bool {
        let is_open = |held: &HeldCall| match held.state {
            HeldCallState::Prepared | HeldCallState::Running(_) => true,
            HeldCallState::Reported(_) => false,
        };
        self.calls().values().any(is_open)
    }

    /// Holds a call that runs, from now on beside its command. Gives it back if too many are held.
    pub(super) fn hold(
        &self,
        task: &TaskId,
        running: RunningCall,
        connection: &Arc<McpConnection>,
    ) -> Result<(), RunningCall> {
        let mut calls = self.calls();
        if !make_room(&mut calls, task) {
            return Err(running);
        }
        let state = HeldCallState::Running(Box::new(HeldRunningCall::spawn(running, connection)));
        calls.insert(task.clone(), HeldCall { round: 0, resends: 0, state });
        Ok(())
    }

    /// Sends a prepared call, once. Returns whether it was sent.
    pub(super) fn send_prepared(
        &self,
        task: &TaskId,
        round: u32,
        call: RunningCall,
        connection: &Arc<McpConnection>,
    ) -> bool {
        match self.calls().get_mut(task) {
            Some(HeldCall { round: held, state: state @ HeldCallState::Prepared, .. }) if *held == round => {
                *state = HeldCallState::Running(Box::new(HeldRunningCall::spawn(call, connection)));
                true
            }
            Some(_) | None => false,
        }
    }

    /// Allows the call to be sent in this round. Refuses if it runs, or too many are held.
    pub(super) fn prepare(&self, task: &TaskId, round: u32) -> bool {
        let mut calls = self.calls();
        let runs = calls.get(task).is_some_and(|held| matches!(held.state, HeldCallState::Running(_)));
        if runs || !make_room(&mut calls, task) {
            return false;
        }
        let held = HeldCall { round, resends: 0, state: HeldCallState::Prepared };
        calls.insert(task.clone(), held);
        true
    }

    /// Allows the call to be sent once more in this round, if it was not too often.
    pub(super) fn prepare_resend(&self, task: &TaskId) -> bool {
        let mut calls = self.calls();
        let Some(held) = calls.get_mut(task).filter(|held| held.resends < RESENDS_MAX) else { return false };
        held.resends += 1;
        held.state = HeldCallState::Prepared;
        true
    }

    /// The state of a call in this round. An answer is taken out, and must be reported.
    pub(super) fn look(&self, task: &TaskId, round: u32) -> HeldCallView {
        let mut calls = self.calls();
        let Some(held) = calls.get_mut(task).filter(|held| held.round == round) else {
            return HeldCallView::Missing;
        };
        let running = match &mut held.state {
            HeldCallState::Prepared => return HeldCallView::Prepared,
            HeldCallState::Reported(update) => return HeldCallView::Reported(update.clone()),
            HeldCallState::Running(running) => running,
        };
        let answer = match running.answer.try_recv() {
            Ok(answer) => Some(answer),
            Err(oneshot::error::TryRecvError::Closed) => None,
            Err(oneshot::error::TryRecvError::Empty) => {
                return match running.open.question() {
                    Some(question) => HeldCallView::Asks { question, scrubber: running.scrubber.clone() },
                    None => HeldCallView::Working,
                };
            }
        };
        let (connection, scrubber) = (running.connection.clone(), running.scrubber.clone());
        // Until it is reported, it counts as lost: an answer is read once.
        held.state = HeldCallState::Reported(TaskUpdate::Gone);
        HeldCallView::Answered(Box::new(HeldCallAnswer { answer, connection, scrubber }))
    }

    /// Records what is reported about a call, which runs no more.
    pub(super) fn report(&self, task: &TaskId, update: TaskUpdate) -> TaskUpdate {
        if let Some(held) = self.calls().get_mut(task) {
            held.state = HeldCallState::Reported(update.clone());
        }
        update
    }

    /// Gives a person's answer to the server. Returns whether the server has the answer to this question.
    pub(super) fn answer(&self, task: &TaskId, question: &InputRequest, answer: ElicitResult) -> bool {
        let mut calls = self.calls();
        let Some(HeldCall { state: HeldCallState::Running(running), .. }) = calls.get_mut(task) else {
            return false;
        };
        let is_given = running.open.answer(question, answer);
        if is_given {
            running.answered = Some(question.clone());
        }
        is_given
    }

    /// The open question of a running call and the one that was answered last.
    pub(super) fn questions(&self, task: &TaskId) -> Option<HeldCallQuestions> {
        match self.calls().get(task) {
            Some(HeldCall { state: HeldCallState::Running(running), .. }) => Some(HeldCallQuestions {
                open: running.open.question(),
                answered: running.answered.clone(),
                scrubber: running.scrubber.clone(),
            }),
            Some(_) | None => None,
        }
    }

    /// Ends a call; `None` if it is not held.
    pub(super) fn end(&self, task: &TaskId) -> Option<HeldCallEnd> {
        self.calls().remove(task).map(|held| match held.state {
            HeldCallState::Prepared => HeldCallEnd::NotSent,
            HeldCallState::Running(_) => HeldCallEnd::Stopped,
            HeldCallState::Reported(update) => HeldCallEnd::Reported(update),
        })
    }
}

/// Makes room for a call, if need be by forgetting one whose end was reported.
fn make_room(calls: &mut BTreeMap<TaskId, HeldCall>, task: &TaskId) -> bool {
    if calls.contains_key(task) || calls.len() < HELD_CALLS_MAX {
        return true;
    }
    let mut reported = calls.iter().filter(|(_, held)| matches!(held.state, HeldCallState::Reported(_)));
    let Some(oldest) = reported.next().map(|(task, _)| task.clone()) else { return false };
    calls.remove(&oldest);
    true
}

/// The most calls of one server that are held at once.
pub(super) const HELD_CALLS_MAX: usize = 16;
/// The most times that a call is sent again because it did not arrive, or because it is a query whose answer was lost.
const RESENDS_MAX: u32 = 3;
