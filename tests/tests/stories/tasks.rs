//! Long tasks: the state of their rows and sessions, whatever messages arrive and whenever the process is killed.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

mod arrivals;
mod doc_tables;
mod fixture;
mod sessions;
mod task_rows;

/// Checks every cell of both tables of docs/TASKS.md against the behaviour.
#[test]
fn task_arrival_table() {
    task_rows::every_cell_is_as_the_page_says();
    sessions::every_cell_is_as_the_page_says();
}
