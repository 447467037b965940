//! Marks a chat as open in this process: a lease, renewed while it matters, and ended when the person leaves.

use std::sync::Arc;

use entracte_application::ports::{Clock, WorkspaceStore};
use entracte_application::use_cases::{
    AcceptedRequest, AttachSession, LeaveSession, OpenSession, ShowSession, UseCaseError, settings_of,
};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::Slot;
use entracte_domain::time::{Millis, Timestamp};
use tokio::sync::Mutex;
use tokio::task::AbortHandle;

use super::turn::SessionContext;
use crate::runtime_access::RuntimeAccess;

/// The lease of a chat that is open here. A crashed process stops renewing it.
pub(crate) struct ChatAttachment {
    open: Arc<ChatAttachmentLease>,
    renewing: AbortHandle,
}

struct ChatAttachmentLease {
    runtime: Arc<RuntimeAccess>,
    store: Arc<dyn WorkspaceStore>,
    clock: Arc<dyn Clock>,
    workspace: WorkspaceKey,
    session: SessionId,
    author: String,
    attachment: String,
    lease: Millis,
    /// When the lease was last renewed.
    noted_at: Mutex<Option<Timestamp>>,
}

impl ChatAttachment {
    /// Attaches the chat of a session context.
    pub(crate) async fn attach(stage: &SessionContext<'_>) -> Self {
        let open = ChatAttachmentLease::of(stage);
        open.renew_lease().await;
        Self::spawn_renewal(open)
    }

    /// Attaches the chat, and requests its slot.
    pub(crate) async fn attach_and_request_slot(
        stage: &SessionContext<'_>,
    ) -> Result<(Self, AcceptedRequest), UseCaseError> {
        let open = ChatAttachmentLease::of(stage);
        let accepted = open.request_slot().await?;
        Ok((Self::spawn_renewal(open), accepted))
    }

    fn spawn_renewal(open: ChatAttachmentLease) -> Self {
        let open = Arc::new(open);
        let renewed = open.clone();
        let task = tokio::spawn(async move {
            loop {
                renewed.clock.sleep(renewed.renewal_interval()).await;
                if renewed.needs_renewal().await {
                    renewed.renew_lease().await;
                }
            }
        });
        Self { open, renewing: task.abort_handle() }
    }

    /// Renews before a person's act: the session must not be unattended when it rests again.
    pub(crate) async fn refresh(&self) {
        let now = self.open.clock.now();
        let noted_at = *self.open.noted_at.lock().await;
        if noted_at.is_none_or(|at| now.since(at) >= self.open.renewal_interval() || now < at) {
            self.open.renew_lease().await;
        }
    }

    /// Ends the lease, because the person leaves.
    pub(crate) async fn detach(self) {
        self.renewing.abort();
        let ChatAttachmentLease { runtime, workspace, session, author, attachment, .. } = &*self.open;
        let left = LeaveSession::new(runtime.clone());
        if let Err(error) = left.run(workspace, session, author.clone(), attachment.clone()).await {
            tracing::debug!(%session, %error, "that the chat was left is not noted; its lease ends by itself");
        }
    }

    /// Stops renewing; the lease expires.
    pub(crate) fn stop_renewing(self) {
        self.renewing.abort();
    }
}

impl ChatAttachmentLease {
    fn of(stage: &SessionContext<'_>) -> Self {
        Self {
            runtime: stage.runtime.clone(),
            store: stage.services.store.clone(),
            clock: stage.services.clock.clone(),
            workspace: stage.workspace.clone(),
            session: stage.session.clone(),
            author: stage.author(),
            attachment: stage.services.ids.key(),
            lease: stage.context.settings.runtime.attachment_lease,
            noted_at: Mutex::new(None),
        }
    }

    fn renewal_interval(&self) -> Millis {
        Millis((self.lease.0 / 2).max(1000))
    }

    /// Renews the lease. An error is ignored: the chat only loses its slot earlier.
    async fn renew_lease(&self) {
        let attach = AttachSession::new(self.runtime.clone());
        let (author, attachment) = (self.author.clone(), self.attachment.clone());
        match attach.run(&self.workspace, &self.session, author, attachment).await {
            Ok(_) => *self.noted_at.lock().await = Some(self.clock.now()),
            Err(error) => {
                tracing::debug!(session = %self.session, %error, "that the chat is open is not noted");
            }
        }
    }

    async fn request_slot(&self) -> Result<AcceptedRequest, UseCaseError> {
        let open = OpenSession::new(self.runtime.clone());
        open.run(&self.workspace, &self.session, self.author.clone(), self.attachment.clone()).await
    }

    /// Whether another session could take its slot without the lease. After a long rest any session may.
    async fn needs_renewal(&self) -> bool {
        let shown = ShowSession::new(self.store.clone()).run(&self.workspace, &self.session).await;
        let (Ok(view), Ok(settings)) = (shown, settings_of(&*self.store, &self.workspace).await) else {
            return false;
        };
        let rested = self.clock.now().since(view.facts.last_event_at) >= settings.slot_rules().chat_eviction;
        match view.facts.slot {
            Slot::None => false,
            Slot::Held => !rested,
            Slot::Queued(_) | Slot::Suspended(_) => true,
        }
    }
}
