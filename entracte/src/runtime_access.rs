//! Request entry point: this process's runtime if it can own the database, otherwise the mail store of the owner.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use async_trait::async_trait;
use entracte_application::mail::{Mail, MailAnswer};
use entracte_application::ports::{
    MailPostError, MailSender, OwnershipError, OwnershipRecord, WorkerProcessId,
};
use entracte_application::runtime::{LocalRuntime, OwnershipStatus, RemoteMailSender};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;
use tokio::sync::{Notify, OnceCell, RwLock};

use crate::app_services::AppServices;
use crate::error::{CliError, CliExitCode};
use crate::render::owner::owner;
use crate::user_text::message;

/// Polls beside an owner between two checks whether it is gone.
const LOOKS_BETWEEN: u32 = 20;

/// How long an owner may take to answer before this process checks whether it is gone, for each repeated post of a
/// request. Short at first: most owners are commands, which end soon.
const PATIENCE: [Millis; 4] = [Millis(300), Millis(700), Millis::seconds(2), Millis::seconds(4)];
const LAST_PATIENCE: Millis = Millis::seconds(8);

/// How often an owner checks for an ownership request, how long running work gets then, and how long it does not take
/// the database back, so that the requester can.
const WANTED_LOOK: Millis = Millis::seconds(2);
const GIVE_WAY: Millis = Millis::seconds(15);
const STAY_AWAY: Millis = Millis::seconds(30);

/// How long a runtime that lost the database may take to refuse its waiting requests, before it is cut off.
const STEP_DOWN: Millis = Millis::seconds(2);

/// How often an owner tries to list the MCP servers that did not start. Each has a backoff of its own.
const MISSING_SERVERS_LOOK: Millis = Millis::seconds(5);

/// The kind of an owner that yields to no process.
pub(crate) const SERVE: &str = "serve";

/// The kind of an owner that yields to a server only.
pub(crate) const WATCH: &str = "watch";

/// Sends requests to the process that owns the database, or becomes that process.
pub(crate) struct RuntimeAccess {
    services: Arc<AppServices>,
    inner: RwLock<RuntimeBackend>,
    /// The status of this process's latest runtime; `None` if there was none.
    standing: Mutex<Option<OwnershipStatus>>,
    /// Held while ownership is taken, so that concurrent requests do not compete.
    taking: tokio::sync::Mutex<()>,
    /// Whether the process is stopping, and never takes ownership again.
    leaves: AtomicBool,
    /// Whether it yielded to another process, and has not owned the database since.
    gave_way: AtomicBool,
    /// When it may take ownership again, on the monotonic clock.
    away_until: Mutex<Option<Millis>>,
    /// Since when a server's database has been without an owner, on the same clock.
    free_since: Mutex<Option<Millis>>,
}

#[derive(Clone)]
enum RuntimeBackend {
    /// This process owns the database, until another one takes it.
    Own(Arc<LocalRuntime>),
    /// Another process owns it.
    Beside(Arc<RemoteMailSender>),
}

impl RuntimeAccess {
    /// Takes ownership if no process has it.
    pub(crate) async fn open(services: Arc<AppServices>) -> Result<Arc<Self>, CliError> {
        let runtime = Arc::new(Self {
            inner: RwLock::new(remote_backend(&services)),
            standing: Mutex::default(),
            taking: tokio::sync::Mutex::default(),
            leaves: AtomicBool::new(false),
            gave_way: AtomicBool::new(false),
            away_until: Mutex::default(),
            free_since: Mutex::default(),
            services,
        });
        runtime.claim_ownership().await?;
        tokio::spawn(list_missing_servers(Arc::downgrade(&runtime), runtime.services.replacement_signal()));
        if runtime.services.owner_kind().kind != SERVE {
            tokio::spawn(yield_on_request(Arc::downgrade(&runtime), runtime.services.clone()));
        }
        Ok(runtime)
    }

