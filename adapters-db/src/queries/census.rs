//! Counts of sessions and their calls: of one workspace, or of all.

use std::collections::BTreeMap;

use diesel::dsl::{count_star, min, not};
use diesel::prelude::*;
use diesel::sql_types::Bool;
use entracte_application::ports::SessionStatistics;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use crate::column_numbers::from_column;
use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::dialect;
use crate::prepared_statements::static_sql;
use crate::queries::session_rows::WAITING;
use crate::schema::{calls, sessions};

/// Conditions as literals, so that the partial indexes are used.
const WAITS: &str = "sessions.rank = 0";
const IS_UNDECIDED: &str = "calls.state = 'waiting_decision'";
const IS_UNKNOWN: &str = "calls.state = 'unknown'";

/// Counts sessions by standing with five indexed statements, whatever the number of sessions. Rows are only read for
/// working sessions. Run it in a snapshot.
pub(crate) fn load_census(
    conn: &mut DbConnection,
    workspace: Option<&WorkspaceKey>,
) -> Result<SessionStatistics, DbError> {
    let of = match workspace {
        Some(key) => match super::workspaces::number(conn, key)? {
            Some(number) => Some(number),
            None => return Ok(SessionStatistics::default()),
        },
        None => None,
    };
    let rested = dialect::idle_session_columns(conn);
    let mut at_rest = sessions::table
        .filter(not(sessions::working))
        .group_by(rested.phase())
        .select((rested.phase(), count_star()))
        .into_boxed();
    let mut at_work = sessions::table
        .filter(sessions::working)
        .select((sessions::phase, sessions::rank, sessions::last_activity))
        .into_boxed();
    let mut waits = sessions::table
        .filter(static_sql::<Bool>(WAITS))
        .filter(not(sessions::working))
        .select(min(rested.last_activity()))
        .into_boxed();
    let mut approvals = calls::table
        .inner_join(sessions::table)
        .filter(static_sql::<Bool>(WAITS))
        .filter(static_sql::<Bool>(IS_UNDECIDED))
        .select(count_star())
        .into_boxed();
    let mut unknown = calls::table.filter(static_sql::<Bool>(IS_UNKNOWN)).select(count_star()).into_boxed();
    if let Some(number) = of {
        at_rest = at_rest.filter(sessions::workspace_id.eq(number));
        at_work = at_work.filter(sessions::workspace_id.eq(number));
        waits = waits.filter(sessions::workspace_id.eq(number));
        approvals = approvals.filter(sessions::workspace_id.eq(number));
        unknown = unknown.filter(calls::workspace_id.eq(number));
    }
    let counted = |number: i64| from_column(number, || "a count of the census".to_owned());
    let mut phases = BTreeMap::new();
    for (phase, sessions) in at_rest.load::<(String, i64)>(conn)? {
        phases.insert(phase, counted(sessions)?);
    }
    let mut since: Option<i64> = waits.get_result(conn)?;
    for (phase, rank, last_activity) in at_work.load::<(String, i32, i64)>(conn)? {
        *phases.entry(phase).or_default() += 1;
        let waits = (rank == WAITING).then_some(last_activity);
        since = since.into_iter().chain(waits).min();
    }
    Ok(SessionStatistics {
        phases,
        waits_since: since.map(Timestamp),
        approvals_open: counted(approvals.get_result(conn)?)?,
        unknown_outcomes: counted(unknown.get_result(conn)?)?,
    })
}
