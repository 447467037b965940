//! Group commit: several write jobs, each in a savepoint, in one transaction. A single job needs no savepoint.
//!
//! - SQLite first runs a group without savepoints. If one job fails, the transaction is undone and the group runs with
//!   savepoints.
//! - A server first writes a group of working sessions' commits in one statement. If one of them fails, none is
//!   written, and the group runs with savepoints.
//! - A conflict, a violated constraint or a panic undoes only its own savepoint.
//! - A transaction that cannot begin (locked by another process) fails all jobs at once.
//! - Any other failure loses the transaction; then each job is tried alone, in order.
//! - A failed COMMIT may have taken effect: the database is opened again and checked first. If a server is still
//!   committing, its process is terminated, and the server is asked until the outcome is known.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::r2d2::ManageConnection;
use diesel::result::Error;
use entracte_application::failpoints::{self, FailpointMoment};
use entracte_domain::time::Millis;

use super::WriterCounters;
use super::job::{QueuedWriteJob, WriteJobOutcome};
use crate::commit_group::CommitGroupRows;
use crate::connection::DbConnection;
use crate::connection_manager::DbConnectionManager;
use crate::db_error::{DbError, one_line_message};
use crate::dialect::{self, ServerBackend};

/// Pause between two checks of a COMMIT's outcome.
const LOOK_AGAIN: Millis = Millis::seconds(1);

/// The writer's connection and its state.
pub(super) struct GroupCommitWriter {
    opener: DbConnectionManager,
    /// `None` after a failure, until it can be opened again.
    conn: Option<DbConnection>,
    /// The connection's server process; `None` for a file.
    backend: Option<ServerBackend>,
    /// Maximum number of checks of a COMMIT's outcome.
    looks: i64,
    counters: Arc<WriterCounters>,
}

/// How a transaction was lost.
enum TransactionLoss {
    /// It could not begin, so single jobs could not either.
    NeverBegun(String),
    /// It was undone.
    Undone(String),
    /// Its COMMIT failed; it may have taken effect.
    Unknown(String),
}

impl GroupCommitWriter {
    /// A connection whose server process is unknown is opened again when it is needed.
    pub(super) fn new(
        opener: DbConnectionManager,
        mut conn: DbConnection,
        lookup: Millis,
        counters: Arc<WriterCounters>,
    ) -> Self {
        let looks = 1 + if dialect::can_disconnect(&conn) { lookup.0.max(0) / LOOK_AGAIN.0 } else { 0 };
        match dialect::backend(&mut conn) {
            Ok(backend) => Self { opener, conn: Some(conn), backend, looks, counters },
            Err(_) => Self { opener, conn: None, backend: None, looks, counters },
        }
    }

    /// Writes the jobs; afterwards each has its outcome.
    pub(super) fn write(&mut self, jobs: &mut [Box<dyn QueuedWriteJob>]) {
        if let Err(cause) = self.try_as_one_transaction(jobs) {
            if jobs.len() > 1 {
                tracing::warn!(%cause, works = jobs.len(), "a group could not be written; writing each alone");
                jobs.chunks_mut(1).for_each(|job| self.write(job));
            } else {
                fail_all(jobs, &cause);
            }
        }
    }

    /// Writes all jobs in one transaction. Returns its failure if each job should be tried alone.
    fn try_as_one_transaction(&mut self, jobs: &mut [Box<dyn QueuedWriteJob>]) -> Result<(), String> {
        let outcome = match self.write_as_one_statement(jobs) {
            Ok(true) => Ok(()),
            Ok(false) => self.transaction(jobs),
            Err(lost) => Err(lost),
        };
        match outcome {
            Ok(()) => Ok(()),
            Err(TransactionLoss::NeverBegun(cause)) => {
                fail_all(jobs, &cause);
                Ok(())
            }
            Err(TransactionLoss::Undone(cause)) => {
                self.roll_back();
                Err(cause)
            }
            Err(TransactionLoss::Unknown(cause)) => self.resolve_unknown_commit(jobs, cause),
        }
    }

