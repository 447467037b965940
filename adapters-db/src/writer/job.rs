//! One piece of work in the writer's queue: what to do, its outcome, and who waits for it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use entracte_application::failpoints::FailpointOperation;
use entracte_application::ports::WorkspaceCommit;
use tokio::sync::oneshot;

use crate::connection::DbConnection;
use crate::db_error::DbError;

/// What the writer can do. It is run inside a savepoint, perhaps more than once, and must do the same each
/// time; it opens no transaction of its own.
pub(crate) trait WriteJob: Send + 'static {
    /// What it returns.
    type Answer: Send + 'static;

    /// Which operation it is, for the failpoints.
    const OPERATION: FailpointOperation;

    /// Does the work.
    fn run(&self, conn: &mut DbConnection) -> Result<Self::Answer, DbError>;

    /// The commit of the application that this is, and what it answers once that is there: what a group of them writes can
    /// go to a server together.
    fn as_application_commit(&self) -> Option<(&WorkspaceCommit, Self::Answer)> {
        None
    }

    /// Whether it is committed already: asked when a COMMIT failed and its outcome is unknown. `false` means that it may
    /// be done again, so work that cannot tell must be harmless when it is done twice.
    fn is_committed(&self, conn: &mut DbConnection, answer: &Self::Answer) -> Result<bool, DbError>;
}

/// A piece of work as the writer sees it.
pub(super) trait QueuedWriteJob: Send {
    /// Does the work and keeps its outcome. A panic is an outcome too. Returns whether it stands.
    fn run(&mut self, conn: &mut DbConnection) -> WriteJobOutcome;

    /// The commit of the application that it is, if it is one.
    fn commit(&self) -> Option<&WorkspaceCommit>;

    /// Keeps the outcome of a commit that stands: it was written together with others.
    fn mark_written(&mut self);

    /// Whether the work that was done is committed already.
    fn is_committed(&self, conn: &mut DbConnection) -> Result<bool, DbError>;

    /// Which operation it is, for the failpoints.
    fn operation(&self) -> FailpointOperation;

    /// Puts a failure in the place of an outcome that stands, since the transaction around it was lost.
    fn fail(&mut self, cause: &str);

    /// Tells the caller the outcome.
    fn send_outcome(self: Box<Self>);
}

/// What becomes of the transaction after a piece of work.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WriteJobOutcome {
    /// The work stands.
    Stands,
    /// The work is undone by itself.
    Undone,
    /// The transaction is lost, and why.
    Lost(String),
}

/// A piece of work and its outcome so far.
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
        // The caller may be gone: its future was dropped.
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
