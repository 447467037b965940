//! The invariant of the order of the calls of a reply.

use entracte_domain::call::{Call, CallStatus};

use super::BrokenInvariant;

/// A query starts only after the actions of its server or resource that stand before it were done. `changed` are the calls
/// that the step recorded, `calls` those of the reply after it.
pub(super) fn query_follows_its_changes(changed: &[Call], calls: &[Call]) -> Result<(), BrokenInvariant> {
    for (at, query) in calls.iter().enumerate() {
        let starts = query.is_started() && changed.iter().any(|call| call.id == query.id);
        let was_done = |action: &Call| !query.reads_state_of(action) || may_have_happened(action);
        if starts && !calls[..at].iter().all(was_done) {
            return Err(BrokenInvariant::new("query_follows_its_changes", format!("{query:?}")));
        }
    }
    Ok(())
}

fn may_have_happened(action: &Call) -> bool {
    action.result().is_some_and(|result| {
        !result.is_error() || [CallStatus::Repeated, CallStatus::Unknown].contains(&result.status)
    })
}
