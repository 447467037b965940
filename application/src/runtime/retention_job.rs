//! Removes what goes by the retention policy, a commit at a time, while this process owns the database or is the first of
//! several.

use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;

use super::dual_clock::DualClockInstant;
use super::services::RuntimeServices;
use crate::ports::MailSender;
use crate::retention_planner::{
    RetentionPlanner, RetentionPlannerPorts, RetentionRemovalPorts, RetentionRun, remove_expired,
};

/// The longest wait before the first look: a process that is often restarted looks, too.
const FIRST_LOOK: Millis = Millis::minutes(1);

/// A wall clock that went on by so much more than the process was set forward, or the machine slept. By a wrong clock
/// everything is old, and what it deletes does not come back when the clock is set right.
const CLOCK_JUMP: Millis = Millis::hours(12);

/// Looks for what goes, workspace after workspace, until cancelled, while this process is the one that `may_look`. A look
/// that fails is repeated at the next time.
pub(super) async fn run_retention_loop(
    services: Arc<RuntimeServices>,
    sender: impl MailSender,
    may_look: impl Fn() -> bool,
) {
    let every = services.settings.retention.every;
    if every.0 <= 0 {
        return std::future::pending().await;
    }
    let mut last = DualClockInstant::now(&*services.clock);
    services.clock.sleep(every.min(FIRST_LOOK)).await;
    loop {
        let jump = last.jump(&*services.clock);
        last = DualClockInstant::now(&*services.clock);
        if jump > CLOCK_JUMP {
            let hours = jump.0 / Millis::hours(1).0;
            tracing::warn!(hours, "the clock jumped, so retention waits for its next look");
        } else if may_look() {
            look(&services, &sender).await;
        }
        services.clock.sleep(every).await;
    }
}

async fn look(services: &RuntimeServices, sender: &dyn MailSender) {
    match services.store.workspaces().await {
        Ok(rows) => {
            for row in rows {
                match RetentionPlanner::has_limits(&services.settings.retention, &row) {
                    Ok(false) => {}
                    Ok(true) => remove_from(services, sender, &row.key).await,
                    Err(error) => {
                        tracing::warn!(workspace = %row.key, %error, "retention cannot read the workspace");
                    }
                }
            }
        }
        Err(error) => tracing::warn!(%error, "retention cannot read the workspaces"),
    }
}

async fn remove_from(services: &RuntimeServices, sender: &dyn MailSender, workspace: &WorkspaceKey) {
    let read = RetentionPlannerPorts { store: &*services.store, log: &*services.log };
    let knowledge = services.knowledge.as_deref();
    let ports = RetentionRemovalPorts { read, knowledge, mail_sender: sender, clock: &*services.clock };
    match remove_expired(ports, workspace, &services.settings.retention, u32::MAX, &mut |_| {}).await {
        Ok(RetentionRun { removed, .. }) if removed.is_empty() => {}
        Ok(RetentionRun { removed, .. }) => {
            let (rows, bytes) = (removed.rows(), removed.bytes());
            tracing::info!(%workspace, rows, bytes, "the retention policy removed rows");
        }
        Err(error) => tracing::warn!(%workspace, %error, "retention stopped; it continues later"),
    }
}
