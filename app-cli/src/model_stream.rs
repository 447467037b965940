//! The words of a server beside this process, while a session is followed.

use std::sync::{Arc, Weak};

use entracte_application::use_cases::{OwnerHostLocation, RelayRemoteStream, StreamRelayPorts};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Millis;
use tokio::task::JoinHandle;

use crate::app_services::AppServices;
use crate::runtime_access::RuntimeAccess;

/// How soon it is looked again who speaks: after a stream that ended in order, and at most after faults.
const SOON: Millis = Millis(250);
const LATEST: Millis = Millis::seconds(5);

/// Hears until it is dropped.
pub(crate) struct ModelStreamSubscription(JoinHandle<()>);

impl ModelStreamSubscription {
    /// Hears what is said in a session, as this person, whenever a server owns the database. Who only reads has no way in.
    pub(crate) fn subscribe(
        wiring: &AppServices,
        way: Option<&Arc<RuntimeAccess>>,
        (workspace, session): (&WorkspaceKey, &SessionId),
        person: &str,
    ) -> Self {
        let (clock, way) = (wiring.clock.clone(), way.map(Arc::downgrade));
        let ports = StreamRelayPorts {
            ownership: wiring.ownership(),
            access: wiring.database.access_store(),
            source: wiring.words.clone(),
            live: wiring.live.clone(),
            clock: clock.clone(),
            ids: wiring.ids.clone(),
        };
        let machine = if wiring.database.location().is_local() {
            OwnerHostLocation::Same
        } else {
            OwnerHostLocation::Named(wiring.owner_kind().host)
        };
        let relay = RelayRemoteStream::new(ports, wiring.relay_token_lifetime(), machine);
        let (workspace, session, person) = (workspace.clone(), session.clone(), person.to_owned());
        Self(tokio::spawn(async move {
            let mut wait = SOON;
            while let Some(is_beside) = is_remote_owner(way.as_ref()).await {
                let heard = match is_beside {
                    true => relay.run(&workspace, &session, &person).await,
                    false => Ok(false),
                };
                wait = match heard {
                    Ok(true) => SOON,
                    Ok(false) => next_backoff(wait),
                    Err(error) => {
                        tracing::debug!(%error, "the words of the server are not heard; they come once they are stored");
                        next_backoff(wait)
                    }
                };
                clock.sleep(wait).await;
            }
        }))
    }
}

impl Drop for ModelStreamSubscription {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Whether another process owns the database; none when nobody follows any more.
async fn is_remote_owner(way: Option<&Weak<RuntimeAccess>>) -> Option<bool> {
    match way {
        Some(way) => Some(!way.upgrade()?.refresh_is_owner().await),
        None => Some(true),
    }
}

fn next_backoff(wait: Millis) -> Millis {
    Millis(wait.0.saturating_mul(2).min(LATEST.0))
}
