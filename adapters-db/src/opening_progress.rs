//! Why opening a database takes a while, for whoever waits for it.

use std::time::Duration;

/// Why opening a database takes a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpeningStep<'a> {
    /// Another process is opening it, or brings it to the shape of its version; it is waited for.
    Waits,
    /// It is of an older version, and this migration begins. One that is cut short leaves the database as it was.
    Migrates {
        /// The name of the migration.
        migration: &'a str,
        /// Its place among those that lack, from 1.
        number: usize,
        /// How many lack.
        count: usize,
    },
}

/// Looks again and again, for as long as `patience`, whether something can be taken; gives whether it was.
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

/// How often it is looked whether another process is done.
const LOOK: Duration = Duration::from_millis(10);

/// Is told why opening takes a while.
pub(crate) type OpeningCallback<'a> = &'a dyn Fn(OpeningStep<'_>);
