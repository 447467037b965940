//! How a server comes to own the database: at once, or after whoever has it gave way.

use std::sync::Arc;

use entracte_application::texts::{Texts, say};
use entracte_domain::time::Millis;

use super::ends::Ends;
use crate::desk::Desk;
use crate::error::{CliError, Exit};
use crate::render::owner::owner;
use crate::way::{SERVE, Way};
use crate::wiring::Wiring;

/// How often a server that waits for the database looks whether it is free.
const OWNER_LOOK: Millis = Millis(250);

/// Whether this process owns the database now, be it after whoever had it gave way; not, when it was told to end before. Of
/// another server it asks nothing.
pub(super) async fn taken_over(
    desk: &Desk,
    wiring: &Arc<Wiring>,
    way: &Arc<Way>,
    ends: &mut Ends,
    texts: &Texts,
) -> Result<bool, CliError> {
    let ownership = wiring.ownership();
    let mut asked = None;
    while !way.step_in_now().await? {
        let holder = ownership.holder().await?;
        let words = holder.as_ref().map(|holder| owner(holder).say(texts)).unwrap_or_default();
        if holder.as_ref().is_some_and(|holder| holder.kind.kind == SERVE) {
            let text = say!(texts, "serve-owned-elsewhere", holder = words);
            return Err(CliError::with_next(Exit::Conflict, text, "entracte doctor"));
        }
        let epoch = holder.map(|holder| holder.epoch);
        if asked != Some(epoch) {
            asked = Some(epoch);
            let by = format!("{SERVE}, process {}", std::process::id());
            ownership.want(&by).await?;
            let waits = say!(texts, "serve-waits", holder = words);
            super::supervisor::waits(&waits);
            desk.out.say(&waits);
        }
        tokio::select! {
            () = ends.told() => return Ok(false),
            () = wiring.clock.sleep(OWNER_LOOK) => {}
        }
    }
    Ok(true)
}
