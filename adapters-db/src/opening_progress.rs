//! Progress reports for opening a database that takes a while.

use std::time::Duration;

/// A step that delays the opening of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpeningStep<'a> {
    /// Another process is opening or migrating it; this one waits.
    Waits,
    /// A migration of an older database begins. If interrupted, it leaves the database unchanged.
    Migrates {
        /// Name of the migration.
        migration: &'a str,
        /// Position among the missing migrations, from 1.
        number: usize,
        /// Number of missing migrations.
        count: usize,
    },
    /// What waits for a person in sessions that were stored before it was listed is listed. If interrupted, the next
    /// opening continues.
    ListsInbox {
        /// Sessions that are done.
        done: u64,
        /// All sessions to read.
        total: u64,
    },
    /// The costs of sessions that were stored before costs were kept are added up. If interrupted, the next opening
    /// continues.
    AddsUpCosts {
        /// Sessions that are done.
        done: u64,
        /// All sessions to add up.
        total: u64,
    },
}

/// Retries `take` for as long as `patience`; returns whether it succeeded.
pub(crate) fn retry_for<E>(patience: Duration, mut take: impl FnMut() -> Result<bool, E>) -> Result<bool, E> {
    let mut left = patience;
    loop {
        if take()? {
            return Ok(true);
        }
        if left.is_zero() {
            return Ok(false);
        }
        std::thread::sleep(LOOK);
        left = left.saturating_sub(LOOK);
    }
}

/// Interval between two tries.
const LOOK: Duration = Duration::from_millis(10);

/// Receives the steps that delay the opening.
pub(crate) type OpeningCallback<'a> = &'a dyn Fn(OpeningStep<'_>);
