//! One workspace of the real application on virtual time, driven step by step: nothing happens until a test says so,
//! and everything happens in the same order each time. The process may crash between two steps.

#![expect(clippy::unwrap_used, reason = "these are tests, in a library")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use async_trait::async_trait;
use entracte_application::codec::{decode_occurrence, decode_snapshot};
use entracte_application::commands::{Catalog, CurrentCatalog};
use entracte_application::journal::{Occurrence, OccurrenceOutcome};
use entracte_application::mail::{Mail, MailAnswer, MailRequest};
use entracte_application::ports::{
    AutomationReader, Clock, CommandExecutor, LogReader, SessionFilter, SessionRow, WorkerProcessDescription,
    WorkerProcessId, WorkspaceOwnership,
};
use entracte_application::runtime::{
    DualClockInstant, EffectContext, EffectJob, EffectOutcome, LoadedWorkspace, OwnershipLease,
    RuntimeServices, TurnError, WorkspaceInput, perform, perform_task_work,
};
use entracte_application::use_cases::VerifySession;
use entracte_domain::id::{AutomationId, SessionId, TaskId, WorkspaceKey};
use entracte_domain::session::{Effect, Phase, SessionFacts};
use entracte_domain::task::{Task, TaskWork};
use entracte_domain::time::{Millis, Timestamp};

use crate::fakes::memory_store::MemoryStore;
use crate::runtime_fixture::NOON;

/// A clock that moves only when it is set.
pub struct ManualClock {
    now: AtomicI64,
    /// The total of forward moves, in microseconds.
    passed: AtomicI64,
}

impl Default for ManualClock {
    fn default() -> Self {
        Self { now: AtomicI64::new(NOON.0), passed: AtomicI64::new(0) }
    }
}

impl ManualClock {
    /// Sets the time.
    pub fn set(&self, now: Timestamp) {
        let before = self.now.swap(now.0, Ordering::SeqCst);
        self.passed.fetch_add((now.0 - before).max(0), Ordering::SeqCst);
    }
}

#[async_trait]
impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.now.load(Ordering::SeqCst))
    }

    fn monotonic(&self) -> Millis {
        Millis(self.passed.load(Ordering::SeqCst) / 1000)
    }

    /// Sleeps never end, so no time-out is ever reached.
    async fn sleep(&self, _span: Millis) {
        std::future::pending().await
    }
}

/// One workspace on virtual time.
pub struct VirtualWorkspace {
    /// The clock.
    pub clock: Arc<ManualClock>,
    /// The rows.
    pub store: Arc<MemoryStore>,
    /// The services of the application.
    pub services: Arc<RuntimeServices>,
    key: WorkspaceKey,
    workspace: Option<LoadedWorkspace>,
    /// The right to the workspace, while a process serves.
    owner: Option<Arc<OwnershipLease>>,
    /// Whether each process works beside others instead of owning the store.
    is_shared: bool,
    /// The latest process that entered, if each works beside others.
    process: Option<WorkerProcessId>,
    /// Effects in progress.
    running: BTreeMap<SessionId, Vec<Effect>>,
    /// Work in progress for long tasks.
    errands: BTreeMap<TaskId, (Task, TaskWork)>,
    /// Performed effects with outcomes that are not delivered yet.
    sent: Vec<(SessionId, Effect, EffectOutcome)>,
    wake_at: Option<Timestamp>,
    longest_sleep: Millis,
}

impl VirtualWorkspace {
    /// Creates the workspace `ann:home` with a serving process.
    pub async fn new(
        services: Arc<RuntimeServices>,
        clock: Arc<ManualClock>,
        store: Arc<MemoryStore>,
    ) -> Self {
        Self::begin(services, clock, store, false).await
    }

    /// The same, where each process works beside others instead of owning the store.
    pub async fn new_shared(
        services: Arc<RuntimeServices>,
        clock: Arc<ManualClock>,
        store: Arc<MemoryStore>,
    ) -> Self {
        Self::begin(services, clock, store, true).await
    }

