//! The task of one workspace in memory: it takes letters in, wakes for its deadlines, runs effects, and ends when it has
//! been at rest for a while.

use std::collections::HashMap;
use std::sync::Arc;

use entracte_domain::command::CallOutcome;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::Effect;
use entracte_domain::time::{Millis, Timestamp};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::alarm::nap;
use super::house::House;
use super::letter::{Letter, Outcome};
use super::local::{Shared, refuse_mail};
use super::perform::perform;
use super::workspace::{Fault, Turn, Workspace};
use crate::codec::MailAnswer;
use crate::ports::StoreError;

/// Letters that one turn takes in.
const FOLD: usize = 64;

/// Wait before a failed turn is made again.
pub(super) const AGAIN: Millis = Millis::seconds(1);

/// Turns that may fail by conflict before the fault is looked for in the letters themselves.
const CONFLICTS_MAX: u32 = 5;

/// The task of one workspace.
pub(super) struct WorkspaceTask {
    shared: Arc<Shared>,
    house: Arc<House>,
    key: WorkspaceKey,
    letters: mpsc::Receiver<Letter>,
    /// What runs, to be dropped when it is no longer desired.
    running: HashMap<SessionId, HashMap<Effect, AbortHandle>>,
}

/// Why a task goes on.
enum Came {
    /// Letters.
    Letters,
    /// Nothing, for so long.
    Time(Millis),
    /// Nobody can write any more.
    End,
}

impl WorkspaceTask {
    /// Of a workspace that is not in memory yet.
    pub(super) fn new(shared: Arc<Shared>, key: WorkspaceKey, letters: mpsc::Receiver<Letter>) -> Self {
        Self { house: shared.house.clone(), shared, key, letters, running: HashMap::new() }
    }

    /// Serves the workspace until it has been at rest for a while.
    pub(super) async fn run(mut self, own: mpsc::WeakSender<Letter>) {
        let Some(mut workspace) = self.open().await else { return self.shared.give_up(&self.key) };
        let keep = self.house.settings.keep_in_memory;
        let mut waiting = Vec::new();
        let mut wake_at = workspace.look_at_deadlines().await.unwrap_or_default();
        // Time that passed since somebody wrote. Not the clock's: that may be set.
        let mut quiet = Millis(0);
        loop {
            let left = Some(Millis(keep.0 - quiet.0)).filter(|left| left.0 > 0);
            match self.receive(&mut waiting, wake_at, left).await {
                Came::End => return,
                Came::Letters if waiting.iter().all(|letter| matches!(letter, Letter::Wake)) => {}
                Came::Letters => quiet = Millis(0),
                Came::Time(passed) => {
                    quiet = Millis(quiet.0.saturating_add(passed.0));
                    waiting.push(Letter::Wake);
                }
            }
            wake_at = self.settle(&mut workspace, &mut waiting, &own).await;
            if quiet >= keep && self.is_at_rest(&workspace) {
                let rest = (wake_at, workspace.holds_back());
                if self.shared.retire(&self.key, &self.letters, rest) {
                    return;
                }
            }
        }
    }

    /// Nothing runs, and nothing more can be done by itself before a deadline.
    fn is_at_rest(&self, workspace: &Workspace) -> bool {
        let mut running = self.running.values().flat_map(HashMap::values);
        running.all(AbortHandle::is_finished) && workspace.is_at_rest()
    }

    async fn open(&self) -> Option<Workspace> {
        let key = &self.key;
        loop {
            match Workspace::open(self.house.clone(), key.clone()).await {
                Ok(workspace) => return Some(workspace),
                Err(
                    fault @ (Fault::Damaged(_) | Fault::Codec(_) | Fault::Store(StoreError::Inconsistent(_))),
                ) => {
                    tracing::error!(workspace = %key, %fault, "the workspace cannot be opened");
                    return None;
                }
                Err(fault @ (Fault::Store(StoreError::Unavailable(_)) | Fault::Conflict(_))) => {
                    tracing::warn!(workspace = %key, %fault, "the workspace cannot be opened now");
                    self.house.clock.sleep(AGAIN).await;
                }
            }
        }
    }

