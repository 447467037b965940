//! Queries of retention: sessions by age, and `retention_marks`.

use diesel::dsl::not;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use entracte_application::ports::{
    LatestEndedQuery, RestingSessionFilter, RestingState, RetentionMarkKind, RetentionMarkRow, SessionRow,
};
use entracte_domain::time::Timestamp;

use super::session_rows::{StoredSession, row};
use crate::column_numbers::to_column;
use crate::connection::{DbConnection, on_either};
use crate::db_error::DbError;
use crate::dialect;
use crate::prepared_statements::static_sql;
use crate::schema::{retention_marks, sessions, workspaces};

/// Literal conditions, so that the partial indexes of sessions at rest are used.
const fn state_condition(state: RestingState) -> &'static str {
    match state {
        RestingState::Ended => "rank = 2",
        RestingState::EndedUnseen => "rank = 0 AND standing = 'ended'",
        RestingState::Open => "rank = 1",
    }
}

/// Whether something is still to be removed from a session. One that went on has further results, also if it has ended
/// since; ledger rows go only once it has ended, all of them.
const fn mark_condition(kind: RetentionMarkKind) -> &'static str {
    match kind {
        RetentionMarkKind::Results => {
            "NOT EXISTS (SELECT 1 FROM retention_marks m WHERE m.session_id = sessions.session_id \
             AND m.kind = 'results' AND m.through >= sessions.sequence)"
        }
        RetentionMarkKind::Ledger => {
            "NOT EXISTS (SELECT 1 FROM retention_marks m WHERE m.session_id = sessions.session_id \
             AND m.kind = 'ledger')"
        }
    }
}

/// Sessions of a workspace by age.
pub(crate) fn resting(
    conn: &mut DbConnection,
    filter: &RestingSessionFilter,
) -> Result<Vec<SessionRow>, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, &filter.workspace)? else {
        return Ok(Vec::new());
    };
    let rested = dialect::idle_session_columns(conn);
    let found: Vec<StoredSession> = on_either!(conn => {
        let mut query = sessions::table
            .inner_join(workspaces::table)
            .filter(sessions::workspace_id.eq(workspace_id))
            .filter(not(sessions::working))
            .filter(static_sql::<Bool>(state_condition(filter.state)))
            .filter(rested.last_activity().lt(filter.before.0))
            .order((rested.last_activity().asc(), sessions::id.asc()))
            .limit(i64::from(filter.limit))
            .select(StoredSession::as_select())
            .into_boxed();
        if let Some((at, id)) = &filter.after {
            let is_later = rested.last_activity().gt(at.0).or(sessions::id.gt(id.as_str()));
            query = query.filter(rested.last_activity().ge(at.0)).filter(is_later.assume_not_null());
        }
        if let Some(kind) = filter.without {
            query = query.filter(static_sql::<Bool>(mark_condition(kind)));
        }
        query.load(conn)?
    });
    found.into_iter().map(row).collect()
}

/// When the ended session of a kind at a place among the latest received its last input.
pub(crate) fn latest_ended(
    conn: &mut DbConnection,
    query: &LatestEndedQuery,
) -> Result<Option<Timestamp>, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, &query.workspace)? else { return Ok(None) };
    let rested = dialect::idle_session_columns(conn);
    let mut at: Vec<i64> = Vec::new();
    for state in [RestingState::Ended, RestingState::EndedUnseen] {
        let found: Vec<i64> = on_either!(conn => {
            sessions::table
                .filter(sessions::workspace_id.eq(workspace_id))
                .filter(not(sessions::working))
                .filter(static_sql::<Bool>(state_condition(state)))
                .filter(sessions::kind.eq(query.kind.word()))
                .order(rested.last_activity().desc())
                .limit(i64::from(query.place))
                .select(sessions::last_activity)
                .load(conn)?
        });
        at.extend(found);
    }
    at.sort_unstable_by(|one, other| other.cmp(one));
    Ok((query.place as usize).checked_sub(1).and_then(|place| at.get(place)).copied().map(Timestamp))
}

/// Writes a mark; a stored one of the session and kind is replaced.
pub(crate) fn put_mark(
    conn: &mut DbConnection,
    session_id: i64,
    mark: &RetentionMarkRow,
) -> Result<(), DbError> {
    let through = to_column(mark.through)?;
    let stored = retention_marks::table.find((session_id, mark.kind.word()));
    if diesel::update(stored).set(retention_marks::through.eq(through)).execute(conn)? == 0 {
        diesel::insert_into(retention_marks::table)
            .values((
                retention_marks::session_id.eq(session_id),
                retention_marks::kind.eq(mark.kind.word()),
                retention_marks::through.eq(through),
            ))
            .execute(conn)?;
    }
    Ok(())
}
