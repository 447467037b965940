//! Write jobs in the writer's queue: the work, its outcome, and the waiting caller.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use entracte_application::failpoints::FailpointOperation;
use entracte_application::ports::WorkspaceCommit;
use tokio::sync::oneshot;

use crate::connection::DbConnection;
use crate::db_error::DbError;

/// A unit of work for the writer. It runs inside a savepoint, possibly more than once, and must do the same each time;
/// it opens no transaction of its own.
pub(crate) trait WriteJob: Send + 'static {
    /// The result of the job.
    type Answer: Send + 'static;

    /// The operation, for failpoints.
    const OPERATION: FailpointOperation;

    /// Runs the job.
    fn run(&self, conn: &mut DbConnection) -> Result<Self::Answer, DbError>;

    /// The application commit of this job with its result, if it is one: a group of commits can be sent to a server
    /// together.
    fn as_application_commit(&self) -> Option<(&WorkspaceCommit, Self::Answer)> {
        None
    }

    /// Whether the job was committed, checked after a COMMIT with unknown outcome. `false` allows a repetition, so a
    /// job that cannot tell must be idempotent.
    fn is_committed(&self, conn: &mut DbConnection, answer: &Self::Answer) -> Result<bool, DbError>;
}

/// A queued job, with its types erased for the writer.
pub(super) trait QueuedWriteJob: Send {
    /// Runs the job and stores its outcome; a panic is an outcome, too. Returns whether the job succeeded.
    fn run(&mut self, conn: &mut DbConnection) -> WriteJobOutcome;

    /// The application commit of this job, if it is one.
    fn commit(&self) -> Option<&WorkspaceCommit>;

    /// Stores the success of a commit that was written together with others.
    fn mark_written(&mut self);

    /// Whether the job that ran was committed.
    fn is_committed(&self, conn: &mut DbConnection) -> Result<bool, DbError>;

    /// The operation, for failpoints.
    fn operation(&self) -> FailpointOperation;

    /// Replaces a successful outcome by a failure, because the surrounding transaction was lost.
    fn fail(&mut self, cause: &str);

    /// Sends the outcome to the caller.
    fn send_outcome(self: Box<Self>);
}

/// The effect of a job on its transaction.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WriteJobOutcome {
    /// The job succeeded.
    Stands,
    /// The job was undone by itself.
    Undone,
    /// The transaction is lost, with the reason.
    Lost(String),
}

/// A job and its outcome so far.
pub(super) struct PendingWriteJob<W: WriteJob> {
    work: W,
    outcome: Option<Result<W::Answer, DbError>>,
    reply: oneshot::Sender<Result<W::Answer, DbError>>,
}

impl<W: WriteJob> PendingWriteJob<W> {
    pub(super) fn new(work: W, reply: oneshot::Sender<Result<W::Answer, DbError>>) -> Self {
        Self { work, outcome: None, reply }
    }
}

impl<W: WriteJob> QueuedWriteJob for PendingWriteJob<W> {
    fn run(&mut self, conn: &mut DbConnection) -> WriteJobOutcome {
        let outcome = catch_unwind(AssertUnwindSafe(|| self.work.run(conn)))
            .unwrap_or_else(|payload| Err(DbError::Refused(panic_text(payload.as_ref()))));
        let verdict = match &outcome {
            Ok(_) => WriteJobOutcome::Stands,
            Err(fault) if fault.leaves_transaction_usable() => WriteJobOutcome::Undone,
            Err(fault) => WriteJobOutcome::Lost(fault.to_string()),
        };
        self.outcome = Some(outcome);
        verdict
    }

    fn commit(&self) -> Option<&WorkspaceCommit> {
        self.work.as_application_commit().map(|(commit, _)| commit)
    }

    fn mark_written(&mut self) {
        self.outcome = self.work.as_application_commit().map(|(_, answer)| Ok(answer));
    }

    fn is_committed(&self, conn: &mut DbConnection) -> Result<bool, DbError> {
        match &self.outcome {
            Some(Ok(answer)) => self.work.is_committed(conn, answer),
            _ => Ok(false),
        }
    }

    fn operation(&self) -> FailpointOperation {
        W::OPERATION
    }

    fn fail(&mut self, cause: &str) {
        if !matches!(self.outcome, Some(Err(_))) {
            self.outcome = Some(Err(DbError::Failed(cause.to_owned())));
        }
    }

    fn send_outcome(self: Box<Self>) {
        let outcome =
            self.outcome.unwrap_or_else(|| Err(DbError::Failed("the work was not done".to_owned())));
        // The caller may have dropped its future.
        drop(self.reply.send(outcome));
    }
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    format!("a panic while writing: {text}")
}
