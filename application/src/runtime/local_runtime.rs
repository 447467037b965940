//! The runtime of one process: it owns the database, or works on it beside other processes, and runs a worker for each
//! workspace with work, plus background jobs: the wake timer, the mail poller, the lease renewal, the network watcher,
//! retention, and the takeover of workspaces that became free.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::{Millis, Timestamp};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::{AbortHandle, JoinHandle, JoinSet};

use super::lock::lock;
use super::ownership_lease::{OwnershipLease, OwnershipStatus};
use super::provider_accounts::ProviderAccountChange;
use super::remote_mail::RemoteMailSender;
use super::retention_job::run_retention_loop;
use super::services::RuntimeServices;
use super::wake_timer::{WakeTimer, read_full_agenda, run_wake_loop};
use super::workspace_input::WorkspaceInput;
use super::workspace_worker::WorkspaceWorker;
use crate::codec::{decode_mail, encode_mail_answer};
use crate::mail::{Mail, MailAnswer, RefusalCode};
use crate::ports::{MailId, MailPostError, MailRow, MailSender, OwnershipError, StoreError, WaitCondition};
use crate::texts::saying;

/// Capacity of a workspace's mail channel; further senders wait.
const MAIL_AT_ONCE: usize = 1024;

/// How long a request waits for the answer of another process, besides the lease of that process.
const ANSWER_BY_MAIL: Millis = Millis::seconds(10);

/// How long a workspace that another process has is not asked for again.
const ELSEWHERE: Millis = Millis::seconds(1);

/// How long answers to mail are kept for posters that read them late.
const KEEP_ANSWERS: Millis = Millis::hours(24);

/// The runtime of one process. Dropping it stops all running work; nothing committed is lost.
pub struct LocalRuntime {
    shared: Arc<SharedRuntimeState>,
    own_tasks: Vec<JoinHandle<()>>,
}

/// The state shared by the workers and background jobs of a process.
pub(super) struct SharedRuntimeState {
    pub(super) services: Arc<RuntimeServices>,
    /// The right of this process to handle events: all of the store, or those of the workspaces that it acquires.
    pub(super) owner: Arc<OwnershipLease>,
    pub(super) alarm: WakeTimer,
    /// The input channels of the workspaces in memory.
    workspaces: Mutex<HashMap<WorkspaceKey, mpsc::Sender<WorkspaceInput>>>,
    tasks: Mutex<JoinSet<()>>,
    /// Notified when a workspace has left memory.
    left: Notify,
    /// Mail of other processes that was handed to workers.
    delivered: Mutex<HashSet<MailId>>,
    /// The workspaces that other processes have, each with the monotonic time at which that was found.
    elsewhere: Mutex<HashMap<WorkspaceKey, Millis>>,
}

impl LocalRuntime {
    /// Starts the runtime: takes up the work that a dead process left, handles what is due, and polls for mail.
    ///
    /// `owner` proves that no other runtime serves this store ([`RuntimeServices::acquire_ownership`]); it is
    /// released with the runtime. A second runtime on the same store cannot get one, in this process or another:
    ///
    /// ```compile_fail
    /// # use std::sync::Arc;
    /// # use entracte_application::runtime::{LocalRuntime, RuntimeServices};
    /// # async fn start(services: Arc<RuntimeServices>) {
    /// LocalRuntime::start(services).await; // Without a lease there is no runtime.
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn start(services: Arc<RuntimeServices>, owner: OwnershipLease) -> Result<Self, StoreError> {
        let now = services.clock.now();
        // Counted first: what becomes free while the agenda is read is looked for again.
        let departures = owner.count_departures().await?;
        let agenda = read_full_agenda(&services, now).await?;
        let shared = Arc::new(SharedRuntimeState::new(services, owner, agenda.next));
        for key in shared.owner.available(agenda.due).await? {
            // The worker was just created and its channel is empty.
            let _ = shared.sender(&key).send(WorkspaceInput::Started).await;
        }
        let mut own_tasks = vec![
            spawn_until_shutdown(&shared, run_wake_loop(shared.clone(), now)),
            spawn_until_shutdown(&shared, poll_mail(shared.clone())),
            spawn_until_shutdown(&shared, watch_network(shared.clone())),
            spawn_until_shutdown(&shared, run_retention(shared.clone())),
            tokio::spawn(run_lease_renewal(shared.clone())),
        ];
        if shared.owner.is_shared() {
            own_tasks.push(spawn_until_shutdown(&shared, watch_departures(shared.clone(), departures)));
        }
        Ok(Self { shared, own_tasks })
    }

