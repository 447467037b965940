//! Receives the live text of a server while a session is followed from another process.

use std::sync::{Arc, Weak};

use entracte_application::ports::Clock;
use entracte_application::use_cases::{OwnProcess, OwnerHostLocation, RelayRemoteStream, StreamRelayPorts};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Millis;
use tokio::task::JoinHandle;

use crate::app_services::AppServices;
use crate::runtime_access::RuntimeAccess;

/// The wait before reconnecting: after a stream that ended normally, and the maximum after errors.
const SOON: Millis = Millis(250);
const LATEST: Millis = Millis::seconds(5);

/// The maximum wait of a server beside others, which looks at a row and contacts nobody while the workspace is here.
const LATEST_OF_SERVER: Millis = Millis::seconds(1);

/// A subscription that ends when it is dropped.
pub(crate) struct ModelStreamSubscription(JoinHandle<()>);

impl ModelStreamSubscription {
    /// Subscribes to the live text of a session, as this person, whenever a server owns the database. A read-only
    /// process has no runtime access.
    pub(crate) fn subscribe(
        services: &AppServices,
        runtime: Option<&Arc<RuntimeAccess>>,
        workspace: &WorkspaceKey,
        session: &SessionId,
        person: &str,
    ) -> Self {
        let runtime = runtime.map(Arc::downgrade);
        let stream = RelayedStream {
            relay: relay(services, Arc::new(|| None)),
            clock: services.clock.clone(),
            workspace: workspace.clone(),
            session: session.clone(),
            person: person.to_owned(),
            latest: LATEST,
        };
        Self(tokio::spawn(async move {
            let mut wait = SOON;
            while let Some(is_beside) = is_remote_owner(runtime.as_ref()).await {
                wait = match is_beside {
                    true => stream.run(wait).await,
                    false => next_backoff(wait, LATEST),
                };
                stream.clock.sleep(wait).await;
            }
        }))
    }

    /// Subscribes a server that shares its database to the live text of a session, as this person, whenever another server
    /// has the workspace.
    pub(crate) fn subscribe_beside_servers(
        services: &AppServices,
        runtime: &Arc<RuntimeAccess>,
        workspace: &WorkspaceKey,
        session: &SessionId,
        person: &str,
    ) -> Self {
        let runtime = Arc::downgrade(runtime);
        let own = runtime.clone();
        let own = move || own.upgrade().and_then(|runtime| runtime.worker_process_id());
        let stream = RelayedStream {
            relay: relay(services, Arc::new(own)),
            clock: services.clock.clone(),
            workspace: workspace.clone(),
            session: session.clone(),
            person: person.to_owned(),
            latest: LATEST_OF_SERVER,
        };
        Self(tokio::spawn(async move {
            let mut wait = SOON;
            while runtime.strong_count() > 0 {
                wait = stream.run(wait).await;
                stream.clock.sleep(wait).await;
            }
        }))
    }
}

/// The live text of a session as another process streams it.
struct RelayedStream {
    relay: RelayRemoteStream,
    clock: Arc<dyn Clock>,
    workspace: WorkspaceKey,
    session: SessionId,
    person: String,
    /// The maximum wait while there is no process to stream from.
    latest: Millis,
}

impl RelayedStream {
    /// Streams it until the stream ends, and returns the wait before the next attempt; `waited` was the one before this.
    async fn run(&self, waited: Millis) -> Millis {
        match self.relay.run(&self.workspace, &self.session, &self.person).await {
            Ok(true) => SOON,
            Ok(false) => next_backoff(waited, self.latest),
            Err(error) => {
                tracing::debug!(%error, "the words of the server are not heard; they come once they are stored");
                next_backoff(waited, LATEST)
            }
        }
    }
}

/// The relay of a process.
fn relay(services: &AppServices, own_process: OwnProcess) -> RelayRemoteStream {
    let ports = StreamRelayPorts {
        ownership: services.ownership(),
        rights: services.workspace_rights().ok().flatten(),
        own_process,
        access: services.access.clone(),
        source: services.words.clone(),
        live: services.live.clone(),
        clock: services.clock.clone(),
        ids: services.ids.clone(),
    };
    let machine = if services.database.location().is_local() {
        OwnerHostLocation::Same
    } else {
        OwnerHostLocation::Named(services.owner_kind().host)
    };
    RelayRemoteStream::new(ports, services.relay_token_lifetime(), machine)
}

impl Drop for ModelStreamSubscription {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Whether another process owns the database; `None` if the follower is gone.
async fn is_remote_owner(runtime: Option<&Weak<RuntimeAccess>>) -> Option<bool> {
    match runtime {
        Some(runtime) => Some(!runtime.upgrade()?.refresh_is_owner().await),
        None => Some(true),
    }
}

fn next_backoff(wait: Millis, latest: Millis) -> Millis {
    Millis(wait.0.saturating_mul(2).min(latest.0))
}
