//! Long tasks: what becomes of their rows and of their sessions, whatever is heard of them and whenever the process dies.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

mod arrivals;
mod doc_tables;
mod fixture;
mod sessions;
mod task_rows;

/// Every cell of both tables of docs/TASKS.md: the page says what becomes of each, and so it is.
#[test]
fn task_arrival_table() {
    task_rows::every_cell_is_as_the_page_says();
    sessions::every_cell_is_as_the_page_says();
}
