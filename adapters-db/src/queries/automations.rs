//! Queries on `automations` and `occurrences`.

use diesel::dsl::min;
use diesel::prelude::*;
use entracte_application::ports::{AutomationRow, OccurrenceRow, WakeSchedule};
use entracte_domain::id::{AutomationId, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use crate::column_numbers::{from_column, to_column};
use crate::connection::DbConnection;
use crate::db_error::{DbError, mismatch, to_conflict};
use crate::schema::{automations, occurrences, workspaces};

type AutomationColumns = (String, String, String, String, Option<i64>, i64, Vec<u8>);

type OccurrenceColumns = (String, String, i64, String, Option<String>, i64, Vec<u8>);

/// Inserts an automation. An existing row with that id is a conflict.
pub(crate) fn insert(conn: &mut DbConnection, workspace_id: i64, row: &AutomationRow) -> Result<(), DbError> {
    diesel::insert_into(automations::table)
        .values((
            automations::workspace_id.eq(workspace_id),
            automations::id.eq(row.id.as_str()),
            automations::seed.eq(row.seed.as_str()),
            automations::name.eq(&row.name),
            automations::next_at.eq(row.next_at.map(|at| at.0)),
            automations::revision.eq(to_column(row.revision)?),
            automations::body.eq(&row.body),
        ))
        .execute(conn)
        .map_err(|error| {
            to_conflict(error, || format!("automation {} (expected none, found one)", row.id))
        })?;
    Ok(())
}

/// Updates the row with the revision `expected`.
pub(crate) fn update(
    conn: &mut DbConnection,
    workspace_id: i64,
    row: &AutomationRow,
    expected: u64,
) -> Result<(), DbError> {
    let old = automations::table
        .filter(automations::id.eq(row.id.as_str()))
        .filter(automations::workspace_id.eq(workspace_id))
        .filter(automations::revision.eq(to_column(expected)?));
    let changed = diesel::update(old)
        .set((
            automations::seed.eq(row.seed.as_str()),
            automations::name.eq(&row.name),
            automations::next_at.eq(row.next_at.map(|at| at.0)),
            automations::revision.eq(to_column(row.revision)?),
            automations::body.eq(&row.body),
        ))
        .execute(conn)?;
    expect_one(conn, changed, workspace_id, &row.id, expected)
}

/// Deletes the row with the revision `expected`; its occurrences stay.
pub(crate) fn delete(
    conn: &mut DbConnection,
    workspace_id: i64,
    id: &AutomationId,
    expected: u64,
) -> Result<(), DbError> {
    let old = automations::table
        .filter(automations::id.eq(id.as_str()))
        .filter(automations::workspace_id.eq(workspace_id))
        .filter(automations::revision.eq(to_column(expected)?));
    let changed = diesel::delete(old).execute(conn)?;
    expect_one(conn, changed, workspace_id, id, expected)
}

fn expect_one(
    conn: &mut DbConnection,
    changed: usize,
    workspace_id: i64,
    id: &AutomationId,
    expected: u64,
) -> Result<(), DbError> {
    if changed == 1 {
        return Ok(());
    }
    let row = automations::table
        .filter(automations::id.eq(id.as_str()))
        .filter(automations::workspace_id.eq(workspace_id));
    let found: Option<i64> = row.select(automations::revision).get_result(conn).optional()?;
    Err(mismatch("automation", id.as_str(), expected, found))
}

/// Inserts a decided occurrence; one that was already decided is a conflict.
pub(crate) fn decide(conn: &mut DbConnection, workspace_id: i64, row: &OccurrenceRow) -> Result<(), DbError> {
    diesel::insert_into(occurrences::table)
        .values((
            occurrences::automation.eq(row.automation.as_str()),
            occurrences::at.eq(row.at.0),
            occurrences::workspace_id.eq(workspace_id),
            occurrences::outcome.eq(&row.outcome),
            occurrences::session.eq(row.session.as_ref().map(SessionId::as_str)),
            occurrences::decided_at.eq(row.decided_at.0),
            occurrences::body.eq(&row.body),
        ))
        .execute(conn)
        .map_err(|error| {
            to_conflict(error, || format!("the occurrence {} of {}", row.at.0, row.automation))
        })?;
    Ok(())
}

/// The automations of a workspace, in order of creation.
pub(crate) fn list_for_workspace(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
) -> Result<Vec<AutomationRow>, DbError> {
    let rows: Vec<AutomationColumns> = automations::table
        .inner_join(workspaces::table)
        .filter(workspaces::key.eq(workspace.as_str()))
        .order(automations::automation_id)
        .select((
            automations::id,
            workspaces::key,
            automations::seed,
            automations::name,
            automations::next_at,
            automations::revision,
            automations::body,
        ))
        .load(conn)?;
    rows.into_iter().map(row).collect()
}

/// One automation of a workspace, by id.
pub(crate) fn find(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    id: &AutomationId,
) -> Result<Option<AutomationRow>, DbError> {
    let found: Option<AutomationColumns> = automations::table
        .inner_join(workspaces::table)
        .filter(automations::id.eq(id.as_str()))
        .filter(workspaces::key.eq(workspace.as_str()))
        .select((
            automations::id,
            workspaces::key,
            automations::seed,
            automations::name,
            automations::next_at,
            automations::revision,
            automations::body,
        ))
        .get_result(conn)
        .optional()?;
    found.map(row).transpose()
}

/// The latest occurrences of an automation before an instant, latest first.
pub(crate) fn latest(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    id: &AutomationId,
    before: Timestamp,
    limit: u32,
) -> Result<Vec<OccurrenceRow>, DbError> {
    let rows: Vec<OccurrenceColumns> = occurrences::table
        .inner_join(workspaces::table)
        .filter(occurrences::automation.eq(id.as_str()))
        .filter(workspaces::key.eq(workspace.as_str()))
        .filter(occurrences::at.lt(before.0))
        .order(occurrences::at.desc())
        .limit(i64::from(limit))
        .select((
            occurrences::automation,
            workspaces::key,
            occurrences::at,
            occurrences::outcome,
            occurrences::session,
            occurrences::decided_at,
            occurrences::body,
        ))
        .load(conn)?;
    Ok(rows.into_iter().map(occurrence).collect())
}

/// The workspaces with a due automation, by key, and the next due instant.
pub(crate) fn due_agenda(conn: &mut DbConnection, now: Timestamp) -> Result<WakeSchedule, DbError> {
    let keys: Vec<String> = automations::table
        .inner_join(workspaces::table)
        .filter(automations::next_at.le(now.0))
        .select(workspaces::key)
        .distinct()
        .order(workspaces::key)
        .load(conn)?;
    let next = automations::table.filter(automations::next_at.gt(now.0)).select(min(automations::next_at));
    let next = next.first::<Option<i64>>(conn)?.map(Timestamp);
    Ok(WakeSchedule { due: keys.into_iter().map(WorkspaceKey::new).collect(), next })
}

fn row((id, key, seed, name, next_at, revision, body): AutomationColumns) -> Result<AutomationRow, DbError> {
    let revision = from_column(revision, || format!("automations, {id}, revision"))?;
    Ok(AutomationRow {
        id: AutomationId::new(id),
        workspace: WorkspaceKey::new(key),
        seed: SessionId::new(seed),
        name,
        next_at: next_at.map(Timestamp),
        revision,
        body,
    })
}

fn occurrence((automation, key, at, outcome, session, decided_at, body): OccurrenceColumns) -> OccurrenceRow {
    OccurrenceRow {
        automation: AutomationId::new(automation),
        workspace: WorkspaceKey::new(key),
        at: Timestamp(at),
        outcome,
        session: session.map(SessionId::new),
        decided_at: Timestamp(decided_at),
        body,
    }
}
