//! Queries on `resources`: a workspace's own data.

use diesel::dsl::count_star;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use entracte_application::ports::{ResourceChange, ResourceFilter, ResourceRow};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use crate::column_numbers::{from_column, to_column};
use crate::connection::{DbConnection, MultiBackend};
use crate::db_error::{DbError, mismatch, to_conflict};
use crate::dialect;
use crate::prepared_statements::static_sql;
use crate::schema::resources;

/// A row to write.
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = resources, primary_key(workspace_id, kind, id))]
#[diesel(treat_none_as_null = true, treat_none_as_default_value = false)]
struct ResourceColumns<'a> {
    workspace_id: i64,
    kind: &'a str,
    id: &'a str,
    parent_kind: Option<&'a str>,
    parent: Option<&'a str>,
    name: &'a str,
    at: Option<i64>,
    version: i64,
    body: &'a str,
    created_at: i64,
    updated_at: i64,
}

/// A stored row.
#[derive(Queryable, Selectable)]
#[diesel(table_name = resources)]
struct StoredResource {
    kind: String,
    id: String,
    parent_kind: Option<String>,
    parent: Option<String>,
    name: String,
    at: Option<i64>,
    version: i64,
    body: String,
    created_at: i64,
    updated_at: i64,
}

/// Applies one change.
pub(crate) fn apply(
    conn: &mut DbConnection,
    workspace_id: i64,
    change: &ResourceChange,
) -> Result<(), DbError> {
    match change {
        ResourceChange::Create(row) => create(conn, workspace_id, row),
        ResourceChange::Update { row, expected } => update(conn, workspace_id, row, *expected),
        ResourceChange::Delete { kind, id, expected } => delete(conn, workspace_id, kind, id, *expected),
    }
}

/// One row, by key.
pub(crate) fn find(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    kind: &str,
    id: &str,
) -> Result<Option<ResourceRow>, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, workspace)? else { return Ok(None) };
    let query = resources::table.find((workspace_id, kind, id)).select(StoredResource::as_select());
    query.get_result(conn).optional()?.map(row).transpose()
}

/// The rows that match the filter: by instant (rows without one first), then by name, then by id.
pub(crate) fn list(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    filter: &ResourceFilter,
) -> Result<Vec<ResourceRow>, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, workspace)? else { return Ok(Vec::new()) };
    let query = filtered(workspace_id, filter)
        // Explicit, because databases order NULL differently.
        .order((static_sql::<Nullable<BigInt>>("at ASC NULLS FIRST"), resources::name, resources::id))
        // An offset without a limit is not valid SQL in every database.
        .limit(filter.limit.map_or(i64::MAX, i64::from))
        .offset(i64::from(filter.offset))
        .select(StoredResource::as_select());
    query.load(conn)?.into_iter().map(row).collect()
}

/// The rows that match the filter and have this name, whatever the case of its letters: in the order of the list,
/// whatever page of it the filter asks for. A database compares names in ASCII; the few others are read and compared here.
pub(crate) fn named(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    filter: &ResourceFilter,
    name: &str,
) -> Result<Vec<ResourceRow>, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, workspace)? else { return Ok(Vec::new()) };
    let folded = static_sql::<Text>(dialect::ascii_lower_name(conn));
    let query = filtered(workspace_id, filter)
        .filter(folded.eq(dialect::lower_text(name)).or(static_sql::<Bool>(dialect::NAME_BEYOND_ASCII)))
        .order((static_sql::<Nullable<BigInt>>("at ASC NULLS FIRST"), resources::name, resources::id))
        .select(StoredResource::as_select());
    let mut found = Vec::new();
    for stored in query.load(conn)? {
        let row = row(stored)?;
        if row.has_name(name) {
            found.push(row);
        }
    }
    Ok(found)
}

/// The number of rows that match the filter.
pub(crate) fn count(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    filter: &ResourceFilter,
) -> Result<u64, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, workspace)? else { return Ok(0) };
    let number: i64 = filtered(workspace_id, filter).select(count_star()).get_result(conn)?;
    from_column(number, || "resources, count".to_owned())
}

