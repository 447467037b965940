//! The session of a chat: on this machine, where this process may run its work, or on a server.

use std::sync::Arc;

use entracte_adapters_http::api_transport::{ApiRequest, ApiTransport};
use entracte_adapters_http::shapes::instant;
use entracte_adapters_http::shapes::session::SessionShape;
use entracte_application::journal::JournalEntry;
use entracte_application::ports::Clock;
use entracte_application::system::SystemClock;
use entracte_domain::time::{Millis, Timestamp};
use http::Method;
use serde::Deserialize;
use tokio::sync::Mutex;
use tokio::task::AbortHandle;

use super::chat_attachment::ChatAttachment;
use super::request_follow_up::mark_read;
use super::turn::SessionContext;
use crate::api_client::{ApiClient, delete};
use crate::api_follow::{ServerTurnFollower, read_turn};
use crate::command_context::CommandContext;
use crate::error::CliError;
use crate::follow::{FollowedSpan, SessionEventCursor, SessionWatcher, TurnCompletion};

/// The session of a chat.
pub(super) struct ChatStage<'a> {
    pub(super) context: &'a CommandContext,
    pub(super) api: &'a ApiClient<'a>,
    pub(super) session: String,
    /// The session on this machine; `None` on a server.
    here: Option<SessionContext<'a>>,
}

impl<'a> ChatStage<'a> {
    /// Opens it.
    pub(super) async fn open(
        context: &'a CommandContext,
        api: &'a ApiClient<'a>,
        session: String,
    ) -> Result<Self, CliError> {
        let here = SessionContext::open_here(context, api, &session).await?;
        Ok(Self { context, api, session, here })
    }

    /// The session on this machine; `None` on a server.
    pub(super) fn here(&self) -> Option<&SessionContext<'a>> {
        self.here.as_ref()
    }

    /// Reads the session.
    pub(super) async fn read(&self) -> Result<SessionShape, CliError> {
        self.api.get(&self.api.path(&["sessions", &self.session])).await
    }

    /// Begins to follow it, after its latest entry.
    pub(super) async fn follow(&self) -> Result<ChatFollower<'_>, CliError> {
        let place = match &self.here {
            Some(stage) => {
                let reading = SessionEventCursor::starting_after(stage.last_sequence().await?);
                FollowedChat::Here(stage, Box::new(reading))
            }
            None => {
                let last = read_turn(self.api, &self.session, None).await?.last;
                FollowedChat::Server(Box::new(ServerTurnFollower::starting_after(
                    self.api,
                    &self.session,
                    last,
                )))
            }
        };
        Ok(ChatFollower { place })
    }

    /// Marks it as open here.
    pub(super) async fn attach(&self) -> ChatPresence {
        match &self.here {
            Some(stage) => ChatPresence::Here(ChatAttachment::attach(stage).await),
            None => ChatPresence::Server(ServerAttachment::attach(self).await),
        }
    }

    /// Marks it as read up to here.
    pub(super) async fn mark_read(&self) {
        match &self.here {
            Some(stage) => stage.mark_read().await,
            None => mark_read(self.api, &self.session).await,
        }
    }

    /// Deletes it if it has no messages: the message it was created for never came.
    pub(super) async fn discard_blank(&self) {
        if let Some(stage) = &self.here {
            return stage.discard_blank().await;
        }
        if !self.read().await.is_ok_and(|session| session.rounds == 0 && session.waiting_messages() == 0) {
            return;
        }
        let path = self.api.path(&["sessions", &self.session]);
        if let Err(error) = self.api.answer(delete(&path)).await {
            tracing::debug!(session = %self.session, %error, "the empty session stays");
        }
    }

    /// Waits for the work that this process would interrupt.
    pub(super) async fn drain(&self) -> Result<(), CliError> {
        match &self.here {
            Some(stage) => stage.drain_owned_work().await,
            None => Ok(()),
        }
    }

    /// Whether this process runs the work of the session.
    pub(super) async fn runs_here(&self) -> bool {
        match &self.here {
            Some(stage) => stage.runtime.refresh_is_owner().await,
            None => false,
        }
    }
}

/// Follows the session of a chat: every entry once, in order.
pub(super) struct ChatFollower<'a> {
    place: FollowedChat<'a>,
}

enum FollowedChat<'a> {
    Here(&'a SessionContext<'a>, Box<SessionEventCursor>),
    Server(Box<ServerTurnFollower<'a>>),
}