    /// The services the runtime works with.
    pub fn services(&self) -> &Arc<RuntimeServices> {
        &self.shared.services
    }

    /// Whether the runtime still owns its store. One that does not has stopped and accepts nothing.
    pub fn is_owner(&self) -> bool {
        !self.shared.owner.is_lost()
    }

    /// A handle that reports whether this runtime still owns its store, even after it was dropped.
    pub fn ownership_status(&self) -> OwnershipStatus {
        self.shared.owner.status()
    }

    /// Verifies the ownership now instead of at the next third of the lease. A runtime that lost it stops.
    ///
    /// # Errors
    /// [`OwnershipError::Lost`] when another process took the store. [`OwnershipError::Store`] when that cannot be
    /// determined now.
    pub async fn verify_ownership(&self) -> Result<(), OwnershipError> {
        match self.is_owner() {
            true => self.shared.owner.renew().await,
            false => Err(self.shared.owner.lost_error()),
        }
    }

    /// Shuts down in order: no new work starts, work under way has until `deadline`, a span from now, to end, and its
    /// outcomes are committed. Work that still runs then is aborted; the next owner treats it as the work of a dead
    /// process. Then ownership is released, so that another runtime can start. Returns whether all work ended in
    /// time.
    ///
    /// Requests that arrive meanwhile are accepted, and the next owner begins their work. If this future is dropped
    /// before it completes, still no new work starts, and running work is aborted when the runtime is dropped.
    ///
    /// A runtime that lost its store ends by itself: waiting requests are answered that it is not the owner.
    pub async fn shutdown(&self, deadline: Millis) -> bool {
        self.shared.owner.begin_shutdown();
        self.shared.wake_all();
        let is_done = tokio::select! {
            biased;
            () = self.shared.wait_until_empty() => true,
            () = self.shared.services.clock.sleep(deadline) => false,
        };
        self.shared.stop();
        if let Err(error) = self.shared.owner.leave().await {
            tracing::warn!(%error, "other processes get the workspaces of this one only after its lease");
        }
        is_done
    }

    /// Number of workspaces in memory: those with work, and those that had some until a moment ago.
    pub fn workspaces_in_memory(&self) -> usize {
        self.shared.loaded_workspace_count()
    }
}

impl Drop for LocalRuntime {
    fn drop(&mut self) {
        self.own_tasks.iter().for_each(JoinHandle::abort);
        self.shared.stop();
        self.shared.owner.release();
    }
}

#[async_trait]
impl MailSender for LocalRuntime {
    async fn post(&self, workspace: &WorkspaceKey, mail: Mail) -> Result<MailAnswer, MailPostError> {
        self.shared.post(workspace, mail).await
    }
}

/// Posts requests inside of this process.
struct OwnMailSender(Arc<SharedRuntimeState>);

#[async_trait]
impl MailSender for OwnMailSender {
    async fn post(&self, workspace: &WorkspaceKey, mail: Mail) -> Result<MailAnswer, MailPostError> {
        self.0.post(workspace, mail).await
    }
}

impl SharedRuntimeState {
    /// The state of a process with nothing in memory, whose next deadline is `next`.
    pub(super) fn new(
        services: Arc<RuntimeServices>,
        owner: OwnershipLease,
        next: Option<Timestamp>,
    ) -> Self {
        let (workspaces, tasks) = (Mutex::new(HashMap::new()), Mutex::new(JoinSet::new()));
        let (owner, alarm, left) = (Arc::new(owner), WakeTimer::with_deadline(next), Notify::new());
        let (delivered, elsewhere) = (Mutex::default(), Mutex::default());
        Self { services, owner, alarm, workspaces, tasks, left, delivered, elsewhere }
    }

