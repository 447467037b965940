//! Detects a transaction that does not end: a server that waits for a lost standby, a disk that hangs.
//!
//! A thread checks several times within the limit whether the same transaction is still running, so that the writer
//! itself pays only for two additions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use entracte_domain::time::Millis;

use crate::location::DatabaseLocation;

/// Checks per limit; a stall is detected at most one check after the limit.
const LOOKS: u32 = 5;

/// Counts the begins and ends of transactions: odd while one is running.
#[derive(Clone, Default)]
pub(super) struct TransactionCounter(Arc<AtomicU64>);

impl TransactionCounter {
    /// Counts the begin of a transaction.
    pub(super) fn begin(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts the end of a transaction, committed or not.
    pub(super) fn end(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Number of the running transaction, if any.
    fn current_transaction(&self) -> Option<u64> {
        Some(self.0.load(Ordering::Relaxed)).filter(|count| count % 2 == 1)
    }
}

/// Watches the writer until it is dropped.
pub(super) struct StallWatchdog {
    progress: TransactionCounter,
    is_stalled: Arc<AtomicBool>,
    /// Ends the thread when it is dropped.
    _end: Sender<()>,
}

impl StallWatchdog {
    /// Starts a thread that warns when a transaction has run for `limit`; 0 means never.
    pub(super) fn start(location: DatabaseLocation, limit: Millis) -> std::io::Result<Self> {
        let (progress, is_stalled) = (TransactionCounter::default(), Arc::new(AtomicBool::new(false)));
        let (end, ended) = channel();
        if limit.0 > 0 {
            let watch = StallWatchdogThread {
                location,
                limit,
                progress: progress.clone(),
                is_stalled: is_stalled.clone(),
            };
            std::thread::Builder::new().name("entracte-stall".to_owned()).spawn(move || watch.run(&ended))?;
        }
        Ok(Self { progress, is_stalled, _end: end })
    }

    /// The counter that the writer updates.
    pub(super) fn progress(&self) -> TransactionCounter {
        self.progress.clone()
    }

    /// Whether a transaction has run longer than the limit.
    pub(super) fn is_stalled(&self) -> bool {
        self.is_stalled.load(Ordering::Relaxed)
    }
}

struct StallWatchdogThread {
    location: DatabaseLocation,
    limit: Millis,
    progress: TransactionCounter,
    is_stalled: Arc<AtomicBool>,
}

impl StallWatchdogThread {
    fn run(&self, ended: &Receiver<()>) {
        let limit = Duration::from_millis(self.limit.0.unsigned_abs());
        let every = (limit / LOOKS).max(Duration::from_millis(1));
        let (mut seen, mut looks) = (None, 0_u32);
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(every) {
            let under_way = self.progress.current_transaction();
            looks = if under_way.is_some() && under_way == seen { looks.saturating_add(1) } else { 0 };
            seen = under_way;
            let is_stalled = looks >= LOOKS;
            if self.is_stalled.swap(is_stalled, Ordering::Relaxed) == is_stalled {
                continue;
            }
            let (database, seconds) = (&self.location, self.limit.0 / 1000);
            if is_stalled {
                tracing::warn!(
                    %database,
                    seconds,
                    "a COMMIT has not come back for longer than database.commit_warning; nothing is written \
                     until it does: look at the disk, and at the standbys that the server waits for"
                );
            } else {
                tracing::warn!(%database, "the COMMIT that hung has come to its end; the database is written again");
            }
        }
    }
}