    /// Waits for letters, or for a deadline, or for what is left until the workspace may leave memory.
    async fn receive(
        &mut self,
        waiting: &mut Vec<Letter>,
        wake_at: Option<Timestamp>,
        left: Option<Millis>,
    ) -> Came {
        let nap = nap(wake_at, self.house.clock.now(), self.house.settings.longest_sleep);
        let nap = left.map_or(nap, |left| nap.min(left));
        tokio::select! {
            biased;
            received = self.letters.recv_many(waiting, FOLD) => {
                if received > 0 { Came::Letters } else { Came::End }
            }
            () = self.house.clock.sleep(nap) => Came::Time(nap),
        }
    }

    /// Handles letters until nothing more can be done at once; gives the next deadline.
    async fn settle(
        &mut self,
        workspace: &mut Workspace,
        waiting: &mut Vec<Letter>,
        own: &mpsc::WeakSender<Letter>,
    ) -> Option<Timestamp> {
        let mut woken = false;
        let mut fold = usize::MAX;
        let mut conflicts = 0;
        loop {
            let mut letters: Vec<Letter> = waiting.drain(..fold.min(waiting.len())).collect();
            woken |= letters.iter().any(|letter| matches!(letter, Letter::Wake));
            match workspace.handle(&mut letters).await {
                Ok(turn) => {
                    let (again, wake_at) = (turn.again, turn.wake_at);
                    waiting.extend(self.follow(workspace, turn, own).await);
                    if !again && waiting.is_empty() {
                        return if woken { self.after_wake(workspace).await } else { wake_at };
                    }
                }
                Err(fault) => {
                    tracing::error!(workspace = %workspace.key(), %fault, "a turn could not be committed");
                    waiting.splice(0..0, letters);
                    let hopeless = match &fault {
                        Fault::Store(StoreError::Unavailable(_)) => false,
                        Fault::Store(StoreError::Inconsistent(_)) | Fault::Codec(_) | Fault::Damaged(_) => {
                            true
                        }
                        Fault::Conflict(_) => {
                            conflicts += 1;
                            conflicts >= CONFLICTS_MAX
                        }
                    };
                    fold = self.after_failure(workspace, waiting, &fault, fold, hopeless).await;
                }
            }
        }
    }

    /// A deadline was taken: what rests is forgotten, and the next deadline is looked up.
    async fn after_wake(&self, workspace: &mut Workspace) -> Option<Timestamp> {
        let now = self.house.clock.now();
        workspace.forget_resting(now);
        // A deadline that is past and was not taken must not make this a busy loop.
        let soonest = now.plus(AGAIN);
        match workspace.look_at_deadlines().await {
            Ok(looked) => looked.map(|at| at.max(soonest)),
            Err(fault) => {
                tracing::warn!(workspace = %workspace.key(), %fault, "the next deadline cannot be looked up");
                Some(soonest)
            }
        }
    }

    /// A turn failed. While the database cannot be used, what must not be lost is kept and tried again. A letter
    /// that can never be committed is found by trying one at a time, and taken apart, or it would block its
    /// workspace for ever. Gives how many letters the next turn takes.
    async fn after_failure(
        &mut self,
        workspace: &Workspace,
        waiting: &mut Vec<Letter>,
        fault: &Fault,
        fold: usize,
        hopeless: bool,
    ) -> usize {
        if !hopeless {
            // Whoever asks meanwhile is told now, instead of waiting behind what cannot be written.
            while let Ok(letter) = self.letters.try_recv() {
                waiting.push(letter);
            }
            refuse_requests(waiting);
            self.house.clock.sleep(AGAIN).await;
            return fold;
        }
        if waiting.is_empty() {
            waiting.extend(workspace.planning().map(|session| broken(session.clone(), fault)));
            // If that cannot be written either, this must not become a busy loop.
            self.house.clock.sleep(AGAIN).await;
        } else if fold == 1 || waiting.len() == 1 {
            let letter = waiting.remove(0);
            waiting.splice(0..0, self.defuse(letter, fault).await);
        }
        1
    }

