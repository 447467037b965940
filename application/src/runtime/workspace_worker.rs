//! The worker of one workspace in memory: it receives inputs, wakes for its deadlines, runs effects, and ends
//! when it has been at rest for a while.

use std::collections::HashMap;
use std::sync::Arc;

use entracte_domain::call::CallOutcome;
use entracte_domain::id::{SessionId, TaskId, WorkspaceKey};
use entracte_domain::session::Effect;
use entracte_domain::task::TaskWork;
use entracte_domain::time::{Millis, Timestamp};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tracing::Instrument as _;

use super::dual_clock::{AGAIN, DualClockInstant};
use super::effects::{EffectContext, perform};
use super::error::TurnError;
use super::loaded_workspace::{LoadedWorkspace, TurnFollowUp};
use super::local_runtime::{SharedRuntimeState, refuse_mail};
use super::ownership_lease::OwnershipLease;
use super::refusals::{not_owner_error, refuse, refuse_requests};
use super::services::RuntimeServices;
use super::task_work::perform_task_work;
use super::wake_timer::sleep_span;
use super::workspace_input::{EffectOutcome, WorkspaceInput};
use crate::mail::{MailAnswer, RefusalCode};
use crate::ports::StoreError;
use crate::settings::Language;
use crate::texts::LocalizedTexts;

/// Maximum inputs that one turn takes in.
const FOLD: usize = 64;

/// Interval at which the worker of a stopping process checks whether work still runs.
const LAST_LOOKS: Millis = Millis(20);

/// Turns that may fail by conflict before the fault is sought in the mail itself.
const CONFLICTS_MAX: u32 = 5;

/// The worker of one workspace.
pub(super) struct WorkspaceWorker {
    shared: Arc<SharedRuntimeState>,
    services: Arc<RuntimeServices>,
    key: WorkspaceKey,
    /// The right to the workspace; that of the process until it is acquired.
    owner: Arc<OwnershipLease>,
    incoming: mpsc::Receiver<WorkspaceInput>,
    /// The running effects, aborted when they are no longer desired.
    running: HashMap<SessionId, HashMap<Effect, AbortHandle>>,
    /// The running work for tasks.
    errands: HashMap<TaskId, (TaskWork, AbortHandle)>,
    /// Why the last turn could not be committed; `None` if it was. A lasting fault is logged once.
    trouble: Option<String>,
}

/// Why a worker continues.
enum WorkerSignal {
    /// New input arrived.
    Mail,
    /// This much time passed without input.
    Time(Millis),
    /// All senders are gone.
    End,
    /// Another process owns the database, or has the workspace.
    Loss,
}

/// Another process owns the database, or has the workspace: no more turns are made.
struct OwnershipLost;

impl WorkspaceWorker {
    /// The worker of a workspace that is not in memory yet.
    pub(super) fn new(
        shared: Arc<SharedRuntimeState>,
        key: WorkspaceKey,
        incoming: mpsc::Receiver<WorkspaceInput>,
    ) -> Self {
        Self {
            services: shared.services.clone(),
            owner: shared.owner.clone(),
            shared,
            key,
            incoming,
            running: HashMap::new(),
            errands: HashMap::new(),
            trouble: None,
        }
    }

