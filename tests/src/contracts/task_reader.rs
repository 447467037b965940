//! The contract suite of a store of long tasks.

use entracte_application::ports::{TaskArrivalRow, TaskFilter, TaskRow, WakeSchedule, WorkspaceCommit};
use entracte_domain::id::{CallId, Digest, SessionId, TaskId, WorkspaceKey};
use entracte_domain::task::TaskState;
use entracte_domain::time::Timestamp;

use super::StoreFixture;
use super::rows::{HOME, begun, first, key, next, session_id, workspace};
use super::store::{commit, conflict};

/// A task of the session `ses_a` in this state, due at `wake_at`.
pub fn task(id: &str, state: TaskState, wake_at: Option<i64>) -> TaskRow {
    TaskRow {
        id: TaskId::new(id),
        workspace: WorkspaceKey::new(HOME),
        session: SessionId::new("ses_a"),
        call: CallId::new("cal_a_1_0"),
        command: "books.close".into(),
        state,
        open: !state.is_final(),
        wake_at: wake_at.map(Timestamp),
        created_at: Timestamp(5),
        body: state.word().as_bytes().to_vec(),
    }
}

/// A delivered message about the task.
pub fn arrival(task: &str, webhook_id: &str, at: i64) -> TaskArrivalRow {
    TaskArrivalRow {
        task: TaskId::new(task),
        webhook_id: webhook_id.into(),
        digest: Digest::new("d"),
        verdict: "normal".into(),
        at: Timestamp(at),
    }
}

/// A commit that writes these rows.
fn writing(tasks: Vec<TaskRow>, arrivals: Vec<TaskArrivalRow>) -> WorkspaceCommit {
    WorkspaceCommit { tasks, arrivals, ..next(HOME, 1) }
}

/// A task is read back unchanged, and replaced by the next commit that contains it; its id finds it from any workspace.
pub async fn a_task_is_read_back_and_replaced(stores: StoreFixture) {
    let home = key(HOME);
    commit(&stores, begun(HOME, "a")).await;
    commit(&stores, first("bob:home")).await;
    let made = task("tsk_1", TaskState::Registered, Some(50));
    commit(&stores, writing(vec![made.clone()], Vec::new())).await;
    assert_eq!(stores.tasks.task(&home, &made.id).await.unwrap(), Some(made.clone()));
    let running = TaskRow { created_at: made.created_at, ..task("tsk_1", TaskState::Running, None) };
    commit(&stores, writing(vec![running.clone()], Vec::new())).await;
    assert_eq!(stores.tasks.task(&home, &made.id).await.unwrap(), Some(running.clone()));
    assert_eq!(stores.tasks.task_in_any_workspace(&made.id).await.unwrap(), Some(running));
    assert_eq!(stores.tasks.task(&key("bob:home"), &made.id).await.unwrap(), None);
    assert_eq!(stores.tasks.task_in_any_workspace(&TaskId::new("tsk_2")).await.unwrap(), None);
}

/// Latest first: all tasks, those of a session, open ones, and up to a limit.
pub async fn tasks_come_latest_first(stores: StoreFixture) {
    let home = key(HOME);
    commit(&stores, begun(HOME, "a")).await;
    let of = |id: &str, state: TaskState, session: &str, at: i64| TaskRow {
        session: session_id(session),
        created_at: Timestamp(at),
        ..task(id, state, None)
    };
    let (one, two, three) = (
        of("tsk_1", TaskState::Running, "a", 5),
        of("tsk_2", TaskState::Completed, "b", 9),
        of("tsk_3", TaskState::Completed, "a", 7),
    );
    commit(&stores, writing(vec![one.clone(), two.clone(), three.clone()], Vec::new())).await;
    let found = |filter| stores.tasks.tasks(&home, filter);
    let (all, own) = (TaskFilter::default(), Some(session_id("a")));
    assert_eq!(found(all.clone()).await.unwrap(), [two.clone(), three.clone(), one.clone()]);
    assert_eq!(found(TaskFilter { limit: Some(1), ..all.clone() }).await.unwrap(), [two]);
    assert_eq!(
        found(TaskFilter { session: own.clone(), ..all.clone() }).await.unwrap(),
        [three, one.clone()]
    );
    assert_eq!(found(TaskFilter { open: true, ..all.clone() }).await.unwrap(), std::slice::from_ref(&one));
    assert_eq!(found(TaskFilter { session: own, open: true, ..all }).await.unwrap(), [one]);
}