    /// Lets the database update the statistics by which it plans statements, if it wrote anything. Waits for nobody.
    pub(super) fn optimize(&mut self) {
        let has_written = self.counters.transactions.load(Ordering::Relaxed) > 0;
        if let Some(conn) = self.conn.as_mut().filter(|_| has_written)
            && let Err(error) = dialect::optimize(conn)
        {
            tracing::debug!(%error, "the statistics of the database were not updated");
        }
    }

    /// Checks on a new connection whether a failed COMMIT took effect.
    fn resolve_unknown_commit(
        &mut self,
        jobs: &mut [Box<dyn QueuedWriteJob>],
        cause: String,
    ) -> Result<(), String> {
        self.conn = None;
        let old = self.backend.take();
        let mut look = 1;
        loop {
            match self.is_transaction_committed(old.as_ref(), jobs) {
                Ok(true) => return Ok(()),
                Ok(false) => return Err(cause),
                Err(_) if look < self.looks => {
                    look += 1;
                    std::thread::sleep(Duration::from_millis(LOOK_AGAIN.0.unsigned_abs()));
                }
                // The outcome is unknown, so nothing is repeated: all callers get a failure.
                Err(fault) => {
                    fail_all(jobs, &format!("{cause}; whether it was written cannot be read: {fault}"));
                    return Ok(());
                }
            }
        }
    }

    /// Writes a group of working sessions' commits in one statement, which is a transaction. `false`: nothing was
    /// written, and running the jobs individually reports why.
    fn write_as_one_statement(
        &mut self,
        jobs: &mut [Box<dyn QueuedWriteJob>],
    ) -> Result<bool, TransactionLoss> {
        let counters = Arc::clone(&self.counters);
        let conn = self.connection().map_err(|fault| TransactionLoss::NeverBegun(fault.to_string()))?;
        if !dialect::supports_group_statement(conn) {
            return Ok(false);
        }
        let commits: Option<Vec<_>> = jobs.iter().map(|job| job.commit()).collect();
        let Some(work) = commits.and_then(CommitGroupRows::from_commits) else { return Ok(false) };
        // Running the jobs individually refuses a number that does not fit its column.
        let Ok(work) = work.to_statement() else { return Ok(false) };
        pass_failpoints(jobs, FailpointMoment::Written);
        let written = dialect::write_commit_group(conn, work);
        match written {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            // The server undid a refused statement, and the connection remains usable.
            Err(error @ Error::DatabaseError(..)) if conn.batch_execute("BEGIN; ROLLBACK").is_ok() => {
                let fault = DbError::from(error);
                return if fault.leaves_transaction_usable() {
                    Ok(false)
                } else {
                    Err(TransactionLoss::Undone(fault.to_string()))
                };
            }
            Err(error) => {
                jobs.iter_mut().for_each(|job| job.mark_written());
                return Err(TransactionLoss::Unknown(one_line_message(&error)));
            }
        }
        jobs.iter_mut().for_each(|job| job.mark_written());
        #[cfg(test)]
        super::tests::lie_about_commit().map_err(TransactionLoss::Unknown)?;
        pass_failpoints(jobs, FailpointMoment::Committed);
        counters.transactions.fetch_add(1, Ordering::Relaxed);
        counters.works.fetch_add(jobs.len() as u64, Ordering::Relaxed);
        Ok(true)
    }

    fn transaction(&mut self, jobs: &mut [Box<dyn QueuedWriteJob>]) -> Result<(), TransactionLoss> {
        let counters = Arc::clone(&self.counters);
        let conn = self.connection().map_err(|fault| TransactionLoss::NeverBegun(fault.to_string()))?;
        let begin = |conn: &mut DbConnection| {
            dialect::begin(conn).map_err(|error| TransactionLoss::NeverBegun(one_line_message(&error)))
        };
        let roll_back = |conn: &mut DbConnection| {
            dialect::roll_back(conn).map_err(|error| TransactionLoss::Undone(one_line_message(&error)))
        };
        begin(conn)?;
        // A single job is undone with its transaction.
        let is_alone = jobs.len() == 1;
        let mut standing = 0;
        if is_alone || dialect::prefers_group_retry(conn) {
            if run_until_failure(conn, jobs).map_err(TransactionLoss::Undone)? {
                standing = jobs.len() as u64;
            } else if !is_alone {
                roll_back(conn)?;
                begin(conn)?;
            }
        }
        if standing == 0 && !is_alone {
            for job in jobs.iter_mut() {
                standing += u64::from(in_savepoint(conn, job.as_mut()).map_err(TransactionLoss::Undone)?);
            }
        }
        if standing == 0 {
            return roll_back(conn);
        }
        pass_failpoints(jobs, FailpointMoment::Written);
        commit(conn).map_err(TransactionLoss::Unknown)?;
        pass_failpoints(jobs, FailpointMoment::Committed);
        counters.transactions.fetch_add(1, Ordering::Relaxed);
        counters.works.fetch_add(standing, Ordering::Relaxed);
        // The commit went into a file that was removed or replaced: it counts as failed.
        if let Err(error) = self.opener.check_file() {
            fail_all(jobs, &error.to_string());
        }
        Ok(())
    }

