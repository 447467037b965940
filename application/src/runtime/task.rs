//! The task of one workspace in memory: it takes letters in, wakes for its deadlines, runs effects, and ends when it has
//! been at rest for a while.

use std::collections::HashMap;
use std::sync::Arc;

use entracte_domain::command::CallOutcome;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::Effect;
use entracte_domain::time::{Millis, Timestamp};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

use super::alarm::nap;
use super::house::House;
use super::letter::{Letter, Outcome};
use super::local::{Shared, refuse_mail};
use super::perform::perform;
use super::workspace::{Fault, Turn, Workspace};
use crate::codec::MailAnswer;
use crate::ports::{PostError, StoreError};

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
    /// Why the last turn could not be committed; none when it was. What lasts is told once.
    trouble: Option<String>,
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
        Self { house: shared.house.clone(), shared, key, letters, running: HashMap::new(), trouble: None }
    }

    /// Serves the workspace until it has been at rest for a while.
    pub(super) async fn run(mut self, own: mpsc::WeakSender<Letter>) {
        let mut waiting = Vec::new();
        let Some(mut workspace) = self.open(&mut waiting).await else {
            return self.shared.give_up(&self.key);
        };
        let keep = self.house.settings.keep_in_memory;
        let mut wake_at = workspace.look_at_deadlines().await.unwrap_or_default();
        // Time that passed since somebody wrote. Not the clock's: that may be set.
        let mut quiet = Millis(0);
        loop {
            let left = Some(Millis(keep.0 - quiet.0)).filter(|left| left.0 > 0);
            let came = match waiting.is_empty() {
                true => self.receive(&mut waiting, wake_at, left).await,
                // They came while the workspace could not be opened.
                false => Came::Letters,
            };
            match came {
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

    async fn open(&mut self, waiting: &mut Vec<Letter>) -> Option<Workspace> {
        loop {
            match Workspace::open(self.house.clone(), self.key.clone()).await {
                Ok(workspace) => {
                    self.tell_mended();
                    return Some(workspace);
                }
                Err(
                    fault @ (Fault::Damaged(_) | Fault::Codec(_) | Fault::Store(StoreError::Inconsistent(_))),
                ) => {
                    tracing::error!(workspace = %self.key, %fault, "the workspace cannot be opened");
                    return None;
                }
                Err(fault @ (Fault::Store(StoreError::Unavailable(_)) | Fault::Conflict(_))) => {
                    self.tell_trouble(&fault);
                    self.pause(waiting, &fault).await;
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
                    self.tell_mended();
                    let (again, wake_at) = (turn.again, turn.wake_at);
                    waiting.extend(self.follow(workspace, turn, own).await);
                    if !again && waiting.is_empty() {
                        return if woken { self.after_wake(workspace).await } else { wake_at };
                    }
                }
                Err(fault) => {
                    self.tell_trouble(&fault);
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
            self.pause(waiting, fault).await;
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

    /// The database cannot be used now: it is tried again in a moment. Whoever asks meanwhile is told now, instead of
    /// waiting behind what cannot be written.
    async fn pause(&mut self, waiting: &mut Vec<Letter>, fault: &Fault) {
        while let Ok(letter) = self.letters.try_recv() {
            waiting.push(letter);
        }
        refuse_requests(waiting, fault);
        self.house.clock.sleep(AGAIN).await;
    }

    /// A fault that lasts is tried against every second and told once.
    fn tell_trouble(&mut self, fault: &Fault) {
        let says = fault.to_string();
        if self.trouble.as_ref() != Some(&says) {
            tracing::error!(workspace = %self.key, fault = says, "a turn could not be committed; it is tried again");
            self.trouble = Some(says);
        }
    }

    fn tell_mended(&mut self) {
        if self.trouble.take().is_some() {
            tracing::warn!(workspace = %self.key, "the workspace goes on");
        }
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
            Letter::Request { row: None, reply, .. } => {
                refuse(reply, fault);
                None
            }
            Letter::NetworkBack { .. } | Letter::Wake | Letter::Started => None,
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
                if self.running.get(&session).is_some_and(|running| running.contains_key(&effect)) {
                    continue;
                }
                match self.begin(workspace, &session, &effect, own, &mut not_begun).await {
                    Ok(Some(handle)) => {
                        self.running.entry(session.clone()).or_default().insert(effect, handle);
                    }
                    Ok(None) => {}
                    Err(fault) => {
                        tracing::error!(%session, ?effect, %fault, "an effect could not be begun");
                        not_begun.push(broken(session.clone(), &fault));
                    }
                }
            }
            if self.running.get(&session).is_some_and(HashMap::is_empty) {
                self.running.remove(&session);
            }
        }
        not_begun
    }

    /// Starts one effect. While the database cannot be read it is tried again: that is no fault of the session.
    async fn begin(
        &mut self,
        workspace: &mut Workspace,
        session: &SessionId,
        effect: &Effect,
        own: &mpsc::WeakSender<Letter>,
        waiting: &mut Vec<Letter>,
    ) -> Result<Option<AbortHandle>, Fault> {
        loop {
            match begin(&self.house, workspace, session, effect, own).await {
                Err(fault @ Fault::Store(StoreError::Unavailable(_))) => {
                    self.tell_trouble(&fault);
                    self.pause(waiting, &fault).await;
                }
                begun => return begun,
            }
        }
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
fn refuse_requests(waiting: &mut Vec<Letter>, fault: &Fault) {
    let is_asked_here = |letter: &mut Letter| matches!(letter, Letter::Request { row: None, .. });
    for letter in waiting.extract_if(.., is_asked_here) {
        if let Letter::Request { reply, .. } = letter {
            refuse(reply, fault);
        }
    }
}

/// Tells who asked in this process why nothing came of it.
fn refuse(reply: Option<oneshot::Sender<Result<MailAnswer, PostError>>>, fault: &Fault) {
    let why = match fault {
        Fault::Store(error) => PostError::Store(error.clone()),
        other @ (Fault::Codec(_) | Fault::Damaged(_) | Fault::Conflict(_)) => {
            PostError::Unavailable(other.to_string())
        }
    };
    if let Some(reply) = reply {
        // Whoever asked may have gone.
        let _ = reply.send(Err(why));
    }
}