    /// Serves the workspace until it has been at rest for a while.
    pub(super) async fn run(mut self, own: mpsc::WeakSender<WorkspaceInput>) {
        let mut waiting = Vec::new();
        if !self.acquire(&mut waiting).await {
            return self.step_down(waiting).await;
        }
        let Some(mut workspace) = self.open(&mut waiting).await else {
            if self.owner.is_lost() {
                return self.step_down(waiting).await;
            }
            self.shared.remove_unopenable(&self.key);
            return self.owner.release_workspace().await;
        };
        let keep = self.services.settings.keep_in_memory;
        let mut wake_at = workspace.next_deadline();
        // Time since the last input. Not from the wall clock, which may be set.
        let mut quiet = Millis(0);
        let mut forgot_at = self.services.clock.monotonic();
        loop {
            let left = Some(Millis(keep.0 - quiet.0)).filter(|left| left.0 > 0);
            let left = if self.owner.is_leaving() { Some(LAST_LOOKS) } else { left };
            let came = match waiting.is_empty() {
                true => self.receive(&mut waiting, wake_at, left).await,
                // They arrived while the workspace could not be opened.
                false => WorkerSignal::Mail,
            };
            match came {
                WorkerSignal::End => return,
                WorkerSignal::Loss => return self.step_down(waiting).await,
                WorkerSignal::Mail if waiting.iter().all(|item| matches!(item, WorkspaceInput::Wake)) => {}
                WorkerSignal::Mail => quiet = Millis(0),
                // Running work has ended or continues: a turn is made for its outcomes.
                WorkerSignal::Time(_) if self.owner.is_leaving() => {}
                WorkerSignal::Time(passed) => {
                    quiet = Millis(quiet.0.saturating_add(passed.0));
                    waiting.push(WorkspaceInput::Wake);
                }
            }
            wake_at = match self.settle(&mut workspace, &mut waiting, &own).await {
                Ok(wake_at) => wake_at,
                Err(OwnershipLost) => return self.step_down(waiting).await,
            };
            // By time alone: under constant mail no deadline is waited for.
            let now = self.services.clock.monotonic();
            if now.0.saturating_sub(forgot_at.0) >= keep.0 {
                workspace.evict_resting_sessions(self.services.clock.now());
                forgot_at = now;
            }
            let may_leave = match self.owner.is_leaving() {
                true => self.is_idle(),
                false => quiet >= keep && self.is_at_rest(&workspace),
            };
            if may_leave {
                let holds_back = workspace.has_blocked_work();
                if self.shared.retire_worker(&self.key, &self.incoming, wake_at, holds_back) {
                    return self.owner.release_workspace().await;
                }
            }
        }
    }

    /// Whether nothing runs, and no work is possible before a deadline.
    fn is_at_rest(&self, workspace: &LoadedWorkspace) -> bool {
        self.is_idle() && workspace.is_at_rest()
    }

    /// Whether nothing runs.
    fn is_idle(&self) -> bool {
        let mut running = self.running.values().flat_map(HashMap::values);
        running.all(AbortHandle::is_finished) && self.errands.values().all(|(_, errand)| errand.is_finished())
    }

    /// Acquires the workspace for this process; `false` if another process has it.
    async fn acquire(&mut self, waiting: &mut Vec<WorkspaceInput>) -> bool {
        loop {
            match self.services.acquire_workspace(&self.shared.owner, &self.key).await {
                Ok(Some(right)) => {
                    self.owner = right;
                    self.shared.note_acquired(&self.key);
                    self.report_recovery();
                    return true;
                }
                Ok(None) => return false,
                Err(_) if self.shared.owner.is_lost() => return false,
                Err(fault) => {
                    self.tell_trouble(&fault);
                    self.pause(waiting, &fault).await;
                }
            }
        }
    }

    async fn open(&mut self, waiting: &mut Vec<WorkspaceInput>) -> Option<LoadedWorkspace> {
        loop {
            match LoadedWorkspace::open(self.services.clone(), self.owner.clone(), self.key.clone()).await {
                Ok(workspace) => {
                    self.report_recovery();
                    if self.owner.is_shared() {
                        // Another process may have had the workspace, and left work under way.
                        waiting.push(WorkspaceInput::Started);
                    }
                    return Some(workspace);
                }
                Err(
                    fault @ (TurnError::Damaged(_)
                    | TurnError::Endless(_)
                    | TurnError::Codec(_)
                    | TurnError::Store(StoreError::Inconsistent(_))),
                ) => {
                    tracing::error!(workspace = %self.key, %fault, "the workspace cannot be opened");
                    return None;
                }
                Err(TurnError::NotOwner(_)) => return None,
                Err(_) if self.owner.is_lost() => return None,
                Err(fault @ (TurnError::Store(StoreError::Unavailable(_)) | TurnError::Conflict(_))) => {
                    self.tell_trouble(&fault);
                    self.pause(waiting, &fault).await;
                }
            }
        }
    }

    /// Waits for an input, a deadline, or the time after which the workspace may leave memory.
    async fn receive(
        &mut self,
        waiting: &mut Vec<WorkspaceInput>,
        wake_at: Option<Timestamp>,
        left: Option<Millis>,
    ) -> WorkerSignal {
        let nap = sleep_span(wake_at, self.services.clock.now(), self.services.settings.longest_sleep);
        let nap = left.map_or(nap, |left| nap.min(left));
        tokio::select! {
            biased;
            received = self.incoming.recv_many(waiting, FOLD) => {
                if received > 0 { WorkerSignal::Mail } else { WorkerSignal::End }
            }
            () = self.owner.wait_until_lost() => WorkerSignal::Loss,
            () = self.services.clock.sleep(nap) => WorkerSignal::Time(nap),
        }
    }

