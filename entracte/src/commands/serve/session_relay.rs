//! Receives the live text of the sessions that are read at this server while other servers have their workspaces.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use entracte_adapters_http::server_state::SessionRelay;
use entracte_domain::id::{SessionId, WorkspaceKey};

use crate::app_services::AppServices;
use crate::model_stream::ModelStreamSubscription;
use crate::runtime_access::RuntimeAccess;

/// A session, and the person who reads it.
type RelayedSession = (WorkspaceKey, SessionId, String);

/// The relay of a server that shares its database. All streams of a person of one session have one subscription.
pub(super) fn session_relay(services: &Arc<AppServices>, runtime: &Arc<RuntimeAccess>) -> SessionRelay {
    let (services, runtime) = (services.clone(), runtime.clone());
    let open: Mutex<HashMap<RelayedSession, Weak<ModelStreamSubscription>>> = Mutex::default();
    Arc::new(
        move |workspace: &WorkspaceKey, session: &SessionId, person: &str| -> Arc<dyn Any + Send + Sync> {
            let key = (workspace.clone(), session.clone(), person.to_owned());
            let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
            open.retain(|_, subscription| subscription.strong_count() > 0);
            if let Some(subscription) = open.get(&key).and_then(Weak::upgrade) {
                return subscription;
            }
            let subscription = Arc::new(ModelStreamSubscription::subscribe_beside_servers(
                &services, &runtime, workspace, session, person,
            ));
            open.insert(key, Arc::downgrade(&subscription));
            subscription
        },
    )
}