    /// Ends the running work, and yields the database to the requester: from now on requests go there.
    async fn yield_ownership(&self) {
        let RuntimeBackend::Own(runtime) = self.current_backend().await else { return };
        // Before the database is released: a request of this process must not take it again.
        self.block_takeover();
        let is_done = runtime.shutdown(GIVE_WAY).await;
        tracing::info!(is_done, "another process wanted the database and has it now");
        self.block_takeover();
        self.switch_to_remote().await;
    }

    fn block_takeover(&self) {
        let until = Millis(self.services.clock.monotonic().0.saturating_add(STAY_AWAY.0));
        *lock(&self.away_until) = Some(until);
        self.gave_way.store(true, Ordering::Release);
    }

    fn is_takeover_blocked(&self) -> bool {
        let until = *lock(&self.away_until);
        until.is_some_and(|until| self.services.clock.monotonic() < until)
    }

    /// Checks whether this process owns the database.
    pub(crate) async fn refresh_is_owner(&self) -> bool {
        matches!(self.current_backend().await, RuntimeBackend::Own(runtime) if runtime.is_owner())
    }

    /// Whether this process owns the database by its latest knowledge: its runtime works under the latest epoch, and
    /// holds the lock. One of several servers: whether it beats.
    pub(crate) fn is_owner(&self) -> bool {
        self.has_standing(OwnershipStatus::is_valid)
    }

    /// Whether this process does what only one process of a database should do: it is the owner, or the first of several
    /// servers.
    pub(crate) fn is_leading(&self) -> bool {
        self.has_standing(OwnershipStatus::is_leading)
    }

    /// The number of this process, if it is one of several servers now.
    pub(crate) fn worker_process_id(&self) -> Option<WorkerProcessId> {
        let standing = lock(&self.standing).clone().filter(OwnershipStatus::is_shared)?;
        standing.epoch().map(|number| WorkerProcessId(number.cast_signed()))
    }

    fn has_standing(&self, holds: impl Fn(&OwnershipStatus) -> bool) -> bool {
        let standing = lock(&self.standing).clone();
        let held = standing.filter(|standing| holds(standing));
        held.is_some_and(|held| held.is_shared() || self.services.store_ownership.may_be_held_here())
    }

    /// Shuts down in order: starts nothing new, gives running work `grace` to end, and releases the database. Returns
    /// whether everything ended.
    pub(crate) async fn shut_down(&self, grace: Millis) -> bool {
        self.leaves.store(true, Ordering::Release);
        match self.current_backend().await {
            RuntimeBackend::Own(runtime) => runtime.shutdown(grace).await,
            RuntimeBackend::Beside(_) => true,
        }
    }

    /// Takes over from an owner that has gone. Called at every poll; checks only every [`LOOKS_BETWEEN`] polls.
    pub(crate) async fn try_take_ownership(&self, look: u32) -> Result<bool, CliError> {
        let is_time = look % LOOKS_BETWEEN == LOOKS_BETWEEN - 1;
        if !is_time || self.is_shutting_down() || self.is_takeover_blocked() || self.refresh_is_owner().await
        {
            return Ok(false);
        }
        self.switch_to_remote().await;
        if !self.may_take_over().await? {
            return Ok(false);
        }
        self.claim_ownership().await
    }

    /// Whether this process owns the database, after taking it if it was free.
    pub(crate) async fn take_ownership_now(&self) -> Result<bool, CliError> {
        Ok(self.refresh_is_owner().await || self.try_take_ownership(LOOKS_BETWEEN - 1).await?)
    }

    fn is_shutting_down(&self) -> bool {
        self.leaves.load(Ordering::Acquire)
    }

    async fn current_backend(&self) -> RuntimeBackend {
        self.inner.read().await.clone()
    }

    /// Takes ownership if no process has it.
    async fn claim_ownership(&self) -> Result<bool, CliError> {
        let _alone = self.taking.lock().await;
        if self.is_shutting_down() || self.refresh_is_owner().await {
            return Ok(false);
        }
        let Some(runtime) = start_local_runtime(&self.services).await? else { return Ok(false) };
        *lock(&self.standing) = Some(runtime.ownership_status());
        *lock(&self.free_since) = None;
        self.gave_way.store(false, Ordering::Release);
        *self.inner.write().await = RuntimeBackend::Own(Arc::new(runtime));
        // Live text and entries of another process are read again.
        self.services.live.drop_live_text();
        Ok(true)
    }