/// Due tasks of a workspace, earliest first; if none is due, the next instant is returned.
pub async fn tasks_are_due_when_they_say(stores: StoreFixture) {
    let home = key(HOME);
    commit(&stores, begun(HOME, "a")).await;
    assert_eq!(stores.tasks.next_task(&home).await.unwrap(), None);
    let (late, soon, never) = (
        task("tsk_1", TaskState::Running, Some(90)),
        task("tsk_2", TaskState::Running, Some(50)),
        task("tsk_3", TaskState::Completed, None),
    );
    commit(&stores, writing(vec![late.clone(), soon.clone(), never], Vec::new())).await;
    let due = |at| stores.tasks.due_tasks(&home, Timestamp(at));
    assert_eq!(due(49).await.unwrap(), []);
    assert_eq!(due(50).await.unwrap(), std::slice::from_ref(&soon));
    assert_eq!(due(90).await.unwrap(), [soon, late]);
    assert_eq!(stores.tasks.due_tasks(&key("bob:home"), Timestamp(90)).await.unwrap(), []);
    assert_eq!(stores.tasks.next_task(&home).await.unwrap(), Some(Timestamp(50)));
    let agenda = |at| stores.tasks.task_wake_schedule(Timestamp(at));
    assert_eq!(agenda(49).await.unwrap(), WakeSchedule { due: Vec::new(), next: Some(Timestamp(50)) });
    assert_eq!(
        agenda(50).await.unwrap(),
        WakeSchedule { due: vec![home.clone()], next: Some(Timestamp(90)) }
    );
    assert_eq!(agenda(90).await.unwrap(), WakeSchedule { due: vec![home.clone()], next: None });
}

/// A message is stored once per id; a second one is a conflict that writes nothing.
pub async fn an_arrival_is_kept_once(stores: StoreFixture) {
    let home = key(HOME);
    commit(&stores, begun(HOME, "a")).await;
    let made = task("tsk_1", TaskState::Running, None);
    let first = arrival("tsk_1", "msg_1", 7);
    commit(&stores, writing(vec![made.clone()], vec![first.clone()])).await;
    let twice = writing(vec![task("tsk_1", TaskState::Completed, None)], vec![arrival("tsk_1", "msg_1", 8)]);
    conflict(&stores, twice).await;
    assert_eq!(stores.tasks.task(&home, &made.id).await.unwrap(), Some(made.clone()));
    let second = arrival("tsk_1", "msg_2", 9);
    commit(&stores, writing(Vec::new(), vec![second.clone()])).await;
    assert_eq!(stores.tasks.arrivals(&home, &made.id).await.unwrap(), [first.clone(), second]);
    let told = |workspace, id| {
        let (tasks, task) = (stores.tasks.clone(), made.id.clone());
        async move { tasks.arrival(&key(workspace), &task, id).await.unwrap() }
    };
    assert_eq!(told(HOME, "msg_1").await, Some(first));
    assert_eq!(told(HOME, "msg_3").await, None);
    assert_eq!(told("bob:home", "msg_1").await, None);
}

/// Deleting a session deletes its tasks and their messages.
pub async fn tasks_go_with_their_session(stores: StoreFixture) {
    let home = key(HOME);
    commit(&stores, begun(HOME, "a")).await;
    let made = task("tsk_1", TaskState::Completed, None);
    commit(&stores, writing(vec![made.clone()], vec![arrival("tsk_1", "msg_1", 7)])).await;
    let deletion = WorkspaceCommit {
        deleted: vec![(session_id("a"), 1)],
        workspace: workspace(HOME, 1),
        ..next(HOME, 1)
    };
    commit(&stores, deletion).await;
    assert_eq!(stores.tasks.task_in_any_workspace(&made.id).await.unwrap(), None);
    assert_eq!(stores.tasks.arrivals(&home, &made.id).await.unwrap(), []);
}
