//! Queries on `instructions`: versioned instructions of people to models.

use diesel::dsl::max;
use diesel::prelude::*;
use entracte_application::instructions::{InstructionScope, InstructionSource, InstructionVersion};
use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::Timestamp;

use crate::column_numbers::{from_column, to_column};
use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::schema::instructions;

type InstructionColumns = (i64, String, String, String, String, i64);

const COLUMNS: (
    instructions::version,
    instructions::text,
    instructions::digest,
    instructions::author,
    instructions::source,
    instructions::at,
) = (
    instructions::version,
    instructions::text,
    instructions::digest,
    instructions::author,
    instructions::source,
    instructions::at,
);

/// Inserts a version and deletes all but the `keep` latest of its scope; 0 keeps all. A version that does not follow
/// the latest is a conflict.
pub(crate) fn insert_version(
    conn: &mut DbConnection,
    workspace_id: i64,
    row: &InstructionVersion,
    keep: u32,
) -> Result<(), DbError> {
    let of_scope = instructions::table
        .filter(instructions::workspace_id.eq(workspace_id))
        .filter(instructions::scope.eq(row.scope.kind()))
        .filter(instructions::target.eq(row.scope.target()));
    let latest: Option<i64> = of_scope.select(max(instructions::version)).get_result(conn)?;
    let (latest, version) = (latest.unwrap_or(0), to_column(row.version)?);
    if latest.checked_add(1) != Some(version) {
        let scope = row.scope.name();
        return Err(DbError::Conflict(format!("instructions of {scope} (version {version} after {latest})")));
    }
    diesel::insert_into(instructions::table)
        .values((
            instructions::workspace_id.eq(workspace_id),
            instructions::scope.eq(row.scope.kind()),
            instructions::target.eq(row.scope.target()),
            instructions::version.eq(version),
            instructions::text.eq(&row.text),
            instructions::digest.eq(row.digest.as_str()),
            instructions::author.eq(&row.author),
            instructions::source.eq(row.source.text()),
            instructions::at.eq(row.at.0),
        ))
        .execute(conn)?;
    if keep > 0 {
        let old = of_scope.filter(instructions::version.le(version.saturating_sub(i64::from(keep))));
        diesel::delete(old).execute(conn)?;
    }
    Ok(())
}

/// Deletes the instructions of a scope that no longer exists.
pub(crate) fn delete_for_scope(
    conn: &mut DbConnection,
    workspace_id: i64,
    scope: &InstructionScope,
) -> Result<(), DbError> {
    let of_scope = instructions::table
        .filter(instructions::workspace_id.eq(workspace_id))
        .filter(instructions::scope.eq(scope.kind()))
        .filter(instructions::target.eq(scope.target()));
    diesel::delete(of_scope).execute(conn)?;
    Ok(())
}

/// The latest version of each of these scopes, in their order.
pub(crate) fn latest(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    scopes: &[InstructionScope],
) -> Result<Vec<InstructionVersion>, DbError> {
    let mut found = Vec::with_capacity(scopes.len());
    for scope in scopes {
        found.extend(versions(conn, workspace, scope, None, 1)?);
    }
    Ok(found)
}

/// The versions of a scope before a version (`None`: all), latest first, at most `limit`.
pub(crate) fn versions(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    scope: &InstructionScope,
    before: Option<u64>,
    limit: u32,
) -> Result<Vec<InstructionVersion>, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, workspace)? else { return Ok(Vec::new()) };
    let before = before.map_or(i64::MAX, |before| i64::try_from(before).unwrap_or(i64::MAX));
    let rows: Vec<InstructionColumns> = instructions::table
        .filter(instructions::workspace_id.eq(workspace_id))
        .filter(instructions::scope.eq(scope.kind()))
        .filter(instructions::target.eq(scope.target()))
        .filter(instructions::version.lt(before))
        .order(instructions::version.desc())
        .limit(i64::from(limit))
        .select(COLUMNS)
        .load(conn)?;
    rows.into_iter().map(|columns| row(scope, columns)).collect()
}

fn row(
    scope: &InstructionScope,
    (version, text, digest, author, source, at): InstructionColumns,
) -> Result<InstructionVersion, DbError> {
    let place = |column: &str| format!("instructions of {}, version {version}: {column}", scope.name());
    let source = InstructionSource::read(&source)
        .ok_or_else(|| DbError::Damaged(format!("{} “{source}” is not known", place("source"))))?;
    Ok(InstructionVersion {
        scope: scope.clone(),
        version: from_column(version, || place("version"))?,
        text,
        digest: Digest::new(digest),
        author,
        source,
        at: Timestamp(at),
    })
}