    /// Handles inputs until no work is possible; returns the next deadline.
    async fn settle(
        &mut self,
        workspace: &mut LoadedWorkspace,
        waiting: &mut Vec<WorkspaceInput>,
        own: &mpsc::WeakSender<WorkspaceInput>,
    ) -> Result<Option<Timestamp>, OwnershipLost> {
        let mut woken = false;
        let mut fold = usize::MAX;
        let mut conflicts = 0;
        loop {
            let mut incoming: Vec<WorkspaceInput> = waiting.drain(..fold.min(waiting.len())).collect();
            woken |= incoming.iter().any(|item| matches!(item, WorkspaceInput::Wake));
            match workspace.handle(&mut incoming).await {
                Ok(turn) => {
                    self.report_recovery();
                    let (again, wake_at) = (turn.again, turn.wake_at);
                    waiting.extend(self.reconcile_effects(workspace, turn, own).await);
                    if self.owner.is_lost() {
                        return Err(OwnershipLost);
                    }
                    if !again && waiting.is_empty() {
                        return Ok(if woken { self.after_wake(workspace).await } else { wake_at });
                    }
                }
                Err(fault) => {
                    if matches!(fault, TurnError::NotOwner(_)) || self.owner.is_lost() {
                        // A store that failed in the middle of a commit may have written it all the same.
                        let fault =
                            if matches!(fault, TurnError::Store(_)) { fault } else { not_owner_error() };
                        refuse_requests(&mut incoming, &fault);
                        return Err(OwnershipLost);
                    }
                    waiting.splice(0..0, incoming);
                    self.tell_trouble(&fault);
                    let hopeless = match &fault {
                        TurnError::Store(StoreError::Unavailable(_)) => false,
                        TurnError::Store(StoreError::Inconsistent(_))
                        | TurnError::Codec(_)
                        | TurnError::NotOwner(_)
                        | TurnError::Endless(_)
                        | TurnError::Damaged(_) => true,
                        TurnError::Conflict(_) => {
                            conflicts += 1;
                            conflicts >= CONFLICTS_MAX
                        }
                    };
                    // Another writer was faster, and nothing was written: the requests of this process wait for the
                    // next turn.
                    if matches!(fault, TurnError::Conflict(_)) && !hopeless {
                        continue;
                    }
                    fold = self.after_failure(workspace, waiting, &fault, fold, hopeless).await;
                }
            }
        }
    }

    /// Ends the worker after another process took the database or the workspace: running work is aborted, and
    /// unanswered requests of this process are refused as not done. Mail of other processes stays for the next owner.
    async fn step_down(mut self, mut waiting: Vec<WorkspaceInput>) {
        self.abort_all();
        // First, so that from here on an input finds another worker, which acquires the workspace again.
        self.shared.remove_lost(&self.key);
        self.incoming.close();
        loop {
            refuse_requests(&mut waiting, &not_owner_error());
            self.shared.leave_mail(&waiting);
            waiting.clear();
            // Waits for a request that is being sent at this moment.
            if self.incoming.recv_many(&mut waiting, FOLD).await == 0 {
                return;
            }
        }
    }

    /// Aborts everything that runs.
    fn abort_all(&mut self) {
        self.running.drain().flat_map(|(_, effects)| effects).for_each(|(_, handle)| handle.abort());
        self.errands.drain().for_each(|(_, (_, errand))| errand.abort());
    }

    /// The next deadline, after one was consumed.
    async fn after_wake(&self, workspace: &mut LoadedWorkspace) -> Option<Timestamp> {
        // A past deadline that was not consumed must not make this a busy loop.
        let soonest = self.services.clock.now().plus(AGAIN);
        match workspace.refresh_next_deadline().await {
            Ok(looked) => looked.map(|at| at.max(soonest)),
            Err(fault) => {
                tracing::warn!(workspace = %workspace.key(), %fault, "the next deadline cannot be read");
                Some(soonest)
            }
        }
    }

