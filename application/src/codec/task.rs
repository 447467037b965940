//! Encoding of long tasks.

use entracte_domain::id::WorkspaceKey;
use entracte_domain::task::Task;

use super::{CodecError, format_version, v1};
use crate::ports::TaskRow;

/// Encodes the row of a task.
///
/// # Errors
/// [`CodecError::Unstorable`]; no task is known to cause it.
pub fn encode_task(workspace: &WorkspaceKey, task: &Task) -> Result<TaskRow, CodecError> {
    Ok(TaskRow {
        id: task.id.clone(),
        workspace: workspace.clone(),
        session: task.session.clone(),
        call: task.call.clone(),
        command: task.command.clone(),
        state: task.state,
        open: !task.state.is_final(),
        wake_at: task.wake_at(),
        created_at: task.created_at,
        body: format_version::write("task", &v1::TaskV1::from(task))?,
    })
}

/// Decodes the task of a row.
///
/// # Errors
/// When a newer Entracte wrote it, or it is damaged.
pub fn decode_task(row: &TaskRow) -> Result<Task, CodecError> {
    let body: v1::TaskV1 = format_version::read_shape("task", &row.body)?;
    body.into_domain(row)
}

#[cfg(test)]
mod tests {
    use entracte_domain::command::CommandKind;
    use entracte_domain::id::{CallId, SessionId, TaskId};
    use entracte_domain::task::{
        CancelReason, TaskHandle, TaskOrigin, TaskOutcome, TaskProtocol, TaskState, TaskUpdate, apply_update,
    };
    use entracte_domain::time::{Deadline, Millis, Timestamp};

    use super::*;
    use crate::system::sha256;

    fn registered() -> Task {
        let origin = TaskOrigin {
            session: SessionId::new("ses_a"),
            call: CallId::new("cal_a_4_0"),
            command: "books.close".to_owned(),
            kind: CommandKind::Action,
        };
        let deadline = Deadline::after(Timestamp(1), Millis::hours(1));
        Task::register(TaskId::new("tsk_1"), origin, TaskProtocol::Http, Some(deadline), Timestamp(1))
    }

    fn heard(task: &Task, arrivals: &[TaskUpdate]) -> Task {
        let hear = |task, arrival| apply_update(&task, arrival, Timestamp(5)).task;
        arrivals.iter().fold(task.clone(), hear)
    }

    #[test]
    fn a_task_is_read_as_it_was_written() {
        let workspace = WorkspaceKey::new("ann:home");
        let (accepted, running) = (
            TaskUpdate::Accepted(TaskHandle {
                remote: Some("https://books.example/tasks/77".into()),
                poll_after: Some(Millis::seconds(30)),
                until: Some(Timestamp(9)),
            }),
            TaskUpdate::Progress { text: "7 of 15".into(), at: Some(Timestamp(4)), poll_after: None },
        );
        let ended = |outcome, content: &str| TaskUpdate::Final {
            outcome,
            content: content.into(),
            digest: sha256(content.as_bytes()),
        };
        let called_off = TaskUpdate::CancelAsked { why: CancelReason::Person, author: Some("ann".into()) };
        let asks = TaskUpdate::Asks {
            question: "{\"which\":\"book\"}".into(),
            form: None,
            remote: Some("private:{}".into()),
        };
        let answered = TaskUpdate::Answered { answer: "main".into() };
        let cases: [&[TaskUpdate]; 7] = [
            &[],
            std::slice::from_ref(&accepted),
            &[accepted.clone(), running.clone(), asks, answered],
            &[accepted.clone(), running, ended(TaskOutcome::Completed, "{\"n\":15}")],
            &[accepted.clone(), called_off],
            &[accepted.clone(), TaskUpdate::Gone],
            &[ended(TaskOutcome::Expired, ""), ended(TaskOutcome::Failed, "late"), accepted.clone()],
        ];
        for arrivals in cases {
            let task = heard(&registered(), arrivals);
            let row = encode_task(&workspace, &task).unwrap();
            assert_eq!(row.open, !task.state.is_final());
            assert_eq!(row.wake_at, task.wake_at());
            assert_eq!(decode_task(&row).unwrap(), task, "{}", String::from_utf8_lossy(&row.body));
        }
        let row = encode_task(&workspace, &registered()).unwrap();
        assert_eq!((row.state, row.wake_at), (TaskState::Registered, Some(Timestamp(3_600_000_001))));
    }
}
