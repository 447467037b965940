//! Copies, deletions, read marks and changes of sessions, restricted catalogs, long results and the searched history,
//! end to end: on the memory store and on SQLite, in both dialects.
#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

mod bilingual_model;
mod changes;
mod costs;
mod deletion;
mod exported_files;
mod files;
pub(crate) mod fixture;
mod fork;
mod history;
mod inbox_triage;
mod long_results;
mod read_marks;
mod restrictions;
mod retention;
mod retention_documents;
mod retention_fixture;
mod retention_open_work;
mod retention_runs;
mod rights;
mod use_case_list;
mod workspace_isolation;
