//! The places where a life may end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use entracte_application::commands::CommandSpec;
use entracte_application::ports::{
    Agenda, CallRequest, CommandExecutor, Commit, CommitError, Description, ModelReply, ModelRequest, Plan,
    PlanError, Provider, ProviderFailure, ProviderInfo, ReplySink, ResourceReader, SessionRow, Store,
    StoreError, Target, WaitsFor, WorkspaceRow,
};
use entracte_domain::command::CallOutcome;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

/// Counts the places that a life passes, and ends it with SIGKILL at the chosen one.
pub struct Fuse {
    left: AtomicU32,
}

impl Fuse {
    /// Ends the life at the place number `place`, from 1; 0 = never.
    pub fn new(place: u32) -> Arc<Self> {
        Arc::new(Self { left: AtomicU32::new(place) })
    }

    /// Passes one place, or dies here. The name goes to the parent first.
    pub fn pass(&self, place: &str) {
        if self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)) == Ok(1) {
            say(&format!("dies {place}"));
            // SIGKILL to oneself: nothing is flushed, no destructor runs, as in any kill -9.
            let _ = nix::sys::signal::raise(nix::sys::signal::Signal::SIGKILL);
            loop {
                std::thread::park();
            }
        }
    }
}

/// One line to the parent.
pub fn say(line: &str) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}");
    let _ = out.flush();
}

/// A store with a place before and after each commit.
pub struct FusedStore {
    /// The store.
    pub inner: Arc<dyn Store>,
    /// The fuse.
    pub fuse: Arc<Fuse>,
}

#[async_trait]
impl Store for FusedStore {
    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        self.fuse.pass("before a commit");
        let result = self.inner.commit(commit).await;
        self.fuse.pass("after a commit");
        result
    }

    async fn workspace(&self, key: &WorkspaceKey) -> Result<Option<WorkspaceRow>, StoreError> {
        self.inner.workspace(key).await
    }

    async fn workspaces(&self) -> Result<Vec<WorkspaceRow>, StoreError> {
        self.inner.workspaces().await
    }

    async fn session(&self, id: &SessionId) -> Result<Option<SessionRow>, StoreError> {
        self.inner.session(id).await
    }

    async fn placed(&self, workspace: &WorkspaceKey) -> Result<Vec<SessionRow>, StoreError> {
        self.inner.placed(workspace).await
    }

    async fn due(&self, now: Timestamp) -> Result<Vec<(WorkspaceKey, SessionId)>, StoreError> {
        self.inner.due(now).await
    }

    async fn due_in(&self, workspace: &WorkspaceKey, now: Timestamp) -> Result<Vec<SessionId>, StoreError> {
        self.inner.due_in(workspace, now).await
    }

    async fn next_wake(&self, workspace: &WorkspaceKey) -> Result<Option<Timestamp>, StoreError> {
        self.inner.next_wake(workspace).await
    }

    async fn agenda(&self, now: Timestamp) -> Result<Agenda, StoreError> {
        self.inner.agenda(now).await
    }

    async fn waiting(&self, what: WaitsFor) -> Result<Vec<WorkspaceKey>, StoreError> {
        self.inner.waiting(what).await
    }
}

/// An executor with a place before and after each effect.
pub struct FusedExecutor {
    /// The executor.
    pub inner: Arc<dyn CommandExecutor>,
    /// The fuse.
    pub fuse: Arc<Fuse>,
}

#[async_trait]
impl CommandExecutor for FusedExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        self.inner.commands()
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let name = request.command.name.clone();
        self.fuse.pass(&format!("before {name}"));
        let outcome = self.inner.run(request).await;
        self.fuse.pass(&format!("after {name}"));
        outcome
    }

    async fn ask(&self, request: CallRequest) -> CallOutcome {
        self.fuse.pass("before a probe");
        self.inner.ask(request).await
    }

    async fn plan(&self, request: CallRequest, rows: Arc<dyn ResourceReader>) -> Result<Plan, PlanError> {
        self.fuse.pass("before a plan");
        self.inner.plan(request, rows).await
    }

    async fn describe(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<Description, StoreError> {
        self.inner.describe(request, rows).await
    }

    async fn target(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<Target, StoreError> {
        self.inner.target(request, rows).await
    }
}

/// A provider with a place before and after each answer.
pub struct FusedProvider {
    /// The provider.
    pub inner: Arc<dyn Provider>,
    /// The fuse.
    pub fuse: Arc<Fuse>,
}

#[async_trait]
impl Provider for FusedProvider {
    fn info(&self) -> ProviderInfo {
        self.inner.info()
    }

    fn encoding(&self) -> Arc<str> {
        self.inner.encoding()
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        self.inner.body(request)
    }

    async fn call(
        &self,
        request: ModelRequest,
        sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        self.fuse.pass("before a model call");
        let reply = self.inner.call(request, sink).await;
        self.fuse.pass("after a model call");
        reply
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        self.inner.check().await
    }
}
