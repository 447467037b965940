//! Ports for tests of an empty workspace: no data, no tasks.

use crate::ports::{MockResourceReader, MockTaskReader, WakeSchedule};

/// A workspace without tasks.
pub(crate) fn no_tasks() -> MockTaskReader {
    let mut tasks = MockTaskReader::new();
    tasks.expect_due_tasks().returning(|_, _| Ok(Vec::new()));
    tasks.expect_next_task().returning(|_| Ok(None));
    tasks.expect_task_wake_schedule().returning(|_| Ok(WakeSchedule::default()));
    tasks
}

/// A workspace without data.
pub(crate) fn no_rows() -> MockResourceReader {
    let mut rows = MockResourceReader::new();
    rows.expect_resources().returning(|_, _| Ok(Vec::new()));
    rows
}
