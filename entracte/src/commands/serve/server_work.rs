//! What a server does beside its answers: it sends notifications, and ends in order.

use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::backups::BackupScheduler;
use super::shutdown::ShutdownTimeouts;
use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::notifier::build_notifier;
use crate::runtime_access::RuntimeAccess;

/// The running work of a server.
pub(super) struct ServerWork<'a> {
    context: &'a CommandContext,
    services: &'a AppServices,
    runtime: &'a RuntimeAccess,
    /// Dropped to stop the notifier.
    stop: oneshot::Sender<()>,
    notifier: JoinHandle<()>,
}

impl<'a> ServerWork<'a> {
    /// Sends notifications from now on, while this process owns the database or is the first of several servers.
    pub(super) fn start(
        context: &'a CommandContext,
        services: &'a Arc<AppServices>,
        runtime: &'a Arc<RuntimeAccess>,
    ) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let owner = runtime.clone();
        let notifier = build_notifier(context, services).sending_while(move || owner.is_leading());
        let notifier = tokio::spawn(async move {
            let end = async move {
                let _dropped = stopped.await;
            };
            notifier.run(end).await;
        });
        Self { context, services, runtime, stop, notifier }
    }

    /// Ends within the time that the configuration grants; `again` ends all waiting. Returns whether all work came to
    /// its end.
    pub(super) async fn finish(self, again: impl Future<Output = ()>) -> bool {
        let Self { context, services, runtime, stop, notifier } = self;
        // Sent notifications are recorded while this process still owns the database, so that none is sent twice.
        drop(stop);
        let settings = &context.settings;
        let rest = ShutdownTimeouts {
            clock: &*services.clock,
            grace: settings.server.limits.grace,
            notifier: settings.notify.timeout,
        };
        rest.run(notifier, again, |left| runtime.shut_down(left)).await
    }
}

/// The backups of a server.
pub(super) fn backup_scheduler(context: &CommandContext, services: &AppServices) -> BackupScheduler {
    BackupScheduler {
        database: services.database.clone(),
        settings: context.settings.backup.clone(),
        look: services.ownership_check(),
    }
}
