//! Keeps the database of a process as `serve` does: if another process owned it meanwhile, it acquires ownership once
//! it is free, and starts another runtime that resumes the unfinished work.

#![expect(clippy::expect_used, reason = "this is a test, in a program")]

use std::sync::{Arc, Weak};

use async_trait::async_trait;
use entracte_application::mail::{Mail, MailAnswer};
use entracte_application::ports::{Clock, MailPostError, MailSender, OwnershipError};
use entracte_application::runtime::{LocalRuntime, OwnershipLease, RuntimeServices};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;
use tokio::sync::RwLock;

use super::crash_ownership::CrashOwnership;

/// Interval between checks of the ownership.
const LOOK: Millis = Millis::seconds(2);

/// Time for a runtime that lost the database to refuse pending requests, and for a stopping one to end running work.
const STEP_DOWN: Millis = Millis::seconds(2);
const GRACE: Millis = Millis::seconds(15);

/// The current runtime of a process, replaceable by a new one.
pub(super) struct RestartableRuntime {
    services: RuntimeServices,
    ownership: CrashOwnership,
    runtime: RwLock<Arc<LocalRuntime>>,
}

impl RestartableRuntime {
    /// Starts to serve.
    pub(super) async fn start(
        services: RuntimeServices,
        ownership: CrashOwnership,
        owner: OwnershipLease,
    ) -> Arc<Self> {
        let runtime = RwLock::new(begin(&services, owner).await);
        let server = Arc::new(Self { services, ownership, runtime });
        tokio::spawn(keep(Arc::downgrade(&server), server.services.clock.clone()));
        server
    }

    /// Shuts down in order.
    pub(super) async fn shutdown(&self) {
        self.runtime().await.shutdown(GRACE).await;
    }

    async fn runtime(&self) -> Arc<LocalRuntime> {
        self.runtime.read().await.clone()
    }

    /// Acquires the ownership again.
    async fn come_back(&self, lost: Arc<LocalRuntime>) {
        lost.shutdown(STEP_DOWN).await;
        drop(lost);
        let owner = self.ownership.acquire(&self.services).await;
        let next = RuntimeServices {
            started_at: self.services.clock.now(),
            accounts: Arc::default(),
            ..self.services.clone()
        };
        *self.runtime.write().await = begin(&next, owner).await;
    }
}

async fn begin(services: &RuntimeServices, owner: OwnershipLease) -> Arc<LocalRuntime> {
    let runtime = LocalRuntime::start(Arc::new(services.clone()), owner).await;
    Arc::new(runtime.expect("the runtime starts"))
}

async fn keep(server: Weak<RestartableRuntime>, clock: Arc<dyn Clock>) {
    loop {
        clock.sleep(LOOK).await;
        let Some(server) = server.upgrade() else { return };
        let runtime = server.runtime().await;
        if let Err(OwnershipError::Lost { .. }) = runtime.verify_ownership().await {
            server.come_back(runtime).await;
        }
    }
}

#[async_trait]
impl MailSender for RestartableRuntime {
    async fn post(&self, workspace: &WorkspaceKey, mail: Mail) -> Result<MailAnswer, MailPostError> {
        let answer = self.runtime().await.post(workspace, mail).await;
        if answer.is_err() {
            // Without a pause the retries would be very frequent.
            self.services.clock.sleep(LOOK).await;
        }
        answer
    }
}
