//! One piece of work in the writer's queue: what to do, what came of it, and who waits for that.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use entracte_application::failpoints::Deed;
use tokio::sync::oneshot;

use crate::connection::DbConnection;
use crate::fault::Fault;

/// What the writer can do. It is run inside a savepoint, perhaps more than once, and must do the same each
/// time; it opens no transaction of its own.
pub(crate) trait Work: Send + 'static {
    /// What it gives.
    type Answer: Send + 'static;

    /// What it is, where the process may die of it.
    const DEED: Deed;

    /// Does it.
    fn run(&self, conn: &mut DbConnection) -> Result<Self::Answer, Fault>;

    /// Whether it is committed already: asked when a COMMIT failed and nobody knows. `false` means that it may
    /// be done again, so work that cannot tell must be harmless when it is done twice.
    fn landed(&self, conn: &mut DbConnection, answer: &Self::Answer) -> Result<bool, Fault>;
}

/// A piece of work as the writer sees it.
pub(super) trait Job: Send {
    /// Does the work and keeps its outcome. A panic is an outcome too. Gives whether it stands.
    fn run(&mut self, conn: &mut DbConnection) -> Verdict;

    /// Whether the work that was done is committed already.
    fn landed(&self, conn: &mut DbConnection) -> Result<bool, Fault>;

    /// What it is, where the process may die of it.
    fn deed(&self) -> Deed;

    /// Puts a failure in the place of an outcome that stands, since the transaction around it was lost.
    fn fail(&mut self, cause: &str);

    /// Tells the outcome to whoever waits.
    fn answer(self: Box<Self>);
}

/// What becomes of the transaction after a piece of work.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The work stands.
    Stands,
    /// The work is undone by itself.
    Undone,
    /// The transaction is lost, and why.
    Lost(String),
}

/// A piece of work and its outcome so far.
pub(super) struct Pending<W: Work> {
    work: W,
    outcome: Option<Result<W::Answer, Fault>>,
    reply: oneshot::Sender<Result<W::Answer, Fault>>,
}

impl<W: Work> Pending<W> {
    pub(super) fn new(work: W, reply: oneshot::Sender<Result<W::Answer, Fault>>) -> Self {
        Self { work, outcome: None, reply }
    }
}

impl<W: Work> Job for Pending<W> {
    fn run(&mut self, conn: &mut DbConnection) -> Verdict {
        let outcome = catch_unwind(AssertUnwindSafe(|| self.work.run(conn)))
            .unwrap_or_else(|payload| Err(Fault::Refused(panic_text(payload.as_ref()))));
        let verdict = match &outcome {
            Ok(_) => Verdict::Stands,
            Err(fault) if fault.is_its_own() => Verdict::Undone,
            Err(fault) => Verdict::Lost(fault.to_string()),
        };
        self.outcome = Some(outcome);
        verdict
    }

    fn landed(&self, conn: &mut DbConnection) -> Result<bool, Fault> {
        match &self.outcome {
            Some(Ok(answer)) => self.work.landed(conn, answer),
            _ => Ok(false),
        }
    }

    fn deed(&self) -> Deed {
        W::DEED
    }

    fn fail(&mut self, cause: &str) {
        if !matches!(self.outcome, Some(Err(_))) {
            self.outcome = Some(Err(Fault::Failed(cause.to_owned())));
        }
    }

    fn answer(self: Box<Self>) {
        let outcome = self.outcome.unwrap_or_else(|| Err(Fault::Failed("the work was not done".to_owned())));
        // Nobody may wait any more: the caller's future was dropped.
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