    /// Whether the transaction took effect: if one of its jobs did, all did. Its server process must have ended first.
    fn is_transaction_committed(
        &mut self,
        old: Option<&ServerBackend>,
        jobs: &[Box<dyn QueuedWriteJob>],
    ) -> Result<bool, DbError> {
        let conn = self.connection()?;
        if let Some(old) = old
            && !dialect::terminate_backend(conn, old)?
        {
            return Err(DbError::Failed("the server is still working on it".to_owned()));
        }
        for job in jobs {
            if job.is_committed(conn)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Rolls back. Some failures have already ended the transaction; the connection is kept if it can begin another
    /// one.
    fn roll_back(&mut self) {
        if let Some(conn) = &mut self.conn
            && conn.batch_execute("ROLLBACK").is_err()
            && conn.batch_execute("BEGIN; ROLLBACK").is_err()
        {
            self.conn = None;
        }
    }

    /// The current connection, reopened if the server closed it. Fails for a file that was removed or replaced.
    fn connection(&mut self) -> Result<&mut DbConnection, DbError> {
        self.opener.check_file()?;
        if self.conn.as_mut().is_some_and(dialect::is_closed) {
            self.conn = None;
        }
        match &mut self.conn {
            Some(conn) => Ok(conn),
            closed => {
                let mut conn = self.opener.connect()?;
                self.backend = dialect::backend(&mut conn)?;
                Ok(closed.insert(conn))
            }
        }
    }
}

/// Runs the jobs up to the first failure, whose writes stay in the transaction. Returns whether all succeeded, or why
/// the transaction is lost.
fn run_until_failure(conn: &mut DbConnection, jobs: &mut [Box<dyn QueuedWriteJob>]) -> Result<bool, String> {
    for job in jobs {
        match job.run(conn) {
            WriteJobOutcome::Stands => {}
            WriteJobOutcome::Undone => return Ok(false),
            WriteJobOutcome::Lost(cause) => return Err(cause),
        }
    }
    Ok(true)
}

/// Runs one job in a savepoint. Returns whether it succeeded, or why the transaction is lost.
fn in_savepoint(conn: &mut DbConnection, job: &mut dyn QueuedWriteJob) -> Result<bool, String> {
    dialect::begin_savepoint(conn).map_err(|error| one_line_message(&error))?;
    match job.run(conn) {
        WriteJobOutcome::Stands => {
            dialect::release_savepoint(conn).map_err(|error| one_line_message(&error))?;
            Ok(true)
        }
        WriteJobOutcome::Undone => {
            dialect::roll_back_savepoint(conn).map_err(|error| one_line_message(&error))?;
            Ok(false)
        }
        WriteJobOutcome::Lost(cause) => Err(cause),
    }
}

/// Failpoints at which tests kill the process, for each job that succeeded or was undone alone.
fn pass_failpoints(jobs: &[Box<dyn QueuedWriteJob>], moment: FailpointMoment) {
    if failpoints::ARE_BUILT_IN {
        jobs.iter().for_each(|job| failpoints::hit_failpoint(job.operation(), moment));
    }
}

fn fail_all(jobs: &mut [Box<dyn QueuedWriteJob>], cause: &str) {
    jobs.iter_mut().for_each(|job| job.fail(cause));
}

fn commit(conn: &mut DbConnection) -> Result<(), String> {
    dialect::commit(conn).map_err(|error| one_line_message(&error))?;
    #[cfg(test)]
    super::tests::lie_about_commit()?;
    Ok(())
}