    /// Whether to take over now. A process beside a vanished server waits for a while, so that a restarted or
    /// reconnecting server finds its database free.
    async fn may_take_over(&self) -> Result<bool, CliError> {
        let (wait, kind) = (self.services.takeover_delay(), self.services.owner_kind().kind);
        let takes_back = is_long_lived(&kind) && !self.gave_way.load(Ordering::Acquire);
        if wait.0 <= 0 || takes_back {
            return Ok(true);
        }
        let holder = self.services.ownership().holder().await?;
        if !holder.is_some_and(|holder| is_long_lived(&holder.kind.kind)) {
            return Ok(true);
        }
        if self.services.store_ownership.lock_holder().await?.is_some() {
            *lock(&self.free_since) = None;
            return Ok(false);
        }
        let now = self.services.clock.monotonic();
        let since = *lock(&self.free_since).get_or_insert(now);
        Ok(now.0.saturating_sub(since.0) >= wait.0)
    }

    /// Whether this process will take over from a vanished server later: until then requests are posted again.
    fn is_waiting_for_takeover(&self) -> bool {
        !self.is_shutting_down() && lock(&self.free_since).is_some()
    }

    /// Another process took the database: from now on requests go there.
    async fn switch_to_remote(&self) {
        let lost = {
            let mut inner = self.inner.write().await;
            match &*inner {
                RuntimeBackend::Own(runtime) if !runtime.is_owner() => {
                    let runtime = runtime.clone();
                    *inner = remote_backend(&self.services);
                    runtime
                }
                RuntimeBackend::Own(_) | RuntimeBackend::Beside(_) => return,
            }
        };
        // Its waiting requests are refused as sent to a non-owner, and sent again to the next owner.
        lost.shutdown(STEP_DOWN).await;
        self.services.live.drop_live_text();
    }
}

/// Opens the runtime access when the first request needs it: a command that only reads takes no ownership.
pub(crate) struct LazyRuntimeAccess {
    services: Arc<AppServices>,
    opened: OnceCell<Arc<RuntimeAccess>>,
}

impl LazyRuntimeAccess {
    /// Nothing is opened yet.
    pub(crate) fn new(services: Arc<AppServices>) -> Self {
        Self { services, opened: OnceCell::new() }
    }

    /// The runtime access, opened by the first call.
    pub(crate) async fn open(&self) -> Result<Arc<RuntimeAccess>, CliError> {
        self.opened.get_or_try_init(|| RuntimeAccess::open(self.services.clone())).await.cloned()
    }

    /// Whether a request was made.
    pub(crate) fn is_open(&self) -> bool {
        self.opened.initialized()
    }

    /// Whether this process owns the database.
    pub(crate) fn is_owner(&self) -> bool {
        self.opened.get().is_some_and(|runtime| runtime.is_owner())
    }
}

#[async_trait]
impl MailSender for LazyRuntimeAccess {
    async fn post(&self, workspace: &WorkspaceKey, mail: Mail) -> Result<MailAnswer, MailPostError> {
        let unavailable = |error: CliError| MailPostError::Unavailable(error.message.into());
        self.open().await.map_err(unavailable)?.post(workspace, mail).await
    }
}

/// A change of ownership in a long-lived process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OwnershipChange {
    /// Another process took the database: the sessions of this process stopped.
    Lost,
    /// This process owns the database again, under a new epoch, and continues its sessions.
    Regained,
}

