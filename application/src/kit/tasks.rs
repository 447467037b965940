//! Long tasks, for tests that have none.

use crate::ports::{Agenda, MockTaskReader};

/// A workspace without tasks.
pub(crate) fn no_tasks() -> MockTaskReader {
    let mut tasks = MockTaskReader::new();
    tasks.expect_due_tasks().returning(|_, _| Ok(Vec::new()));
    tasks.expect_next_task().returning(|_| Ok(None));
    tasks.expect_tasks_agenda().returning(|_| Ok(Agenda::default()));
    tasks
}