    /// Hands a request to the worker of its workspace, here or by mail in another process, and waits for the answer.
    pub(super) async fn post(
        self: &Arc<Self>,
        workspace: &WorkspaceKey,
        mail: Mail,
    ) -> Result<MailAnswer, MailPostError> {
        if !self.owner.is_shared() {
            return self.post_here(workspace, mail).await;
        }
        if !self.is_elsewhere(workspace) {
            match self.post_here(workspace, mail.clone()).await {
                Err(MailPostError::NotOwner) if !self.owner.is_lost() => {}
                answer => return answer,
            }
        }
        // If the process that has the workspace dies, another one answers after its lease.
        let timeout = Millis(self.services.settings.lease.0.saturating_add(ANSWER_BY_MAIL.0));
        let (store, clock) = (self.services.mail_store.clone(), self.services.clock.clone());
        RemoteMailSender::new(store, clock).with_timeout(timeout).post(workspace, mail).await
    }

    async fn post_here(
        self: &Arc<Self>,
        workspace: &WorkspaceKey,
        mail: Mail,
    ) -> Result<MailAnswer, MailPostError> {
        if self.owner.is_lost() {
            return Err(MailPostError::NotOwner);
        }
        let (reply, answer) = oneshot::channel();
        let item = WorkspaceInput::Request { mail, reply: Some(reply), row: None };
        let gone = || MailPostError::Unavailable(saying!("turn-worker-gone").into());
        // Input that did not enter the channel was not handled. Among several processes the worker may have lost its
        // workspace at this moment.
        let is_lost = || self.owner.is_lost() || self.owner.is_shared();
        let not_taken = |_| if is_lost() { MailPostError::NotOwner } else { gone() };
        self.sender(workspace).send(item).await.map_err(not_taken)?;
        answer.await.map_err(|_| gone())?
    }

    /// The input channel of a workspace; its worker starts with the first input.
    pub(super) fn sender(self: &Arc<Self>, key: &WorkspaceKey) -> mpsc::Sender<WorkspaceInput> {
        let mut workspaces = lock(&self.workspaces);
        if let Some(sender) = workspaces.get(key).filter(|sender| !sender.is_closed()) {
            return sender.clone();
        }
        let (sender, incoming) = mpsc::channel(MAIL_AT_ONCE);
        if self.owner.is_lost() {
            // Nothing is received any more: the channel is closed.
            return sender;
        }
        workspaces.insert(key.clone(), sender.clone());
        self.alarm.unregister_resting(key);
        let task = WorkspaceWorker::new(self.clone(), key.clone(), incoming);
        let mut tasks = lock(&self.tasks);
        forget_ended(&mut tasks);
        tasks.spawn(task.run(sender.downgrade()));
        sender
    }

    /// Wakes a workspace whose deadline may be due. A workspace in memory watches its own deadlines, unless the clock
    /// was set back.
    pub(super) fn wake(self: &Arc<Self>, key: &WorkspaceKey, set_back: bool) {
        let is_live = lock(&self.workspaces).get(key).is_some_and(|sender| !sender.is_closed());
        if set_back || !is_live {
            // A worker with a full channel has much to do and looks at its deadlines itself.
            let _ = self.sender(key).try_send(WorkspaceInput::Wake);
        }
    }

    /// Lets the worker of a workspace end, unless input is in its channel or about to be sent. Senders take the
    /// channel under the same lock, so from here on an input finds either this worker or none, and then starts
    /// another one, which reads what this one committed.
    pub(super) fn retire_worker(
        &self,
        key: &WorkspaceKey,
        incoming: &mpsc::Receiver<WorkspaceInput>,
        wake_at: Option<Timestamp>,
        holds_back: bool,
    ) -> bool {
        let mut workspaces = lock(&self.workspaces);
        // In this order: a sender that dropped its handle before it was counted has already sent its input.
        let is_written_to = workspaces.get(key).is_some_and(|sender| sender.strong_count() > 1);
        if is_written_to || !incoming.is_empty() {
            return false;
        }
        workspaces.remove(key);
        self.alarm.register_resting(key, wake_at, holds_back);
        self.left.notify_one();
        true
    }