impl ChatFollower<'_> {
    /// The number of the last entry that was shown.
    pub(super) fn last(&self) -> u64 {
        match &self.place {
            FollowedChat::Here(_, reading) => reading.last,
            FollowedChat::Server(follower) => follower.last(),
        }
    }

    /// Shows entries until the session rests.
    pub(super) async fn until_rest(
        &mut self,
        watcher: &mut dyn SessionWatcher,
    ) -> Result<TurnCompletion, CliError> {
        match &mut self.place {
            FollowedChat::Here(stage, reading) => {
                let after = reading.last;
                let ended = stage.follower().follow_until_rest(reading, watcher).await?;
                let span = FollowedSpan { after, last: reading.last };
                Ok(ended.shape(&stage.services.catalog(), span))
            }
            FollowedChat::Server(follower) => follower.until_rest(watcher).await,
        }
    }

    /// Waits until the session works, or until an entry to show arrives; other entries count as shown.
    pub(super) async fn wait_for_work_or_entry(
        &mut self,
        is_shown: impl Fn(&JournalEntry) -> bool,
    ) -> Result<(), CliError> {
        match &mut self.place {
            FollowedChat::Here(stage, reading) => {
                stage.follower().wait_for_work_or_entry(reading, is_shown).await
            }
            FollowedChat::Server(follower) => follower.wait_for_work_or_entry(is_shown).await,
        }
    }

    /// Whether the session has work since the last entry that was shown.
    pub(super) async fn has_pending_work(&self) -> Result<bool, CliError> {
        match &self.place {
            FollowedChat::Here(stage, reading) => stage.has_pending_work(reading.last).await,
            FollowedChat::Server(follower) => Ok(!follower.turn(follower.last()).await?.rests),
        }
    }
}

/// That a chat is open here: a lease, renewed while it matters.
pub(super) enum ChatPresence {
    /// On this machine.
    Here(ChatAttachment),
    /// On a server.
    Server(ServerAttachment),
}

impl ChatPresence {
    /// Renews before a person's act.
    pub(super) async fn refresh(&self) {
        match self {
            Self::Here(attachment) => attachment.refresh().await,
            Self::Server(attachment) => attachment.refresh().await,
        }
    }

    /// Ends the lease, because the person leaves.
    pub(super) async fn detach(self, stage: &ChatStage<'_>) {
        match self {
            Self::Here(attachment) => attachment.detach().await,
            Self::Server(attachment) => {
                drop(attachment);
                let path = stage.api.path(&["sessions", &stage.session, "attachment"]);
                if let Err(error) = stage.api.answer(delete(&path)).await {
                    tracing::debug!(%error, "that the chat was left is not noted; its lease ends by itself");
                }
            }
        }
    }
}

/// The lease of a chat on a server, renewed while another session could take its slot without it.
pub(super) struct ServerAttachment {
    lease: Arc<ServerLease>,
    renewing: AbortHandle,
}

struct ServerLease {
    transport: Arc<dyn ApiTransport>,
    session: String,
    attachment: String,
    /// After how long a chat at rest yields its slot.
    eviction: Millis,
    interval: Millis,
    /// When the lease was renewed last.
    noted_at: Mutex<Option<Timestamp>>,
}

impl ServerAttachment {
    async fn attach(stage: &ChatStage<'_>) -> Self {
        let settings = stage.api.settings().await.ok().flatten().unwrap_or_default();
        let lease = Arc::new(ServerLease {
            transport: stage.api.transport(),
            session: stage.api.path(&["sessions", &stage.session]).target(),
            attachment: stage.api.path(&["sessions", &stage.session, "attachment"]).target(),
            eviction: settings.slot_rules().chat_eviction,
            interval: Millis((stage.context.settings.runtime.attachment_lease.0 / 2).max(1000)),
            noted_at: Mutex::new(None),
        });
        lease.renew().await;
        let renewed = lease.clone();
        let renewing = tokio::spawn(async move {
            loop {
                SystemClock.sleep(renewed.interval).await;
                if renewed.is_needed().await {
                    renewed.renew().await;
                }
            }
        });
        Self { lease, renewing: renewing.abort_handle() }
    }

    async fn refresh(&self) {
        let (now, noted_at) = (SystemClock.now(), *self.lease.noted_at.lock().await);
        if noted_at.is_none_or(|at| now.since(at) >= self.lease.interval || now < at) {
            self.lease.renew().await;
        }
    }
}

impl Drop for ServerAttachment {
    fn drop(&mut self) {
        self.renewing.abort();
    }
}

impl ServerLease {
    /// Renews the lease. A fault is ignored: the chat only loses its slot earlier.
    async fn renew(&self) {
        match self.transport.call(ApiRequest::new(Method::PUT, self.attachment.clone())).await {
            Ok(_) => *self.noted_at.lock().await = Some(SystemClock.now()),
            Err(error) => tracing::debug!(%error, "that the chat is open is not noted"),
        }
    }

    async fn is_needed(&self) -> bool {
        let read = self.transport.call(ApiRequest::new(Method::GET, self.session.clone())).await;
        let read = read.ok().and_then(|answer| serde_json::from_slice::<HeldSlot>(&answer.body).ok());
        read.is_some_and(|read| match &*read.standing {
            "active" => {
                instant(&read.last_activity).is_some_and(|at| SystemClock.now().since(at) < self.eviction)
            }
            "queued" | "suspended" => true,
            _ => false,
        })
    }
}

/// What of a session says whether it has a slot to lose.
#[derive(Deserialize)]
struct HeldSlot {
    standing: String,
    last_activity: String,
}
