//! The database: whether it opens, is sound, and who owns it.

use entracte_adapters_db::{Database, OwnershipError};
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
    match database.try_own() {
        Ok(_) => Check::ok("owner", message!("doctor-owner-none")),
        Err(owned @ OwnershipError::Owned { .. }) => {
            match database.ownership_as(OwnerKind::default()).holder().await {
                Ok(Some(holder)) => Check::ok("owner", message!("doctor-owner", owner = words(&holder))),
                Ok(None) | Err(_) => Check::ok("owner", owned.saying()),
            }
        }
        Err(error) => Check::fail("owner", error.saying(), message!("doctor-owner-fix")),
    }
}