    /// Removes a workspace that cannot be opened until new input arrives for it.
    pub(super) fn remove_unopenable(&self, key: &WorkspaceKey) {
        let mut workspaces = lock(&self.workspaces);
        workspaces.remove(key);
        self.alarm.register_resting(key, None, true);
        self.left.notify_one();
    }

    /// Removes a workspace that this process lost, or did not get.
    pub(super) fn remove_lost(&self, key: &WorkspaceKey) {
        if self.owner.is_shared() {
            let now = self.services.clock.monotonic();
            let mut elsewhere = lock(&self.elsewhere);
            elsewhere.retain(|_, since| is_recent(*since, now));
            elsewhere.insert(key.clone(), now);
        }
        lock(&self.workspaces).remove(key);
        self.left.notify_one();
    }

    /// Notes that this process has a workspace again.
    pub(super) fn note_acquired(&self, key: &WorkspaceKey) {
        lock(&self.elsewhere).remove(key);
    }

    /// Leaves mail of other processes to the process that has its workspace, until the next poll.
    pub(super) fn leave_mail(&self, items: &[WorkspaceInput]) {
        let mut delivered = lock(&self.delivered);
        for item in items {
            if let WorkspaceInput::Request { row: Some(id), .. } = item {
                delivered.remove(id);
            }
        }
    }

    /// Whether another process was found to have a workspace a moment ago.
    fn is_elsewhere(&self, key: &WorkspaceKey) -> bool {
        let now = self.services.clock.monotonic();
        lock(&self.elsewhere).get(key).is_some_and(|since| is_recent(*since, now))
    }

    /// Makes every workspace in memory run a turn.
    fn wake_all(&self) {
        for sender in lock(&self.workspaces).values() {
            // A worker with a full channel makes turns anyway.
            let _ = sender.try_send(WorkspaceInput::Wake);
        }
    }

    /// Returns when no workspace is in memory.
    async fn wait_until_empty(&self) {
        while self.loaded_workspace_count() > 0 {
            self.left.notified().await;
        }
    }

    /// Aborts everything that runs.
    fn stop(&self) {
        lock(&self.tasks).abort_all();
        lock(&self.workspaces).clear();
    }

    /// Number of workspaces in memory.
    pub(super) fn loaded_workspace_count(&self) -> usize {
        lock(&self.workspaces).len()
    }

    /// Frees the join handles of tasks that ended.
    pub(super) fn reap_ended_tasks(&self) {
        forget_ended(&mut lock(&self.tasks));
    }
}

fn is_recent(since: Millis, now: Millis) -> bool {
    now.0.saturating_sub(since.0) < ELSEWHERE.0
}

fn forget_ended(tasks: &mut JoinSet<()>) {
    while tasks.try_join_next().is_some() {}
}

/// Runs `work` until another process owns the store, or this one stops.
fn spawn_until_shutdown(
    shared: &Arc<SharedRuntimeState>,
    work: impl Future<Output = ()> + Send + 'static,
) -> JoinHandle<()> {
    let owner = shared.owner.clone();
    tokio::spawn(async move {
        tokio::select! {
            () = owner.wait_until_shutdown() => {}
            () = work => {}
        }
    })
}

/// Renews the lease. When another process took the store, the workers see that themselves: they refuse waiting
/// requests and end.
async fn run_lease_renewal(shared: Arc<SharedRuntimeState>) {
    shared.owner.run_renewal().await;
}

/// Applies the retention policy, in one process of a store.
async fn run_retention(shared: Arc<SharedRuntimeState>) {
    let (services, sender) = (shared.services.clone(), OwnMailSender(shared.clone()));
    run_retention_loop(services, sender, move || shared.owner.is_leading()).await;
}

/// Looks for work in workspaces that became free because their process has left or was removed.
async fn watch_departures(shared: Arc<SharedRuntimeState>, mut known: u64) {
    loop {
        match shared.owner.count_departures().await {
            Ok(departures) if departures != known => {
                known = departures;
                lock(&shared.elsewhere).clear();
                shared.alarm.request_full_poll();
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "it cannot be read whether workspaces became free"),
        }
        shared.services.clock.sleep(shared.services.settings.mail_poll).await;
    }
}