impl RuntimeAccess {
    /// Maintains ownership: verifies it, and regains a lost database once it is free. Asks a command that took it to
    /// yield. Returns the reason once regaining has failed for `runtime.reclaim`.
    pub(crate) async fn maintain_ownership(&self, told: impl Fn(OwnershipChange)) -> CliError {
        let (clock, reclaim) = (self.services.clock.clone(), self.services.reclaim_timeout());
        let mut lost_since: Option<Millis> = None;
        let mut asked = None;
        loop {
            clock.sleep(self.services.ownership_check()).await;
            if self.is_shutting_down() {
                std::future::pending::<()>().await;
            }
            if self.gave_way.load(Ordering::Acquire) {
                // It regains the database like any command, and an error does not end it.
                match self.take_ownership_now().await {
                    // Unless its earlier work is still ending.
                    Ok(true) if !self.gave_way.load(Ordering::Acquire) => told(OwnershipChange::Regained),
                    Ok(_) => {}
                    Err(error) => tracing::warn!(error = error.message, "the database cannot be owned now"),
                }
                continue;
            }
            if let RuntimeBackend::Own(runtime) = self.current_backend().await {
                match runtime.verify_ownership().await {
                    // While the store is unreachable, the runtime waits, and sends nothing beyond its lease.
                    Ok(()) | Err(OwnershipError::Store(_)) => {
                        if lost_since.take().is_some() {
                            // A request of this process regained ownership first.
                            asked = None;
                            told(OwnershipChange::Regained);
                        }
                        continue;
                    }
                    // Lost, and future variants.
                    Err(_) => {}
                }
            }
            let since = match lost_since {
                Some(since) => since,
                None => {
                    tracing::warn!("this process lost the database; it takes it again once it is free");
                    told(OwnershipChange::Lost);
                    *lost_since.insert(clock.monotonic())
                }
            };
            match self.take_ownership_now().await {
                Ok(true) => {
                    tracing::warn!("this process owns the database again, and goes on with its sessions");
                    told(OwnershipChange::Regained);
                    (lost_since, asked) = (None, None);
                    continue;
                }
                Ok(false) => {
                    if let Err(error) = self.request_ownership_back(&mut asked).await {
                        tracing::warn!(
                            error = error.message,
                            "the owner of the database is not asked to give way"
                        );
                    }
                }
                Err(error) => tracing::warn!(error = error.message, "the database cannot be owned now"),
            }
            if clock.monotonic().0.saturating_sub(since.0) >= reclaim.0 {
                return self.reclaim_timeout_error(reclaim).await;
            }
        }
    }

    /// Asks an owning command to yield, once for each epoch. A server and a watch yield to no such request.
    async fn request_ownership_back(&self, asked: &mut Option<u64>) -> Result<(), CliError> {
        let ownership = self.services.ownership();
        let Some(holder) = ownership.holder().await? else { return Ok(()) };
        let kind = self.services.owner_kind().kind;
        if outranks(&kind, &holder.kind.kind) && *asked != Some(holder.epoch) {
            ownership.request_release(&format!("{kind}, process {}", std::process::id())).await?;
            *asked = Some(holder.epoch);
        }
        Ok(())
    }

    async fn reclaim_timeout_error(&self, reclaim: Millis) -> CliError {
        let holder = self.services.ownership().holder().await.ok().flatten();
        let seconds = (reclaim.0 / 1000).to_string();
        let text = match &holder {
            Some(holder) => message!("owner-not-reclaimed", seconds = seconds, holder = owner(holder)),
            None => message!("owner-not-reclaimed-unknown", seconds = seconds),
        };
        CliError::with_next(CliExitCode::TryAgain, text, "entracte doctor")
    }
}

/// Whether an owner of this kind is long-lived, so that others leave its database alone for a while when it is gone.
fn is_long_lived(kind: &str) -> bool {
    matches!(kind, SERVE | WATCH)
}

