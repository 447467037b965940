//! Receives the live text of the sessions that are read at this server while other servers have their workspaces.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use entracte_adapters_http::server_state::SessionRelay;
use entracte_domain::id::{SessionId, WorkspaceKey};

use crate::app_services::AppServices;
use crate::model_stream::ModelStreamSubscription;
use crate::runtime_access::RuntimeAccess;

/// The name in which servers read one another's streams: this server has checked what its own readers may read.
const READER: &str = "servers";

/// The relay of a server that shares its database. All streams of a session have one subscription.
pub(super) fn session_relay(services: &Arc<AppServices>, runtime: &Arc<RuntimeAccess>) -> SessionRelay {
    let (services, runtime) = (services.clone(), runtime.clone());
    let open: Mutex<HashMap<(WorkspaceKey, SessionId), Weak<ModelStreamSubscription>>> = Mutex::default();
    Arc::new(move |workspace: &WorkspaceKey, session: &SessionId| -> Arc<dyn Any + Send + Sync> {
        let key = (workspace.clone(), session.clone());
        let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|_, subscription| subscription.strong_count() > 0);
        if let Some(subscription) = open.get(&key).and_then(Weak::upgrade) {
            return subscription;
        }
        let subscription = Arc::new(ModelStreamSubscription::subscribe_beside_servers(
            &services, &runtime, workspace, session, READER,
        ));
        open.insert(key, Arc::downgrade(&subscription));
        subscription
    })
}
