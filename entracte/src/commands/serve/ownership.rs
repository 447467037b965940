//! Acquires the database for a server: immediately, or after its owner has yielded.

use std::sync::Arc;

use entracte_adapters_db::LockHolder;
use entracte_application::ports::OwnershipRecord;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::time::Millis;

use super::shutdown_signals::ShutdownSignals;
use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::owner::owner;
use crate::runtime_access::{RuntimeAccess, SERVE};

/// How often a waiting server checks whether the database is free.
const OWNER_LOOK: Millis = Millis(250);

/// Whether this process owns the database now, possibly after its owner yielded; false if the process was asked to
/// end before. It never asks another server to yield.
pub(super) async fn acquire_ownership(
    context: &CommandContext,
    services: &Arc<AppServices>,
    runtime: &Arc<RuntimeAccess>,
    ends: &mut ShutdownSignals,
    texts: &LocalizedTexts,
) -> Result<bool, CliError> {
    let ownership = services.ownership();
    let mut asked = None;
    while !runtime.take_ownership_now().await? {
        let holder = ownership.holder().await?;
        if let Some(refusal) = refusal(services, holder.as_ref(), texts).await? {
            return Err(refusal);
        }
        let words = holder.as_ref().map(|holder| owner(holder).localize(texts)).unwrap_or_default();
        let epoch = holder.map(|holder| holder.epoch);
        if asked != Some(epoch) {
            asked = Some(epoch);
            let by = format!("{SERVE}, process {}", std::process::id());
            ownership.request_release(&by).await?;
            let waits = say!(texts, "serve-waits", holder = words);
            super::supervisor::notify_waiting(&waits);
            context.out.write_notice(&waits);
        }
        tokio::select! {
            () = ends.wait() => return Ok(false),
            () = services.clock.sleep(OWNER_LOOK) => {}
        }
    }
    Ok(true)
}

/// The error if another server owns this database; `None` if none does.
pub(super) async fn competing_server_error(
    services: &AppServices,
    texts: &LocalizedTexts,
) -> Result<Option<CliError>, CliError> {
    let holder = services.ownership().holder().await?;
    refusal(services, holder.as_ref(), texts).await
}

/// The refusal if a server owns the database, or several share it and this one does not, because servers never yield.
/// The row of a server outlives it, so it counts only while its process holds the lock.
async fn refusal(
    services: &AppServices,
    holder: Option<&OwnershipRecord>,
    texts: &LocalizedTexts,
) -> Result<Option<CliError>, CliError> {
    let refused = |holder: &OwnershipRecord| {
        let text = say!(texts, "serve-owned-elsewhere", holder = owner(holder).localize(texts));
        CliError::with_next(CliExitCode::Conflict, text, "entracte doctor")
    };
    // Servers that share the database hold no lock.
    if services.workspace_rights()?.is_none()
        && let Some(process) = services.store_ownership.worker_process().await?
    {
        return Ok(Some(refused(&OwnershipRecord::from(process))));
    }
    let Some(holder) = holder.filter(|holder| holder.kind.kind == SERVE) else { return Ok(None) };
    let has_lock = match services.store_ownership.lock_holder().await? {
        Some(LockHolder { pid: Some(pid), .. }) => holder.pid == Some(pid),
        // The process id in a file is missing only for a moment. A database server may hide it permanently.
        Some(LockHolder { pid: None, .. }) => services.database.location().file().is_none(),
        None => false,
    };
    Ok(has_lock.then(|| refused(holder)))
}
