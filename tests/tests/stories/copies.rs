//! Copies, deletions, read marks and changes of sessions, restricted catalogs, long results and the searched history, end to end: on the store in memory and on SQLite, in both
//! dialects.
#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

mod changes;
mod deletion;
mod files;
mod fork;
mod history;
mod long_results;
mod marks;
mod restrictions;
mod rights;
mod speaker;
mod stage;
mod verbs;
mod wall;
