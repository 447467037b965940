//! Opens a database of a Postgres server.

use diesel::PgConnection;

use super::shared_steps::{DatabaseOpening, PATIENCE, callback_for_status, lock_for_migration};
use crate::connection::{ConnectionRole, DbConnection};
use crate::connection_manager::DbConnectionManager;
use crate::dialect::postgres;
use crate::error::{DatabaseOwnershipError, OpenError};
use crate::location::PostgresUrl;
use crate::migrations::{self, SchemaStatus, unusable};
use crate::opening_progress::{OpeningCallback, OpeningStep};

/// Opens the database of this URL and migrates it to the current schema.
pub(super) fn open_on_server(
    opener: &DbConnectionManager,
    url: &PostgresUrl,
    tell: OpeningCallback<'_>,
) -> Result<DatabaseOpening, OpenError> {
    let location = &opener.location;
    let mut writer = postgres::connect(url, ConnectionRole::Writer, opener.timeouts)
        .map_err(|error| unusable(location, error))?;
    postgres::acquire_opening_lock(&mut writer, PATIENCE, || tell(OpeningStep::Waits))
        .map_err(|error| unusable(location, error))?;
    let applied = apply_schema(opener, &mut writer, tell);
    postgres::release_opening_lock(&mut writer).map_err(|error| unusable(location, error))?;
    let (writer, applied) = (DbConnection::Postgres(writer), applied?);
    Ok(DatabaseOpening { writer, reader: None, applied, file: None, anchor: None })
}

fn apply_schema(
    opener: &DbConnectionManager,
    conn: &mut PgConnection,
    tell: OpeningCallback<'_>,
) -> Result<Vec<String>, OpenError> {
    let found = migrations::postgres::inspect(&opener.location, conn)?;
    let _alone = lock_for_migration(opener, found)?;
    if found == SchemaStatus::Old {
        refuse_worker_processes(opener, conn)?;
    }
    match found {
        SchemaStatus::Current => Ok(Vec::new()),
        SchemaStatus::Empty | SchemaStatus::Old => {
            migrations::postgres::apply(&opener.location, conn, callback_for_status(found, tell))
        }
    }
}

/// Refuses a migration while worker processes of an older version use the database; they hold no lock.
fn refuse_worker_processes(opener: &DbConnectionManager, conn: &mut PgConnection) -> Result<(), OpenError> {
    let location = &opener.location;
    match postgres::worker_process(conn).map_err(|error| unusable(location, error))? {
        Some((pid, host)) => {
            Err(OpenError::InUse(DatabaseOwnershipError::Owned { location: location.clone(), pid, host }))
        }
        None => Ok(()),
    }
}
