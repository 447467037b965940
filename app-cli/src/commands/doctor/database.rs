//! The database: whether it opens, is sound, and who owns it.

use entracte_adapters_db::{Database, OwnershipError};

use super::Check;
use crate::config::Settings;
use crate::error::{CliError, chain};
use crate::wiring::secrets;

/// The database when it could be opened, and what was found. One that is not there is not made.
pub(super) async fn checks(settings: &Settings) -> (Option<Database>, Vec<Check>) {
    let location = match settings.database.location(&*secrets()) {
        Ok(location) => location,
        Err(error) => return (None, vec![failed(error)]),
    };
    if location.file().is_some_and(|file| !file.exists()) {
        let says = format!("{location} is not there yet; the first command that needs it makes it");
        return (None, vec![Check::ok("database", says)]);
    }
    match Database::open_at(location, settings.database_options.clone()) {
        Ok(database) => {
            let checks = vec![opened(&database), sound(database.clone()).await, owner(&database)];
            (Some(database), checks)
        }
        Err(error) => (None, vec![failed(error.into())]),
    }
}

fn failed(error: CliError) -> Check {
    Check::fail("database", error.message, error.next)
}

fn opened(database: &Database) -> Check {
    let applied = database.applied_migrations();
    let location = database.location();
    match applied {
        [] => Check::ok("database", format!("{location} has the shape of this version")),
        applied => Check::ok(
            "database",
            format!("{location} was brought to the shape of this version: {}", applied.join(", ")),
        ),
    }
}

async fn sound(database: Database) -> Check {
    let mend = "copy what can be read: entracte db backup FILE";
    match tokio::task::spawn_blocking(move || database.check()).await {
        Ok(Ok(faults)) if faults.is_empty() => Check::ok("integrity", "nothing is damaged"),
        Ok(Ok(faults)) => Check::fail("integrity", faults.join("; "), mend),
        Ok(Err(error)) => Check::fail("integrity", chain(&error), mend),
        Err(error) => Check::fail("integrity", chain(&error), mend),
    }
}

fn owner(database: &Database) -> Check {
    match database.try_own() {
        Ok(_) => Check::ok("owner", "no process owns the database now"),
        Err(error @ OwnershipError::Owned { .. }) => Check::ok("owner", error.to_string()),
        Err(error) => Check::fail("owner", chain(&error), "make the folder of the data writable"),
    }
}
