//! Why opening a database takes a while, for whoever waits for it.

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

/// Is told why opening takes a while.
pub(crate) type Tell<'a> = &'a dyn Fn(OpeningStep<'_>);
