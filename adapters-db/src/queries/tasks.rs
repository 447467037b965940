//! Queries on `tasks` and `task_arrivals`: long tasks and their reported updates.

use diesel::dsl::min;
use diesel::prelude::*;
use entracte_application::ports::{TaskArrivalRow, TaskFilter, TaskRow, WakeSchedule};
use entracte_domain::id::{CallId, Digest, SessionId, TaskId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use crate::column_words::from_word_column;
use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::schema::{task_arrivals, tasks, workspaces};

#[derive(Queryable, Selectable)]
#[diesel(table_name = tasks)]
struct StoredTask {
    id: String,
    #[diesel(select_expression = workspaces::key)]
    workspace: String,
    session: String,
    call: String,
    command: String,
    state: String,
    open: bool,
    wake_at: Option<i64>,
    created_at: i64,
    body: Vec<u8>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = task_arrivals)]
struct StoredArrival {
    task: String,
    webhook_id: String,
    digest: String,
    verdict: String,
    at: i64,
}

/// Inserts or updates a task. An existing id in another workspace is a conflict.
pub(crate) fn upsert_task(conn: &mut DbConnection, workspace_id: i64, row: &TaskRow) -> Result<(), DbError> {
    let of_id = tasks::table.filter(tasks::id.eq(row.id.as_str()));
    let place: Option<i64> = of_id.select(tasks::workspace_id).get_result(conn).optional()?;
    match place {
        Some(other) if other != workspace_id => Err(DbError::Conflict(format!("task {}", row.id))),
        Some(_) => {
            let changed = (
                tasks::state.eq(row.state.word()),
                tasks::open.eq(row.open),
                tasks::wake_at.eq(row.wake_at.map(|at| at.0)),
                tasks::body.eq(&row.body),
            );
            diesel::update(of_id).set(changed).execute(conn)?;
            Ok(())
        }
        None => {
            let columns = (
                tasks::id.eq(row.id.as_str()),
                tasks::workspace_id.eq(workspace_id),
                tasks::session.eq(row.session.as_str()),
                tasks::call.eq(row.call.as_str()),
                tasks::command.eq(&row.command),
                tasks::state.eq(row.state.word()),
                tasks::open.eq(row.open),
                tasks::wake_at.eq(row.wake_at.map(|at| at.0)),
                tasks::created_at.eq(row.created_at.0),
                tasks::body.eq(&row.body),
            );
            diesel::insert_into(tasks::table).values(columns).execute(conn)?;
            Ok(())
        }
    }
}

/// Records a reported update; an existing id is a conflict.
pub(crate) fn insert_arrival(conn: &mut DbConnection, row: &TaskArrivalRow) -> Result<(), DbError> {
    let known = task_arrivals::table
        .filter(task_arrivals::task.eq(row.task.as_str()))
        .filter(task_arrivals::webhook_id.eq(&row.webhook_id))
        .select(task_arrivals::at);
    if known.get_result::<i64>(conn).optional()?.is_some() {
        return Err(DbError::Conflict(format!("arrival {} of task {}", row.webhook_id, row.task)));
    }
    let columns = (
        task_arrivals::task.eq(row.task.as_str()),
        task_arrivals::webhook_id.eq(&row.webhook_id),
        task_arrivals::digest.eq(row.digest.as_str()),
        task_arrivals::verdict.eq(&row.verdict),
        task_arrivals::at.eq(row.at.0),
    );
    diesel::insert_into(task_arrivals::table).values(columns).execute(conn)?;
    Ok(())
}

/// Deletes the tasks of a deleted session.
pub(crate) fn delete_for_session(
    conn: &mut DbConnection,
    workspace_id: i64,
    session: &SessionId,
) -> Result<(), DbError> {
    let of_session =
        tasks::table.filter(tasks::workspace_id.eq(workspace_id)).filter(tasks::session.eq(session.as_str()));
    let ids: Vec<String> = of_session.select(tasks::id).load(conn)?;
    if ids.is_empty() {
        return Ok(());
    }
    diesel::delete(task_arrivals::table.filter(task_arrivals::task.eq_any(ids))).execute(conn)?;
    diesel::delete(of_session).execute(conn)?;
    Ok(())
}

/// A task by id, of any workspace.
pub(crate) fn locate(conn: &mut DbConnection, id: &TaskId) -> Result<Option<TaskRow>, DbError> {
    let query = tasks::table
        .inner_join(workspaces::table)
        .filter(tasks::id.eq(id.as_str()))
        .select(StoredTask::as_select());
    query.get_result(conn).optional()?.map(row).transpose()
}

/// A task of a workspace, by id.
pub(crate) fn find(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    id: &TaskId,
) -> Result<Option<TaskRow>, DbError> {
    Ok(locate(conn, id)?.filter(|row| row.workspace == *workspace))
}