    async fn begin(
        services: Arc<RuntimeServices>,
        clock: Arc<ManualClock>,
        store: Arc<MemoryStore>,
        is_shared: bool,
    ) -> Self {
        let mut world = Self {
            clock,
            store,
            longest_sleep: services.settings.longest_sleep,
            services,
            key: home(),
            workspace: None,
            owner: None,
            is_shared,
            process: None,
            running: BTreeMap::new(),
            errands: BTreeMap::new(),
            sent: Vec::new(),
            wake_at: None,
        };
        world.start().await;
        world
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Starts a new process with nothing in memory.
    pub async fn start(&mut self) {
        let born = RuntimeServices {
            started_at: self.now(),
            accounts: Arc::default(),
            ..RuntimeServices::clone(&self.services)
        };
        self.services = Arc::new(born);
        let owner = self.acquire_right().await;
        let mut workspace =
            LoadedWorkspace::open(self.services.clone(), owner.clone(), self.key.clone()).await.unwrap();
        self.owner = Some(owner);
        self.wake_at = workspace.refresh_next_deadline().await.unwrap();
        self.workspace = Some(workspace);
        self.handle_incoming(vec![WorkspaceInput::Started]).await;
    }

    /// The right of a new process: to the store, or to the workspace that the process before it left.
    async fn acquire_right(&mut self) -> Arc<OwnershipLease> {
        if !self.is_shared {
            return Arc::new(self.services.acquire_ownership().await.unwrap());
        }
        if let Some(before) = self.process.take() {
            self.store.leave(before).await.unwrap();
        }
        let description = WorkerProcessDescription::default();
        let entered = self.services.enter_shared_store(self.store.clone(), &description).await;
        let entered = Arc::new(entered.unwrap());
        self.process = Some(WorkerProcessId(entered.epoch().cast_signed()));
        self.services.acquire_workspace(&entered, &self.key).await.unwrap().unwrap()
    }

    /// Ends the right of a process that is late.
    async fn end_right(&self, owner: &OwnershipLease) {
        match self.is_shared {
            true => {
                self.store.count_departures(WorkerProcessId(0), self.now()).await.unwrap();
            }
            false => self.services.ownership.release(owner.epoch()),
        }
    }

    /// Sets the executors of processes that start from now on.
    pub fn configure(&mut self, executors: &[Arc<dyn CommandExecutor>]) {
        let catalog = Arc::new(Catalog::new(executors).unwrap());
        self.services = Arc::new(RuntimeServices {
            catalog: CurrentCatalog::new(catalog),
            ..RuntimeServices::clone(&self.services)
        });
    }

    /// Crashes the process: its memory and its running work are lost.
    pub fn crash(&mut self) {
        self.workspace = None;
        self.owner = None;
        self.running.clear();
        self.errands.clear();
        self.sent.clear();
    }

    /// The ownership lease of the serving process.
    pub fn owner(&self) -> Arc<OwnershipLease> {
        self.owner.clone().unwrap()
    }

    /// Freezes the process for longer than its lease; another one takes over meanwhile. Then it thaws: it must send and
    /// write nothing, whatever was running and whatever is requested.
    pub async fn freeze_and_replace_owner(&mut self) {
        let (Some(mut workspace), Some(owner)) = (self.workspace.take(), self.owner.take()) else { return };
        let (services, begun, frozen) =
            (self.services.clone(), DualClockInstant::now(&*self.clock), self.effects_under_way());
        let errands = std::mem::take(&mut self.errands);
        self.sent.clear();
        self.running.clear();
        self.clock.set(self.now().plus(Millis(services.settings.lease.0 + 1)));
        self.end_right(&owner).await;
        self.start().await;
        for (session, effect) in frozen {
            let Some(job) = workspace.build_job(&session, &effect).await.unwrap() else { continue };
            // Nothing is sent for a command that changed.
            let is_gone = matches!(&job, EffectJob::Call { executor: None, .. });
            let means = EffectContext {
                services: services.clone(),
                owner: owner.clone(),
                begun,
                under_way: workspace.under_way(),
                language: workspace.language(),
            };
            let came = perform(means, home(), session, job).await;
            // A throttled account refuses before anything is sent.
            let refused = matches!(came, Some(EffectOutcome::Model { result: Err(_), .. }));
            // A summary made by code alone calls no model.
            let is_ours = matches!(&came, Some(EffectOutcome::Compaction { result: Ok(made), .. }) if made.asked.is_none());
            assert!(
                came.is_none() || refused || is_ours || is_gone,
                "a frozen owner sent {effect:?}: {came:?}"
            );
        }
        for (task, work) in errands.into_values() {
            let errand = workspace.task_job(task, work);
            let means = EffectContext {
                services: services.clone(),
                owner: owner.clone(),
                begun,
                under_way: workspace.under_way(),
                language: workspace.language(),
            };
            let heard = perform_task_work(means, errand).await;
            assert!(heard.is_none(), "a frozen owner spoke with the other side of a task: {heard:?}");
        }
        let before = services.store.workspace(&self.key).await.unwrap();
        let told = workspace.handle(&mut vec![WorkspaceInput::Wake]).await;
        assert!(!matches!(&told, Err(TurnError::Conflict(_))), "{told:?}");
        assert_eq!(services.store.workspace(&self.key).await.unwrap(), before, "a frozen owner wrote");
    }

    /// When the process wants to be woken.
    pub fn wakes_at(&self) -> Option<Timestamp> {
        self.wake_at
    }

    /// Whether a process serves.
    pub fn is_up(&self) -> bool {
        self.workspace.is_some()
    }

    /// Posts a request and returns its answer.
    pub async fn post(&mut self, request: MailRequest) -> MailAnswer {
        self.try_post(request).await.unwrap()
    }

    /// Posts a request and returns its answer; `None` if the process crashed before it answered.
    pub async fn try_post(&mut self, request: MailRequest) -> Option<MailAnswer> {
        let (reply, answer) = tokio::sync::oneshot::channel();
        let mail = Mail::from_request(request);
        self.handle_incoming(vec![WorkspaceInput::Request { mail, reply: Some(reply), row: None }]).await;
        answer.await.ok()?.ok()
    }

    /// Checks for due deadlines.
    pub async fn wake(&mut self) {
        self.handle_incoming(vec![WorkspaceInput::Wake]).await;
        let Some(workspace) = self.workspace.as_mut() else { return };
        workspace.evict_resting_sessions(self.clock.now());
        self.wake_at = workspace.refresh_next_deadline().await.unwrap();
        if workspace.is_at_rest() {
            // The workspace may be unloaded now, so it is: the next input finds one loaded from the rows.
            let owner = self.owner.clone().unwrap();
            *workspace = LoadedWorkspace::open(self.services.clone(), owner, self.key.clone()).await.unwrap();
        }
    }

    /// Advances the time; wakes due work meanwhile, and answers model calls and calls at once.
    pub async fn advance_time(&mut self, span: Millis) {
        let end = self.now().plus(span);
        self.finish_all_effects().await;
        loop {
            let sleep = self.now().plus(self.longest_sleep);
            let next = self.wake_at.map_or(sleep, |at| at.max(self.now().plus(Millis(1))).min(sleep));
            if next > end {
                break;
            }
            self.clock.set(next);
            self.wake().await;
            self.finish_all_effects().await;
        }
        self.clock.set(end);
        self.wake().await;
        self.finish_all_effects().await;
    }

    /// The effects in progress.
    pub fn effects_under_way(&self) -> Vec<(SessionId, Effect)> {
        let each = |(session, effects): (&SessionId, &Vec<Effect>)| {
            effects.iter().map(|effect| (session.clone(), effect.clone())).collect::<Vec<_>>()
        };
        self.running.iter().flat_map(each).collect()
    }

    /// Performs one running effect, and delivers its outcome.
    pub async fn finish(&mut self, session: &SessionId, effect: &Effect) {
        if let Some(outcome) = self.perform(session, effect).await {
            self.handle_incoming(vec![WorkspaceInput::Outcome { session: session.clone(), outcome }]).await;
        }
    }

    /// Performs one running effect, and returns its outcome only to the caller.
    pub async fn perform(&mut self, session: &SessionId, effect: &Effect) -> Option<EffectOutcome> {
        let job = self.workspace.as_mut().unwrap().build_job(session, effect).await.unwrap();
        self.running.entry(session.clone()).or_default().retain(|other| other != effect);
        // Here an effect starts when its outcome arrives: its duration is not considered.
        let (owner, begun) = (self.owner.clone().unwrap(), DualClockInstant::now(&*self.clock));
        let workspace = self.workspace.as_ref().unwrap();
        let (under_way, language) = (workspace.under_way(), workspace.language());
        let means = EffectContext { services: self.services.clone(), owner, begun, under_way, language };
        perform(means, home(), session.clone(), job?).await
    }

    /// Performs one running effect; its outcome is pending until [`Self::deliver_outcome`].
    pub async fn send(&mut self, session: &SessionId, effect: &Effect) {
        if let Some(outcome) = self.perform(session, effect).await {
            self.sent.push((session.clone(), effect.clone(), outcome));
        }
    }

    /// Performed effects with outcomes that are not delivered yet.
    pub fn undelivered_outcomes(&self) -> Vec<(SessionId, Effect)> {
        self.sent.iter().map(|(session, effect, _)| (session.clone(), effect.clone())).collect()
    }

    /// Delivers the outcome of a performed effect.
    pub async fn deliver_outcome(&mut self, session: &SessionId, effect: &Effect) {
        let is_it = |(of, sent, _): &(SessionId, Effect, EffectOutcome)| of == session && sent == effect;
        let Some(place) = self.sent.iter().position(is_it) else { return };
        let (session, _, outcome) = self.sent.remove(place);
        self.handle_incoming(vec![WorkspaceInput::Outcome { session, outcome }]).await;
    }

    /// The tasks with work in progress, and that work.
    pub fn errands(&self) -> Vec<(TaskId, TaskWork)> {
        self.errands.iter().map(|(task, (_, work))| (task.clone(), *work)).collect()
    }

    /// Performs the work for a task, and delivers the result.
    pub async fn finish_errand(&mut self, task: &TaskId) {
        if let Some(mail) = self.perform_errand(task).await {
            self.handle_incoming(vec![WorkspaceInput::Request { mail, reply: None, row: None }]).await;
        }
    }

    /// Performs the work for a task, and returns the result only to the caller.
    pub async fn perform_errand(&mut self, task: &TaskId) -> Option<Mail> {
        let (task, work) = self.errands.remove(task)?;
        let (owner, begun) = (self.owner.clone()?, DualClockInstant::now(&*self.clock));
        let workspace = self.workspace.as_ref()?;
        let (under_way, language) = (workspace.under_way(), workspace.language());
        let means = EffectContext { services: self.services.clone(), owner, begun, under_way, language };
        perform_task_work(means, workspace.task_job(task, work)).await
    }

    /// Completes all running effects, and everything that follows from them.
    pub async fn finish_all_effects(&mut self) {
        loop {
            if let Some((session, effect)) = self.effects_under_way().first().cloned() {
                self.finish(&session, &effect).await;
            } else if let Some((session, effect)) = self.undelivered_outcomes().first().cloned() {
                self.deliver_outcome(&session, &effect).await;
            } else if let Some((task, _)) = self.errands().first().cloned() {
                self.finish_errand(&task).await;
            } else {
                return;
            }
        }
    }

    /// Handles inputs and everything that follows immediately. A failed commit crashes the process.
    pub async fn handle_incoming(&mut self, mut incoming: Vec<WorkspaceInput>) {
        loop {
            let Some(workspace) = self.workspace.as_mut() else { return };
            let Ok(turn) = workspace.handle(&mut incoming).await else {
                self.crash();
                return;
            };
            self.wake_at = turn.wake_at;
            for (session, desired) in turn.touched {
                // Outcomes of effects that are no longer desired are dropped.
                self.sent.retain(|(of, effect, _)| *of != session || desired.contains(effect));
                let is_sent =
                    |effect: &Effect| self.sent.iter().any(|(of, sent, _)| *of == session && sent == effect);
                let effects = desired
                    .iter()
                    .filter(|effect| !matches!(effect, Effect::PlanCall { .. }) && !is_sent(effect));
                let effects: Vec<Effect> = effects.cloned().collect();
                if effects.is_empty() {
                    self.running.remove(&session);
                } else {
                    self.running.insert(session, effects);
                }
            }
            for (task, work) in turn.tasks {
                self.errands.remove(&task.id);
                if let Some(work) = work {
                    self.errands.insert(task.id.clone(), (task, work));
                }
            }
            if !turn.again {
                return;
            }
        }
    }

    /// The rows of all sessions, in creation order.
    pub async fn sessions(&self) -> Vec<SessionRow> {
        let mut rows = self.store.sessions(&SessionFilter::default()).await.unwrap().rows;
        rows.sort_by_key(|row| (row.created_at, row.id.clone()));
        rows
    }

    /// A session as it is stored.
    pub async fn session(&self, id: &SessionId) -> (SessionFacts, Phase) {
        let rows = self.sessions().await;
        let row = rows.iter().find(|row| row.id == *id).unwrap();
        let snapshot = decode_snapshot(&row.body).unwrap();
        (snapshot.facts, snapshot.phase)
    }

    /// The decided occurrences of an automation, oldest first.
    pub async fn history(&self, automation: &AutomationId) -> Vec<Occurrence> {
        let rows = self.store.occurrences(&home(), automation, None, u32::MAX).await.unwrap();
        let mut all: Vec<Occurrence> = rows.iter().map(|row| decode_occurrence(row).unwrap()).collect();
        all.reverse();
        all
    }

    /// The runs of an automation, oldest occurrence first.
    pub async fn runs(&self, automation: &AutomationId) -> Vec<SessionId> {
        let history = self.history(automation).await;
        let run = |occurrence: Occurrence| match occurrence.outcome {
            OccurrenceOutcome::Run(session) => Some(session),
            OccurrenceOutcome::Skipped(_) => None,
        };
        history.into_iter().filter_map(run).collect()
    }

    /// Replays every session and compares it with its stored state.
    pub async fn verify(&self) {
        let verify = VerifySession::new(self.services.store.clone(), self.services.log.clone());
        for row in self.sessions().await {
            let found = verify.run(&row.workspace, &row.id).await.unwrap();
            assert!(found.is_none(), "{}: {found:?}", row.id);
        }
    }
}

/// The key of the simulated workspace.
pub fn home() -> WorkspaceKey {
    WorkspaceKey::new("ann:home")
}
