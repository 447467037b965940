//! The database: whether it opens, is sound, and who owns it.

use entracte_adapters_db::Database;
use entracte_application::ports::OwnerKind;

use super::Check;
use crate::config::Settings;
use crate::error::{CliError, chain};
use crate::message::message;
use crate::render::owner::owner as words;
use crate::secrets::places;

/// The database when it could be opened, and what was found. One that is not there is not made.
pub(super) async fn checks(settings: &Settings) -> (Option<Database>, Vec<Check>) {
    let location = match settings.database.location(&*places()) {
        Ok(location) => location,
        Err(error) => return (None, vec![failed(error)]),
    };
    if location.file().is_some_and(|file| !file.exists()) {
        let says = message!("doctor-database-none", place = location.to_string());
        return (None, vec![Check::ok("database", says)]);
    }
    match Database::open_at(location, settings.database_options.clone()) {
        Ok(database) => {
            let checks = vec![opened(&database), sound(database.clone()).await, owner(&database).await];
            (Some(database), checks)
        }
        Err(error) => (None, vec![failed(error.into())]),
    }
}

fn failed(error: CliError) -> Check {
    Check::fail("database", error.says(), error.next)
}

fn opened(database: &Database) -> Check {
    let applied = database.applied_migrations();
    let place = database.location().to_string();
    match applied {
        [] => Check::ok("database", message!("doctor-database-current", place = place)),
        applied => {
            let says = message!("doctor-database-upgraded", place = place, applied = applied.join(", "));
            Check::ok("database", says)
        }
    }
}

async fn sound(database: Database) -> Check {
    let fix = message!("doctor-integrity-fix");
    match tokio::task::spawn_blocking(move || database.check()).await {
        Ok(Ok(faults)) if faults.is_empty() => Check::ok("integrity", message!("doctor-integrity-ok")),
        Ok(Ok(faults)) => Check::fail("integrity", faults.join("; "), fix),
        Ok(Err(error)) => Check::fail("integrity", chain(&error), fix),
        Err(error) => Check::fail("integrity", chain(&error), fix),
    }
}

async fn owner(database: &Database) -> Check {
    let lock = match database.lock_holder().await {
        Ok(Some(lock)) => lock,
        Ok(None) => return Check::ok("owner", message!("doctor-owner-none")),
        Err(error) => return Check::fail("owner", chain(&error), message!("doctor-owner-fix")),
    };
    let holder = match database.ownership_as(OwnerKind::default()).holder().await {
        Ok(holder) => holder,
        Err(error) => return Check::fail("owner", chain(&error), message!("doctor-owner-fix")),
    };
    match (holder, lock.pid) {
        (Some(holder), pid) if pid.is_none() || pid == holder.pid => {
            Check::ok("owner", message!("doctor-owner", owner = words(&holder)))
        }
        // The row is that of a process that has gone, or lost the database.
        (_, Some(pid)) => Check::ok("owner", message!("doctor-owner-lock-only", pid = pid.to_string())),
        (_, None) => Check::ok("owner", message!("doctor-owner-unknown")),
    }
}