    /// Handles a failed turn. While the database is unavailable, inputs that must not be lost are kept and retried.
    /// An input that can never be committed is found by trying one at a time, and replaced, or it would block its
    /// workspace for ever. Returns how many inputs the next turn takes.
    async fn after_failure(
        &mut self,
        workspace: &LoadedWorkspace,
        waiting: &mut Vec<WorkspaceInput>,
        fault: &TurnError,
        fold: usize,
        hopeless: bool,
    ) -> usize {
        if !hopeless {
            self.pause(waiting, fault).await;
            return fold;
        }
        if waiting.is_empty() {
            waiting.extend(
                workspace.planning().map(|session| broken(session.clone(), fault, workspace.language())),
            );
            // If that cannot be written either, this must not become a busy loop.
            self.services.clock.sleep(AGAIN).await;
        } else if fold == 1 || waiting.len() == 1 {
            let item = waiting.remove(0);
            waiting.splice(0..0, self.discard_uncommittable(item, fault, workspace.language()).await);
        }
        1
    }

    /// Waits a moment because the database is unavailable. Requests that arrive meanwhile are refused immediately,
    /// instead of waiting behind input that cannot be written.
    async fn pause(&mut self, waiting: &mut Vec<WorkspaceInput>, fault: &TurnError) {
        while let Ok(item) = self.incoming.try_recv() {
            waiting.push(item);
        }
        refuse_requests(waiting, fault);
        self.services.clock.sleep(AGAIN).await;
    }

    /// Logs a lasting fault once; it is retried every second.
    fn tell_trouble(&mut self, fault: &TurnError) {
        let says = fault.to_string();
        if self.trouble.as_ref() != Some(&says) {
            tracing::error!(workspace = %self.key, fault = says, "a turn could not be committed; retrying");
            self.trouble = Some(says);
        }
    }

    fn report_recovery(&mut self) {
        if self.trouble.take().is_some() {
            tracing::warn!(workspace = %self.key, "the workspace continues");
        }
    }

    /// The replacement of an input that cannot be committed, if any.
    async fn discard_uncommittable(
        &self,
        item: WorkspaceInput,
        fault: &TurnError,
        language: Language,
    ) -> Option<WorkspaceInput> {
        match item {
            WorkspaceInput::Outcome { session, outcome: EffectOutcome::Broken(_) } => {
                tracing::error!(%session, "the session cannot be written; it is frozen until a restart");
                None
            }
            // Its outcome cannot be stored, and the call must not wait for it for ever: it becomes an unknown outcome,
            // and its effect class decides what follows.
            WorkspaceInput::Outcome { session, outcome: EffectOutcome::Call { call, attempt, outcome } }
                if !matches!(outcome, CallOutcome::Lost { .. }) =>
            {
                let outcome = CallOutcome::Lost { found_by_start: None, lands_by: None };
                Some(WorkspaceInput::Outcome {
                    session,
                    outcome: EffectOutcome::Call { call, attempt, outcome },
                })
            }
            WorkspaceInput::Outcome { session, outcome: _ } => Some(broken(session, fault, language)),
            WorkspaceInput::Request { row: Some(id), mail, .. } => {
                let texts = mail.reader.texts(language);
                let answer = MailAnswer::Refused {
                    code: RefusalCode::Invalid,
                    text: fault.refusal_text().render(texts),
                    topic: None,
                };
                refuse_mail(&self.services, &self.key, id, &answer).await;
                None
            }
            WorkspaceInput::Request { row: None, reply, .. } => {
                refuse(reply, fault);
                None
            }
            WorkspaceInput::NetworkBack { .. } | WorkspaceInput::Wake | WorkspaceInput::Started => None,
        }
    }