/// Tasks of a workspace, latest first.
pub(crate) fn list_for_workspace(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    filter: &TaskFilter,
) -> Result<Vec<TaskRow>, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, workspace)? else { return Ok(Vec::new()) };
    let query = tasks::table
        .inner_join(workspaces::table)
        .filter(tasks::workspace_id.eq(workspace_id))
        .order((tasks::created_at.desc(), tasks::id.desc()))
        .limit(filter.limit.map_or(i64::MAX, i64::from))
        .select(StoredTask::as_select());
    let rows: Vec<StoredTask> = match (&filter.session, filter.open) {
        (None, false) => query.load(conn)?,
        (None, true) => query.filter(tasks::open.eq(true)).load(conn)?,
        (Some(session), false) => query.filter(tasks::session.eq(session.as_str())).load(conn)?,
        (Some(session), true) => {
            query.filter(tasks::session.eq(session.as_str())).filter(tasks::open.eq(true)).load(conn)?
        }
    };
    rows.into_iter().map(row).collect()
}

/// The due tasks of a workspace, earliest first.
pub(crate) fn due_in(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    now: Timestamp,
) -> Result<Vec<TaskRow>, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, workspace)? else { return Ok(Vec::new()) };
    let query = tasks::table
        .inner_join(workspaces::table)
        .filter(tasks::workspace_id.eq(workspace_id))
        .filter(tasks::wake_at.le(now.0))
        .order((tasks::wake_at, tasks::id))
        .select(StoredTask::as_select());
    query.load(conn)?.into_iter().map(row).collect()
}

/// When the next task of a workspace is due.
pub(crate) fn next(conn: &mut DbConnection, workspace: &WorkspaceKey) -> Result<Option<Timestamp>, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, workspace)? else { return Ok(None) };
    let query = tasks::table
        .filter(tasks::workspace_id.eq(workspace_id))
        .filter(tasks::wake_at.is_not_null())
        .select(min(tasks::wake_at));
    Ok(query.first::<Option<i64>>(conn)?.map(Timestamp))
}

/// The workspaces with a due task, by key, and the next due instant.
pub(crate) fn agenda(conn: &mut DbConnection, now: Timestamp) -> Result<WakeSchedule, DbError> {
    let keys: Vec<String> = tasks::table
        .inner_join(workspaces::table)
        .filter(tasks::wake_at.le(now.0))
        .select(workspaces::key)
        .distinct()
        .order(workspaces::key)
        .load(conn)?;
    let next = tasks::table.filter(tasks::wake_at.gt(now.0)).select(min(tasks::wake_at));
    let next = next.first::<Option<i64>>(conn)?.map(Timestamp);
    Ok(WakeSchedule { due: keys.into_iter().map(WorkspaceKey::new).collect(), next })
}

/// All reported updates of a task, in order of arrival.
pub(crate) fn arrivals(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    task: &TaskId,
) -> Result<Vec<TaskArrivalRow>, DbError> {
    if find(conn, workspace, task)?.is_none() {
        return Ok(Vec::new());
    }
    let query = task_arrivals::table
        .filter(task_arrivals::task.eq(task.as_str()))
        .order((task_arrivals::at, task_arrivals::webhook_id))
        .select(StoredArrival::as_select());
    Ok(query.load(conn)?.into_iter().map(arrival).collect())
}

/// The reported update of a task with this id.
pub(crate) fn find_arrival(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    task: &TaskId,
    webhook_id: &str,
) -> Result<Option<TaskArrivalRow>, DbError> {
    if find(conn, workspace, task)?.is_none() {
        return Ok(None);
    }
    let query = task_arrivals::table
        .filter(task_arrivals::task.eq(task.as_str()))
        .filter(task_arrivals::webhook_id.eq(webhook_id))
        .select(StoredArrival::as_select());
    Ok(query.get_result(conn).optional()?.map(arrival))
}

fn row(stored: StoredTask) -> Result<TaskRow, DbError> {
    let state = from_word_column(&stored.state, || format!("tasks, {}, state", stored.id))?;
    Ok(TaskRow {
        id: TaskId::new(stored.id),
        workspace: WorkspaceKey::new(stored.workspace),
        session: SessionId::new(stored.session),
        call: CallId::new(stored.call),
        command: stored.command,
        state,
        open: stored.open,
        wake_at: stored.wake_at.map(Timestamp),
        created_at: Timestamp(stored.created_at),
        body: stored.body,
    })
}

fn arrival(stored: StoredArrival) -> TaskArrivalRow {
    TaskArrivalRow {
        task: TaskId::new(stored.task),
        webhook_id: stored.webhook_id,
        digest: Digest::new(stored.digest),
        verdict: stored.verdict,
        at: Timestamp(stored.at),
    }
}
