//! How a server comes to own the database: at once, or after whoever has it gave way.

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

/// How often a server that waits for the database looks whether it is free.
const OWNER_LOOK: Millis = Millis(250);

/// Whether this process owns the database now, be it after whoever had it gave way; not, when it was told to end before. Of
/// another server it asks nothing.
pub(super) async fn acquire_ownership(
    desk: &CommandContext,
    wiring: &Arc<AppServices>,
    way: &Arc<RuntimeAccess>,
    ends: &mut ShutdownSignals,
    texts: &LocalizedTexts,
) -> Result<bool, CliError> {
    let ownership = wiring.ownership();
    let mut asked = None;
    while !way.take_ownership_now().await? {
        let holder = ownership.holder().await?;
        if let Some(refusal) = refusal(wiring, holder.as_ref(), texts).await? {
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
            desk.out.write_notice(&waits);
        }
        tokio::select! {
            () = ends.wait() => return Ok(false),
            () = wiring.clock.sleep(OWNER_LOOK) => {}
        }
    }
    Ok(true)
}

/// The refusal beside another server of this database; none where no server has it now.
pub(super) async fn competing_server_error(
    wiring: &AppServices,
    texts: &LocalizedTexts,
) -> Result<Option<CliError>, CliError> {
    let holder = wiring.ownership().holder().await?;
    refusal(wiring, holder.as_ref(), texts).await
}

/// The refusal where a server has the database: it gives way to nobody. The row of a server outlives it, so it counts only while
/// its process has the lock.
async fn refusal(
    wiring: &AppServices,
    holder: Option<&OwnershipRecord>,
    texts: &LocalizedTexts,
) -> Result<Option<CliError>, CliError> {
    let Some(holder) = holder.filter(|holder| holder.kind.kind == SERVE) else { return Ok(None) };
    let has_lock = match wiring.database.lock_holder().await? {
        Some(LockHolder { pid: Some(pid), .. }) => holder.pid == Some(pid),
        // The number in a file is missing for a moment only. A server may hide it for good.
        Some(LockHolder { pid: None, .. }) => wiring.database.location().file().is_none(),
        None => false,
    };
    let text = || say!(texts, "serve-owned-elsewhere", holder = owner(holder).localize(texts));
    Ok(has_lock.then(|| CliError::with_next(CliExitCode::Conflict, text(), "entracte doctor")))
}