/// Whether a process of the first kind may ask one of the second to yield.
fn outranks(kind: &str, other: &str) -> bool {
    match kind {
        SERVE => other != SERVE,
        WATCH => !is_long_lived(other),
        _ => false,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Yields on request, until the runtime access is dropped.
async fn yield_on_request(runtime: Weak<RuntimeAccess>, services: Arc<AppServices>) {
    loop {
        services.clock.sleep(WANTED_LOOK).await;
        let Some(runtime) = runtime.upgrade() else { return };
        if !runtime.refresh_is_owner().await {
            continue;
        }
        match services.ownership().holder().await {
            Ok(Some(OwnershipRecord { wanted_by: Some(_), .. })) => runtime.yield_ownership().await,
            Ok(_) => {}
            Err(error) => tracing::debug!(%error, "it cannot be read whether somebody wants the database"),
        }
    }
}

/// Tries again to list the MCP servers that did not start when this process began to own the database, or when their entries
/// were replaced; their commands are in the catalog from then on. Ends when the runtime access is dropped or shuts down.
async fn list_missing_servers(runtime: Weak<RuntimeAccess>, replaced: Arc<Notify>) {
    loop {
        let Some(services) = runtime.upgrade().map(|runtime| runtime.services.clone()) else { return };
        if !services.lacks_commands_of_servers() {
            drop(services);
            replaced.notified().await;
            continue;
        }
        services.clock.sleep(MISSING_SERVERS_LOOK).await;
        let Some(runtime) = runtime.upgrade() else { return };
        if runtime.is_shutting_down() {
            return;
        }
        if !runtime.refresh_is_owner().await {
            continue;
        }
        if let Err(error) = services.list_missing_servers().await {
            tracing::warn!(error = %error.message, "the commands of an MCP server cannot be used");
        }
    }
}

fn remote_backend(services: &AppServices) -> RuntimeBackend {
    RuntimeBackend::Beside(Arc::new(RemoteMailSender::new(
        services.mail_store.clone(),
        services.clock.clone(),
    )))
}

/// Starts the runtime of a process that owns the database now, or of one of several servers.
async fn start_local_runtime(services: &AppServices) -> Result<Option<LocalRuntime>, CliError> {
    let is_server = services.owner_kind().kind == SERVE;
    let rights = if is_server { services.workspace_rights()? } else { None };
    let acquired = match rights {
        Some(rights) => services.services().enter_shared_store(rights, &services.worker_process()).await,
        None => services.services().acquire_ownership().await,
    };
    let owner = match acquired {
        Ok(owner) => owner,
        Err(OwnershipError::Owned { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    services.check_secrets()?;
    // The owner runs sessions, so it needs every command they may use.
    services.connect_unmet_servers().await?;
    Ok(Some(LocalRuntime::start(services.services(), owner).await?))
}

#[async_trait]
impl MailSender for RuntimeAccess {
    async fn post(&self, workspace: &WorkspaceKey, mail: Mail) -> Result<MailAnswer, MailPostError> {
        // The owner may have gone since the last check.
        let ask = || self.try_take_ownership(LOOKS_BETWEEN - 1);
        let unavailable = |error: CliError| MailPostError::Unavailable(error.message.into());
        ask().await.map_err(unavailable)?;
        for patience in PATIENCE {
            match self.post_once(patience, workspace, mail.clone()).await {
                // The mail was withdrawn, so it is not handled twice.
                Err(MailPostError::NotTaken { .. } | MailPostError::NotOwner) => {
                    ask().await.map_err(unavailable)?;
                }
                answer => return answer,
            }
        }
        loop {
            match self.post_once(LAST_PATIENCE, workspace, mail.clone()).await {
                // `runtime.takeover_wait` may be longer than all these waits.
                Err(MailPostError::NotTaken { .. }) if self.is_waiting_for_takeover() => {
                    ask().await.map_err(unavailable)?;
                }
                answer => return answer,
            }
        }
    }
}

impl RuntimeAccess {
    async fn post_once(
        &self,
        patience: Millis,
        workspace: &WorkspaceKey,
        mail: Mail,
    ) -> Result<MailAnswer, MailPostError> {
        // Not under the lock: a hanging commit must not delay the switch to the next owner.
        match self.current_backend().await {
            RuntimeBackend::Own(runtime) => runtime.post(workspace, mail).await,
            RuntimeBackend::Beside(mail_sender) => mail_sender.post_within(patience, workspace, mail).await,
        }
    }
}