    /// Aborts running effects that are no longer desired, and starts desired ones. Returns inputs for effects that
    /// could not be started: they are handled next, so none is lost in a full channel.
    async fn reconcile_effects(
        &mut self,
        workspace: &mut LoadedWorkspace,
        turn: TurnFollowUp,
        own: &mpsc::WeakSender<WorkspaceInput>,
    ) -> Vec<WorkspaceInput> {
        self.reconcile_task_jobs(workspace, &turn, own);
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
            let means = self.means(workspace, turn.begun);
            for effect in desired {
                if self.running.get(&session).is_some_and(|running| running.contains_key(&effect)) {
                    continue;
                }
                match self.begin(workspace, &session, &effect, &means, own, &mut not_begun).await {
                    Ok(Some(handle)) => {
                        self.running.entry(session.clone()).or_default().insert(effect, handle);
                    }
                    Ok(None) => {}
                    Err(fault) => {
                        tracing::error!(%session, ?effect, %fault, "an effect could not be started");
                        not_begun.push(broken(session.clone(), &fault, workspace.language()));
                    }
                }
            }
            if self.running.get(&session).is_some_and(HashMap::is_empty) {
                self.running.remove(&session);
            }
        }
        not_begun
    }

    /// Aborts the work of tasks that no longer desire it, and starts what they desire.
    fn reconcile_task_jobs(
        &mut self,
        workspace: &LoadedWorkspace,
        turn: &TurnFollowUp,
        own: &mpsc::WeakSender<WorkspaceInput>,
    ) {
        self.errands.retain(|_, (_, errand)| !errand.is_finished());
        for (task, work) in &turn.tasks {
            let running = self.errands.get(&task.id).map(|(running, _)| *running);
            if running == *work {
                continue;
            }
            if let Some((_, errand)) = self.errands.remove(&task.id) {
                errand.abort();
            }
            let Some(work) = *work else { continue };
            let errand = workspace.task_job(task.clone(), work);
            let (means, own) = (self.means(workspace, turn.begun), own.clone());
            let speaking = async move {
                let Some(mail) = perform_task_work(means, errand).await else { return };
                if let Some(own) = own.upgrade() {
                    let _ = own.send(WorkspaceInput::Request { mail, reply: None, row: None }).await;
                }
            };
            let handle = tokio::spawn(speaking).abort_handle();
            self.errands.insert(task.id.clone(), (work, handle));
        }
    }

    fn means(&self, workspace: &LoadedWorkspace, begun: DualClockInstant) -> EffectContext {
        let (services, owner) = (self.services.clone(), self.owner.clone());
        EffectContext {
            services,
            owner,
            begun,
            under_way: workspace.under_way(),
            language: workspace.language(),
        }
    }

    /// Starts one effect. While the database cannot be read it is retried: that is no fault of the session.
    async fn begin(
        &mut self,
        workspace: &mut LoadedWorkspace,
        session: &SessionId,
        effect: &Effect,
        means: &EffectContext,
        own: &mpsc::WeakSender<WorkspaceInput>,
        waiting: &mut Vec<WorkspaceInput>,
    ) -> Result<Option<AbortHandle>, TurnError> {
        loop {
            match begin(workspace, session, effect, means, own).await {
                Err(TurnError::Store(_)) if self.owner.is_lost() => return Ok(None),
                Err(fault @ TurnError::Store(StoreError::Unavailable(_))) => {
                    self.tell_trouble(&fault);
                    self.pause(waiting, &fault).await;
                }
                begun => return begun,
            }
        }
    }
}

impl Drop for WorkspaceWorker {
    fn drop(&mut self) {
        self.abort_all();
        if !self.owner.is_leaving() {
            return;
        }
        // A worker that is aborted has not read what is still in its channel.
        self.incoming.close();
        while let Ok(item) = self.incoming.try_recv() {
            refuse_requests(&mut vec![item], &not_owner_error());
        }
    }
}

/// Starts one effect; its outcome comes back as an input.
async fn begin(
    workspace: &mut LoadedWorkspace,
    session: &SessionId,
    effect: &Effect,
    means: &EffectContext,
    own: &mpsc::WeakSender<WorkspaceInput>,
) -> Result<Option<AbortHandle>, TurnError> {
    let Some(job) = workspace.build_job(session, effect).await? else { return Ok(None) };
    let span = workspace.span(session);
    let (means, session, own) = (means.clone(), session.clone(), own.clone());
    let workspace = workspace.key().clone();
    let work = async move {
        let Some(outcome) = perform(means, workspace, session.clone(), job).await else { return };
        if let Some(own) = own.upgrade() {
            let _ = own.send(WorkspaceInput::Outcome { session, outcome }).await;
        }
    };
    let task = tokio::spawn(work.instrument(span));
    Ok(Some(task.abort_handle()))
}

fn broken(session: SessionId, fault: &TurnError, language: Language) -> WorkspaceInput {
    let message = fault.refusal_text().render(LocalizedTexts::for_language(language));
    WorkspaceInput::Outcome { session, outcome: EffectOutcome::Broken(message) }
}