    /// What is left of a letter that cannot be committed.
    async fn defuse(&self, letter: Letter, fault: &Fault) -> Option<Letter> {
        match letter {
            Letter::Outcome { session, outcome: Outcome::Broken(_) } => {
                tracing::error!(%session, "the session cannot be written; it stays as it is until a restart");
                None
            }
            // What came of it cannot be kept. The call must not wait for it for ever: what is kept is that nobody
            // knows, and its effect class says what follows.
            Letter::Outcome { session, outcome: Outcome::Call { call, attempt, outcome } }
                if !matches!(outcome, CallOutcome::Lost { .. }) =>
            {
                let outcome = CallOutcome::Lost { found_by_start: None };
                Some(Letter::Outcome { session, outcome: Outcome::Call { call, attempt, outcome } })
            }
            Letter::Outcome { session, outcome: _ } => Some(broken(session, fault)),
            Letter::Request { row: Some(id), .. } => {
                let answer = MailAnswer::Refused { code: "invalid".into(), text: fault.to_string() };
                refuse_mail(&self.house, id, &answer).await;
                None
            }
            Letter::Request { row: None, .. }
            | Letter::NetworkBack { .. }
            | Letter::Wake
            | Letter::Started => None,
        }
    }

    /// Drops what runs and is no longer desired; starts what is desired and does not run. Gives the letters about
    /// what could not be begun: they are handled next, so none is lost in a full box.
    async fn follow(
        &mut self,
        workspace: &mut Workspace,
        turn: Turn,
        own: &mpsc::WeakSender<Letter>,
    ) -> Vec<Letter> {
        let mut not_begun = Vec::new();
        for (session, desired) in turn.touched {
            let running = self.running.entry(session.clone()).or_default();
            running.retain(|effect, handle| {
                let keep = desired.contains(effect);
                if !keep {
                    handle.abort();
                }
                keep
            });
            for effect in desired {
                if running.contains_key(&effect) {
                    continue;
                }
                match begin(&self.house, workspace, &session, &effect, own).await {
                    Ok(Some(handle)) => {
                        running.insert(effect, handle);
                    }
                    Ok(None) => {}
                    Err(fault) => {
                        tracing::error!(%session, ?effect, %fault, "an effect could not be begun");
                        not_begun.push(broken(session.clone(), &fault));
                    }
                }
            }
            if running.is_empty() {
                self.running.remove(&session);
            }
        }
        not_begun
    }
}

impl Drop for WorkspaceTask {
    fn drop(&mut self) {
        for handle in self.running.values().flat_map(HashMap::values) {
            handle.abort();
        }
    }
}

/// Starts one effect; its outcome comes back as a letter.
async fn begin(
    house: &Arc<House>,
    workspace: &mut Workspace,
    session: &SessionId,
    effect: &Effect,
    own: &mpsc::WeakSender<Letter>,
) -> Result<Option<AbortHandle>, Fault> {
    let Some(job) = workspace.job(session, effect).await? else { return Ok(None) };
    let (house, session, own) = (house.clone(), session.clone(), own.clone());
    let task = tokio::spawn(async move {
        let outcome = perform(house, session.clone(), job).await;
        if let Some(own) = own.upgrade() {
            let _ = own.send(Letter::Outcome { session, outcome }).await;
        }
    });
    Ok(Some(task.abort_handle()))
}

fn broken(session: SessionId, fault: &Fault) -> Letter {
    Letter::Outcome { session, outcome: Outcome::Broken(fault.to_string()) }
}

/// The database cannot be written: whoever asks is told now. Outcomes and wake-ups are kept, they must not be
/// lost; mail of other processes waits, its posters see no answer and may take it back.
fn refuse_requests(waiting: &mut Vec<Letter>) {
    waiting.retain(|letter| !matches!(letter, Letter::Request { row: None, .. }));
}
