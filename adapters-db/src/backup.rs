//! Backups: a copy in a new SQLite file, from SQLite or Postgres.

use std::path::{Path, PathBuf};
use std::time::Duration;

use entracte_application::failpoints::{FailpointOperation, run_blocking_between_failpoints};

use crate::connection::{ConnectionRole, DbConnection};
use crate::database::Database;
use crate::db_error::{classify_outage, one_line_message, outage_of};
#[cfg(feature = "sqlite")]
use crate::dialect::sqlite;
use crate::error::BackupError;
use crate::location::DatabaseLocation;
use crate::private_file;

impl Database {
    /// Copies the committed data into a new SQLite file, also while others write. A backup of a Postgres database is
    /// restored with [`Database::copy_into`], or used as it is. Blocks.
    ///
    /// # Errors
    ///
    /// [`BackupError`] if `to` exists or cannot be written, if the database cannot be read, or if the crate is built
    /// without SQLite.
    pub fn backup(&self, to: &Path) -> Result<(), BackupError> {
        run_blocking_between_failpoints(FailpointOperation::Backup, || self.write_backup(to))
    }

    fn write_backup(&self, to: &Path) -> Result<(), BackupError> {
        DatabaseLocation::from(to.to_owned())
            .check_built_in()
            .map_err(|error| BackupError::Unopened(Box::new(error.into())))?;
        // The backup is written under a temporary name and renamed when complete, so a file with its final name is
        // complete even if the process dies.
        private_file::is_free(to).map_err(|source| refuse_backup(to, source))?;
        let part = private_file::partial_path(to);
        let file = private_file::recreate(&part).map_err(|source| refuse_backup(to, source))?;
        let outcome = match self.connect(ConnectionRole::Writer) {
            #[cfg(feature = "sqlite")]
            Ok(DbConnection::Sqlite(mut conn)) => sqlite::copy_into(&mut conn, &part)
                .map_err(|error| BackupError::Failed(classify_outage(one_line_message(&error)))),
            #[cfg(feature = "postgres")]
            Ok(DbConnection::Postgres(_)) => self.backup_of_server(&part),
            Err(error) => Err(BackupError::Failed(outage_of(error))),
        };
        let outcome = outcome
            .and_then(|()| file.sync_all().map_err(|source| refuse_backup(&part, source)))
            .and_then(|()| private_file::publish(&part, to).map_err(|source| refuse_backup(to, source)));
        if outcome.is_err()
            && let Err(error) = std::fs::remove_file(&part)
        {
            tracing::warn!(%error, path = %part.display(), "an incomplete backup could not be removed");
        }
        outcome
    }

    fn backup_of_server(&self, to: &Path) -> Result<(), BackupError> {
        // The file already exists and is empty.
        private_file::acquire_opening_lock(to, Duration::ZERO, || ())
            .and_then(|mut turn| turn.mark_creating())
            .map_err(|source| refuse_backup(to, source))?;
        let target = Self::open_at(to.to_owned().into(), self.options().clone());
        let target = target.map_err(|error| BackupError::Unopened(Box::new(error)))?;
        self.copy_into(&target).map_err(|error| BackupError::Uncopied(Box::new(error)))?;
        // Closing the last connection of a SQLite file moves its log into the file itself.
        drop(target);
        private_file::remove_companions(to);
        Ok(())
    }
}

/// The error that no backup can be written at this path.
pub(crate) fn refuse_backup(to: &Path, source: std::io::Error) -> BackupError {
    let path = PathBuf::from(to);
    match source.kind() {
        std::io::ErrorKind::AlreadyExists => BackupError::Exists { path },
        _ => BackupError::Io { path, source },
    }
}
