//! Copies, deletions, read marks and changes of sessions, restricted catalogs, long results and the searched history, end to end: on the store in memory and on SQLite, in both
//! dialects.
#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

#[path = "copies/changes.rs"]
mod changes;
#[path = "copies/deletion.rs"]
mod deletion;
#[path = "copies/files.rs"]
mod files;
#[path = "copies/fork.rs"]
mod fork;
#[path = "copies/history.rs"]
mod history;
#[path = "copies/long_results.rs"]
mod long_results;
#[path = "copies/marks.rs"]
mod marks;
#[path = "copies/restrictions.rs"]
mod restrictions;
#[path = "copies/rights.rs"]
mod rights;
#[path = "copies/speaker.rs"]
mod speaker;
#[path = "copies/stage.rs"]
mod stage;
#[path = "copies/verbs.rs"]
mod verbs;
#[path = "copies/wall.rs"]
mod wall;