/// Id and version of each row that matches the filter.
pub(crate) fn versions(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    filter: &ResourceFilter,
) -> Result<Vec<(String, u64)>, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, workspace)? else { return Ok(Vec::new()) };
    let query = filtered(workspace_id, filter).select((resources::id, resources::version));
    let rows: Vec<(String, i64)> = query.load(conn)?;
    let number = |(id, version): (String, i64)| {
        let place = || format!("resources, {} {id}, version", filter.kind);
        from_column(version, place).map(|version: u64| (id, version))
    };
    rows.into_iter().map(number).collect()
}

fn create(conn: &mut DbConnection, workspace_id: i64, row: &ResourceRow) -> Result<(), DbError> {
    diesel::insert_into(resources::table)
        .values(columns(workspace_id, row)?)
        .execute(conn)
        .map_err(|error| to_conflict(error, || place_taken(row)))?;
    Ok(())
}

fn update(
    conn: &mut DbConnection,
    workspace_id: i64,
    row: &ResourceRow,
    expected: u64,
) -> Result<(), DbError> {
    let old = resources::table
        .find((workspace_id, row.kind.as_str(), row.id.as_str()))
        .filter(resources::version.eq(to_column(expected)?));
    let changed = diesel::update(old)
        .set(columns(workspace_id, row)?)
        .execute(conn)
        .map_err(|error| to_conflict(error, || place_taken(row)))?;
    expect_one(conn, changed, workspace_id, &row.kind, &row.id, expected)
}

fn delete(
    conn: &mut DbConnection,
    workspace_id: i64,
    kind: &str,
    id: &str,
    expected: u64,
) -> Result<(), DbError> {
    let old =
        resources::table.find((workspace_id, kind, id)).filter(resources::version.eq(to_column(expected)?));
    let deleted = diesel::delete(old).execute(conn)?;
    expect_one(conn, deleted, workspace_id, kind, id, expected)
}

fn expect_one(
    conn: &mut DbConnection,
    changed: usize,
    workspace_id: i64,
    kind: &str,
    id: &str,
    expected: u64,
) -> Result<(), DbError> {
    if changed == 1 {
        return Ok(());
    }
    let found: Option<i64> = resources::table
        .find((workspace_id, kind, id))
        .select(resources::version)
        .get_result(conn)
        .optional()?;
    Err(mismatch(kind, id, format!("version {expected}"), found))
}

fn filtered<'a>(workspace_id: i64, filter: &'a ResourceFilter) -> resources::BoxedQuery<'a, MultiBackend> {
    let mut query = resources::table
        .filter(resources::workspace_id.eq(workspace_id))
        .filter(resources::kind.eq(filter.kind.as_str()))
        .into_boxed();
    if let Some(parent) = &filter.parent {
        query = query.filter(resources::parent.eq(parent.as_str()));
    }
    if let Some(from) = filter.from {
        query = query.filter(resources::at.ge(from.0));
    }
    if let Some(until) = filter.until {
        query = query.filter(resources::at.lt(until.0));
    }
    query
}

fn place_taken(row: &ResourceRow) -> String {
    let parent = match (&row.parent_kind, &row.parent) {
        (Some(kind), Some(id)) => format!(", in {kind} {id}"),
        _ => String::new(),
    };
    format!("{} {} (already exists, or its parent no longer exists{parent})", row.kind, row.id)
}

fn columns(workspace_id: i64, row: &ResourceRow) -> Result<ResourceColumns<'_>, DbError> {
    Ok(ResourceColumns {
        workspace_id,
        kind: &row.kind,
        id: &row.id,
        parent_kind: row.parent_kind.as_deref(),
        parent: row.parent.as_deref(),
        name: &row.name,
        at: row.at.map(|at| at.0),
        version: to_column(row.version)?,
        body: &row.body,
        created_at: row.created_at.0,
        updated_at: row.updated_at.0,
    })
}

fn row(stored: StoredResource) -> Result<ResourceRow, DbError> {
    let version =
        from_column(stored.version, || format!("resources, {} {}, version", stored.kind, stored.id))?;
    Ok(ResourceRow {
        version,
        kind: stored.kind,
        id: stored.id,
        parent: stored.parent,
        parent_kind: stored.parent_kind,
        name: stored.name,
        at: stored.at.map(Timestamp),
        body: stored.body,
        created_at: Timestamp(stored.created_at),
        updated_at: Timestamp(stored.updated_at),
    })
}
