//! Queries on `targets`, `outbox` and `links`.

use std::collections::BTreeSet;

use diesel::prelude::*;
use entracte_application::ports::{
    AddTargetOutcome, LinkRow, OutboxRow, OutboxState, OutboxWriteBatch, TargetRow,
};
use entracte_domain::id::{ApprovalId, Digest, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use crate::column_numbers::{from_column, to_column};
use crate::connection::DbConnection;
use crate::db_error::{DbError, to_conflict};
use crate::prepared_statements::PreparedQuery;
use crate::schema::{links, outbox, targets};

/// The columns of a target.
#[derive(Queryable)]
struct TargetColumns {
    id: String,
    workspace: String,
    name: String,
    disabled: Option<String>,
    cursor: i64,
    looked_at: i64,
    revision: i64,
    created_at: i64,
    body: Vec<u8>,
}

/// The columns of a notification.
#[derive(Queryable)]
struct OutboxColumns {
    id: String,
    workspace: String,
    target: String,
    item: String,
    kind: String,
    session: Option<String>,
    message: Option<String>,
    created_at: i64,
    due_at: i64,
    tried_at: Option<i64>,
    attempts: i64,
    state: String,
    error: Option<String>,
}

/// The columns of a link.
#[derive(Queryable)]
struct LinkColumns {
    hash: String,
    workspace: String,
    target: String,
    person: String,
    private: bool,
    session: String,
    approval: String,
    digest: String,
    created_at: i64,
    expires_at: i64,
    used_at: Option<i64>,
}

/// Adds a target unless its name is taken or `most` targets exist. An existing one with its id counts as added.
pub(crate) fn add_target(
    conn: &mut DbConnection,
    row: &TargetRow,
    most: u32,
) -> Result<AddTargetOutcome, DbError> {
    let here = targets::table.filter(targets::workspace.eq(row.workspace.as_str()));
    let same = here.filter(targets::name.eq(&row.name)).select(targets::id);
    if let Some(id) = same.get_result::<String>(conn).optional()? {
        return Ok(if id == row.id { AddTargetOutcome::Added } else { AddTargetOutcome::NameTaken });
    }
    let count: i64 = here.count().get_result(conn)?;
    if count >= i64::from(most) {
        return Ok(AddTargetOutcome::Full);
    }
    diesel::insert_into(targets::table)
        .values((
            targets::id.eq(&row.id),
            targets::workspace.eq(row.workspace.as_str()),
            targets::name.eq(&row.name),
            targets::disabled.eq(row.disabled.as_deref()),
            targets::cursor.eq(to_column(row.cursor)?),
            targets::looked_at.eq(row.looked_at.0),
            targets::revision.eq(to_column(row.revision)?),
            targets::created_at.eq(row.created_at.0),
            targets::body.eq(&row.body),
        ))
        .execute(conn)
        .map_err(|error| to_conflict(error, || format!("target {}", row.name)))?;
    Ok(AddTargetOutcome::Added)
}

/// The targets of a workspace, or all, by workspace and name.
pub(crate) fn targets(
    conn: &mut DbConnection,
    workspace: Option<&WorkspaceKey>,
) -> Result<Vec<TargetRow>, DbError> {
    let all = targets::table.order((targets::workspace, targets::name)).select(targets::all_columns);
    let rows: Vec<TargetColumns> = match workspace {
        None => all.load(conn)?,
        Some(key) => all.filter(targets::workspace.eq(key.as_str())).load(conn)?,
    };
    rows.into_iter().map(target_of).collect()
}

/// Updates body and `disabled` of a target if its revision is the previous one; returns whether it was.
pub(crate) fn change_target(conn: &mut DbConnection, row: &TargetRow) -> Result<bool, DbError> {
    let old = targets::table
        .filter(targets::id.eq(&row.id))
        .filter(targets::workspace.eq(row.workspace.as_str()))
        .filter(targets::revision.eq(to_column(row.revision.saturating_sub(1))?));
    let update = diesel::update(old)
        .set((
            targets::disabled.eq(row.disabled.as_deref()),
            targets::revision.eq(to_column(row.revision)?),
            targets::body.eq(&row.body),
        ))
        .returning(targets::id);
    Ok(PreparedQuery(update).get_result::<String>(conn).optional()?.is_some())
}

/// Whether a target is stored with exactly these values.
pub(crate) fn is_target(conn: &mut DbConnection, row: &TargetRow) -> Result<bool, DbError> {
    let found = targets(conn, Some(&row.workspace))?.into_iter().find(|found| found.id == row.id);
    Ok(found.is_some_and(|found| found.revision == row.revision && found.body == row.body))
}

/// Removes a target with all that refers to it; returns whether it existed.
pub(crate) fn remove_target(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    id: &str,
) -> Result<bool, DbError> {
    let one = targets::table.filter(targets::id.eq(id)).filter(targets::workspace.eq(workspace.as_str()));
    if one.select(targets::id).get_result::<String>(conn).optional()?.is_none() {
        return Ok(false);
    }
    diesel::delete(outbox::table.filter(outbox::target.eq(id))).execute(conn)?;
    diesel::delete(links::table.filter(links::target.eq(id))).execute(conn)?;
    diesel::delete(targets::table.filter(targets::id.eq(id))).execute(conn)?;
    Ok(true)
}

/// Writes the results of one step of the notifier.
pub(crate) fn write(conn: &mut DbConnection, write: &OutboxWriteBatch) -> Result<(), DbError> {
    for (id, cursor, looked_at) in &write.moved {
        let update = diesel::update(targets::table.filter(targets::id.eq(id)))
            .set((targets::cursor.eq(to_column(*cursor)?), targets::looked_at.eq(looked_at.0)))
            .returning(targets::id);
        PreparedQuery(update).get_result::<String>(conn).optional()?;
    }
    insert_new(conn, &write.new)?;
    write.changed.iter().try_for_each(|row| change(conn, row))?;
    for (id, why) in &write.disabled {
        let update = diesel::update(targets::table.filter(targets::id.eq(id)))
            .set((targets::disabled.eq(Some(why)), targets::revision.eq(targets::revision + 1)))
            .returning(targets::id);
        PreparedQuery(update).get_result::<String>(conn).optional()?;
    }
    write.links.iter().try_for_each(|link| insert_link(conn, link))?;
    let Some(before) = write.forget_before else { return Ok(()) };
    let old = outbox::table
        .filter(outbox::state.ne(OutboxState::Pending.word()))
        .filter(outbox::created_at.lt(before.0));
    diesel::delete(old).execute(conn)?;
    diesel::delete(links::table.filter(links::expires_at.lt(before.0))).execute(conn)?;
    Ok(())
}

/// Whether a target exists.
fn is_there(conn: &mut DbConnection, target: &str) -> Result<bool, DbError> {
    let found = targets::table.find(target).select(targets::id).get_result::<String>(conn).optional()?;
    Ok(found.is_some())
}

fn insert_new(conn: &mut DbConnection, rows: &[OutboxRow]) -> Result<(), DbError> {
    let names: BTreeSet<&str> = rows.iter().map(|row| row.target.as_str()).collect();
    for target in names.into_iter().map(str::to_owned).collect::<Vec<_>>() {
        if !is_there(conn, &target)? {
            continue;
        }
        let told = outbox::table.filter(outbox::target.eq(&target)).select(outbox::item);
        let mut told: BTreeSet<String> = told.load(conn)?.into_iter().collect();
        for row in rows.iter().filter(|row| row.target == target) {
            if told.insert(row.item.clone()) {
                insert(conn, row)?;
            }
        }
    }
    Ok(())
}

fn insert(conn: &mut DbConnection, row: &OutboxRow) -> Result<(), DbError> {
    diesel::insert_into(outbox::table)
        .values((
            outbox::id.eq(&row.id),
            outbox::workspace.eq(row.workspace.as_str()),
            outbox::target.eq(&row.target),
            outbox::item.eq(&row.item),
            outbox::kind.eq(&row.kind),
            outbox::session.eq(row.session.as_ref().map(SessionId::as_str)),
            outbox::message.eq(row.message.as_deref()),
            outbox::created_at.eq(row.created_at.0),
            outbox::due_at.eq(row.due_at.0),
            outbox::tried_at.eq(row.tried_at.map(|at| at.0)),
            outbox::attempts.eq(i64::from(row.attempts)),
            outbox::state.eq(row.state.word()),
            outbox::error.eq(row.error.as_deref()),
        ))
        .execute(conn)
        .map_err(|error| to_conflict(error, || format!("notification {}", row.id)))?;
    Ok(())
}

fn change(conn: &mut DbConnection, row: &OutboxRow) -> Result<(), DbError> {
    let update = diesel::update(outbox::table.filter(outbox::id.eq(&row.id)))
        .set((
            outbox::message.eq(row.message.as_deref()),
            outbox::due_at.eq(row.due_at.0),
            outbox::tried_at.eq(row.tried_at.map(|at| at.0)),
            outbox::attempts.eq(i64::from(row.attempts)),
            outbox::state.eq(row.state.word()),
            outbox::error.eq(row.error.as_deref()),
        ))
        .returning(outbox::id);
    PreparedQuery(update).get_result::<String>(conn).optional()?;
    Ok(())
}

fn insert_link(conn: &mut DbConnection, link: &LinkRow) -> Result<(), DbError> {
    let same = links::table.find(link.hash.as_str()).select(links::hash);
    if !is_there(conn, &link.target)? || same.get_result::<String>(conn).optional()?.is_some() {
        return Ok(());
    }
    diesel::insert_into(links::table)
        .values((
            links::hash.eq(link.hash.as_str()),
            links::workspace.eq(link.workspace.as_str()),
            links::target.eq(&link.target),
            links::person.eq(&link.person),
            links::private.eq(link.is_private),
            links::session.eq(link.session.as_str()),
            links::approval.eq(link.approval.as_str()),
            links::digest.eq(link.digest.as_str()),
            links::created_at.eq(link.created_at.0),
            links::expires_at.eq(link.expires_at.0),
            links::used_at.eq(link.used_at.map(|at| at.0)),
        ))
        .execute(conn)?;
    Ok(())
}

/// Pending notifications that are due, longest due first.
pub(crate) fn due(conn: &mut DbConnection, now: Timestamp, limit: u32) -> Result<Vec<OutboxRow>, DbError> {
    let rows: Vec<OutboxColumns> = outbox::table
        .filter(outbox::state.eq(OutboxState::Pending.word()))
        .filter(outbox::due_at.le(now.0))
        .order((outbox::due_at, outbox::id))
        .limit(i64::from(limit))
        .select(outbox::all_columns)
        .load(conn)?;
    rows.into_iter().map(outbox_of).collect()
}

/// The latest notifications of a workspace, latest first.
pub(crate) fn latest(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    limit: u32,
) -> Result<Vec<OutboxRow>, DbError> {
    let rows: Vec<OutboxColumns> = outbox::table
        .filter(outbox::workspace.eq(workspace.as_str()))
        .order((outbox::created_at.desc(), outbox::id.desc()))
        .limit(i64::from(limit))
        .select(outbox::all_columns)
        .load(conn)?;
    rows.into_iter().map(outbox_of).collect()
}

/// Spends a link of a workspace. The first use stands; a missing link counts as spent.
pub(crate) fn spend(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    hash: &Digest,
    at: Timestamp,
) -> Result<(), DbError> {
    let open = links::table
        .filter(links::hash.eq(hash.as_str()))
        .filter(links::workspace.eq(workspace.as_str()))
        .filter(links::used_at.is_null());
    PreparedQuery(diesel::update(open).set(links::used_at.eq(Some(at.0))).returning(links::hash))
        .get_result::<String>(conn)
        .optional()?;
    Ok(())
}

/// The link with this hash.
pub(crate) fn link(conn: &mut DbConnection, hash: &Digest) -> Result<Option<LinkRow>, DbError> {
    let one = links::table.find(hash.as_str()).select(links::all_columns);
    Ok(one.get_result::<LinkColumns>(conn).optional()?.map(link_of))
}

fn target_of(columns: TargetColumns) -> Result<TargetRow, DbError> {
    let place = |column: &str| format!("targets, {}, {column}", columns.id);
    Ok(TargetRow {
        cursor: from_column(columns.cursor, || place("cursor"))?,
        revision: from_column(columns.revision, || place("revision"))?,
        id: columns.id,
        workspace: WorkspaceKey::new(columns.workspace),
        name: columns.name,
        disabled: columns.disabled,
        looked_at: Timestamp(columns.looked_at),
        created_at: Timestamp(columns.created_at),
        body: columns.body,
    })
}

fn outbox_of(columns: OutboxColumns) -> Result<OutboxRow, DbError> {
    let place = |column: &str| format!("outbox, {}, {column}", columns.id);
    let damaged = || DbError::Damaged(format!("{}: {}", place("state"), columns.state));
    Ok(OutboxRow {
        attempts: from_column(columns.attempts, || place("attempts"))?,
        state: OutboxState::from_word(&columns.state).ok_or_else(damaged)?,
        id: columns.id,
        workspace: WorkspaceKey::new(columns.workspace),
        target: columns.target,
        item: columns.item,
        kind: columns.kind,
        session: columns.session.map(SessionId::new),
        message: columns.message,
        created_at: Timestamp(columns.created_at),
        due_at: Timestamp(columns.due_at),
        tried_at: columns.tried_at.map(Timestamp),
        error: columns.error,
    })
}

fn link_of(columns: LinkColumns) -> LinkRow {
    LinkRow {
        hash: Digest::new(columns.hash),
        workspace: WorkspaceKey::new(columns.workspace),
        target: columns.target,
        person: columns.person,
        is_private: columns.private,
        session: SessionId::new(columns.session),
        approval: ApprovalId::new(columns.approval),
        digest: Digest::new(columns.digest),
        created_at: Timestamp(columns.created_at),
        expires_at: Timestamp(columns.expires_at),
        used_at: columns.used_at.map(Timestamp),
    }
}