/// Wakes every workspace with waiting sessions when an unreachable provider is reachable again.
async fn watch_network(shared: Arc<SharedRuntimeState>) {
    let mut asking: HashMap<String, AbortHandle> = HashMap::new();
    loop {
        match shared.services.accounts.next_change().await {
            ProviderAccountChange::Gone(provider) => {
                let Some(connectivity) = shared.services.connectivity.clone() else { continue };
                let (services, name) = (shared.services.clone(), provider.clone());
                let ask = async move {
                    connectivity.wait_until_reachable(&name).await;
                    services.accounts.mark_reachable(&name);
                };
                asking.insert(provider, lock(&shared.tasks).spawn(ask));
            }
            ProviderAccountChange::Back(provider) => {
                if let Some(asks) = asking.remove(&provider) {
                    asks.abort();
                }
                for key in workspaces_waiting_for_network(&shared).await {
                    // A closed channel belongs to a workspace that cannot be opened.
                    let _ = shared
                        .sender(&key)
                        .send(WorkspaceInput::NetworkBack { provider: provider.clone() })
                        .await;
                }
            }
        }
    }
}

/// The workspaces in memory, and those at rest with a session that waits for the network.
async fn workspaces_waiting_for_network(shared: &SharedRuntimeState) -> BTreeSet<WorkspaceKey> {
    let mut keys: BTreeSet<WorkspaceKey> = lock(&shared.workspaces).keys().cloned().collect();
    match available_workspaces_waiting_for_network(shared).await {
        Ok(waiting) => keys.extend(waiting),
        // Their waits end by their own deadlines.
        Err(error) => tracing::warn!(%error, "sessions that wait for the network cannot be read"),
    }
    keys
}

async fn available_workspaces_waiting_for_network(
    shared: &SharedRuntimeState,
) -> Result<Vec<WorkspaceKey>, StoreError> {
    let waiting = shared.services.store.waiting(WaitCondition::Network).await?;
    shared.owner.available(waiting).await
}

/// Takes in the mail of other processes.
async fn poll_mail(shared: Arc<SharedRuntimeState>) {
    let old = shared.services.clock.now().plus(Millis(-KEEP_ANSWERS.0));
    if let Err(error) = shared.services.mail_store.delete_answered_before(old).await {
        tracing::warn!(%error, "old answered mail could not be deleted");
    }
    loop {
        match shared.services.mail_store.unanswered().await {
            Ok(rows) => {
                lock(&shared.delivered).retain(|id| rows.iter().any(|row| row.id == *id));
                for row in rows {
                    let is_new =
                        !shared.is_elsewhere(&row.workspace) && lock(&shared.delivered).insert(row.id);
                    if is_new {
                        deliver_mail(&shared, row).await;
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "the mail of other processes cannot be read"),
        }
        shared.services.clock.sleep(shared.services.settings.mail_poll).await;
    }
}

/// Hands mail to the worker of its workspace; unreadable mail is answered with its fault.
pub(super) async fn deliver_mail(shared: &Arc<SharedRuntimeState>, row: MailRow) {
    match decode_mail(&row.body) {
        Ok(mail) => {
            let item = WorkspaceInput::Request { mail, reply: None, row: Some(row.id) };
            // A closed channel is reopened at the next poll.
            let _ = shared.sender(&row.workspace).send(item).await;
        }
        Err(fault) => {
            let answer =
                MailAnswer::Refused { code: RefusalCode::Invalid, text: fault.to_string(), topic: None };
            refuse_mail(&shared.services, &row.workspace, row.id, &answer).await;
        }
    }
}

pub(super) async fn refuse_mail(
    services: &RuntimeServices,
    workspace: &WorkspaceKey,
    id: MailId,
    answer: &MailAnswer,
) {
    let refused = match encode_mail_answer(answer) {
        Ok(bytes) => {
            services.mail_store.answer_refused(workspace, id, bytes).await.map_err(|error| error.to_string())
        }
        Err(fault) => Err(fault.to_string()),
    };
    if let Err(error) = refused {
        tracing::warn!(error, "mail that cannot be handled could not be refused");
    }
}
