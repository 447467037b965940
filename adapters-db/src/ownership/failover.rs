//! A replica takes the place of its server.

use crate::connection_manager::DbConnectionManager;
use crate::dialect::ServerTimeline;

/// Logs that a replica was promoted: the owner on the old server may not know it yet.
pub(crate) fn log_failover(opener: &DbConnectionManager, old: &ServerTimeline, new: &ServerTimeline) {
    tracing::warn!(
        database = %opener.location, old = old.to_stored_text(), new = new.to_stored_text(), wait = %opener.lease.0,
        "the server was replaced by its replica (its timeline changed); nothing is sent for one lease"
    );
}
