//! The writer: a single thread with a queue. Jobs that wait at the same time share one transaction (`group_commit`),
//! because its final sync costs more than all the work in it.
//!
//! It answers only after a job is on the disk or undone, and never reads for callers.

mod group_commit;
mod job;
#[cfg(all(feature = "test-helpers", debug_assertions))]
mod paused_clock;
mod stall_watchdog;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

use tokio::sync::{mpsc, oneshot};

use crate::connection::DbConnection;
use crate::connection_manager::DbConnectionManager;
use crate::db_error::DbError;
use crate::options::DatabaseOptions;
use group_commit::GroupCommitWriter;
pub(crate) use job::WriteJob;
use job::{PendingWriteJob, QueuedWriteJob};
use stall_watchdog::{StallWatchdog, TransactionCounter};

/// The writer's queue. Dropping it waits until the thread has finished the queued jobs.
pub(crate) struct DbWriter {
    queue: Option<mpsc::Sender<Box<dyn QueuedWriteJob>>>,
    thread: Option<JoinHandle<()>>,
    counters: Arc<WriterCounters>,
    stall: StallWatchdog,
}

/// Counters of the writer since its start.
#[derive(Debug, Default)]
pub(crate) struct WriterCounters {
    transactions: AtomicU64,
    works: AtomicU64,
}

impl DbWriter {
    /// Starts the thread on an open connection. `opener` opens a new one after a failure.
    pub(crate) fn start(
        opener: DbConnectionManager,
        conn: DbConnection,
        options: &DatabaseOptions,
    ) -> std::io::Result<Self> {
        let most = options.group.max(1);
        let (queue, jobs) = mpsc::channel(options.queue.max(1));
        let counters = Arc::new(WriterCounters::default());
        let stall = StallWatchdog::start(opener.location.clone(), options.commit_warning)?;
        let group = GroupCommitWriter::new(opener, conn, options.commit_lookup, Arc::clone(&counters));
        let progress = stall.progress();
        let thread = std::thread::Builder::new()
            .name("entracte-writer".to_owned())
            .spawn(move || serve(group, jobs, most, &progress))?;
        Ok(Self { queue: Some(queue), thread: Some(thread), counters, stall })
    }

    /// Submits a job and waits for its outcome, also while the queue is full. A queued job runs completely or not at
    /// all, even if the caller no longer waits.
    pub(crate) async fn submit<W: WriteJob>(&self, work: W) -> Result<W::Answer, DbError> {
        #[cfg(all(feature = "test-helpers", debug_assertions))]
        let _held = paused_clock::PausedClockGuard::begin();
        let (reply, answer) = oneshot::channel();
        let gone = || DbError::Failed("the writer has stopped".to_owned());
        let queue = self.queue.as_ref().ok_or_else(gone)?;
        queue.send(Box::new(PendingWriteJob::new(work, reply))).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    /// Whether a transaction has run longer than `DatabaseOptions::commit_warning`.
    pub(crate) fn is_stalled(&self) -> bool {
        self.stall.is_stalled()
    }

    /// Numbers of committed transactions, and of jobs in them.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.counters.transactions.load(Ordering::Relaxed), self.counters.works.load(Ordering::Relaxed))
    }
}

impl Drop for DbWriter {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the writer of the database panicked");
        }
    }
}

/// Takes waiting jobs, at most `most`, and writes them as one group, until the queue is dropped.
fn serve(
    mut group: GroupCommitWriter,
    mut jobs: mpsc::Receiver<Box<dyn QueuedWriteJob>>,
    most: usize,
    progress: &TransactionCounter,
) {
    while let Some(first) = jobs.blocking_recv() {
        let mut waiting = vec![first];
        while waiting.len() < most
            && let Ok(next) = jobs.try_recv()
        {
            waiting.push(next);
        }
        progress.begin();
        group.write(&mut waiting);
        progress.end();
        waiting.into_iter().for_each(|job| job.send_outcome());
    }
    group.optimize();
}
