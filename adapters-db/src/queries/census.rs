//! Counts over the sessions and their calls: of one workspace, or of all.

use diesel::dsl::{count_star, min, sql};
use diesel::prelude::*;
use diesel::sql_types::Bool;
use entracte_application::ports::Census;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::numbers::from_column;
use crate::schema::{calls, sessions};

/// Conditions as literals, so that the partial indexes serve them.
const WAITS: &str = "sessions.rank = 0";
const IS_UNDECIDED: &str = "calls.state = 'waiting_decision'";
const IS_UNKNOWN: &str = "calls.state = 'unknown'";

/// How the sessions stand: four statements, each by an index, however many sessions there are.
pub(crate) fn take(conn: &mut DbConnection, workspace: Option<&WorkspaceKey>) -> Result<Census, DbError> {
    let of = match workspace {
        Some(key) => match super::workspaces::number(conn, key)? {
            Some(number) => Some(number),
            None => return Ok(Census::default()),
        },
        None => None,
    };
    let mut phases =
        sessions::table.group_by(sessions::phase).select((sessions::phase, count_star())).into_boxed();
    let mut waits =
        sessions::table.filter(sql::<Bool>(WAITS)).select(min(sessions::last_activity)).into_boxed();
    let mut approvals = calls::table
        .inner_join(sessions::table)
        .filter(sql::<Bool>(WAITS))
        .filter(sql::<Bool>(IS_UNDECIDED))
        .select(count_star())
        .into_boxed();
    let mut unknown = calls::table.filter(sql::<Bool>(IS_UNKNOWN)).select(count_star()).into_boxed();
    if let Some(number) = of {
        phases = phases.filter(sessions::workspace_id.eq(number));
        waits = waits.filter(sessions::workspace_id.eq(number));
        approvals = approvals.filter(sessions::workspace_id.eq(number));
        unknown = unknown.filter(calls::workspace_id.eq(number));
    }
    let counted = |number: i64| from_column(number, || "a count of the census".to_owned());
    let phases: Vec<(String, i64)> = phases.load(conn)?;
    let since: Option<i64> = waits.get_result(conn)?;
    Ok(Census {
        phases: phases
            .into_iter()
            .map(|(phase, sessions)| Ok((phase, counted(sessions)?)))
            .collect::<Result<_, DbError>>()?,
        waits_since: since.map(Timestamp),
        approvals_open: counted(approvals.get_result(conn)?)?,
        unknown_outcomes: counted(unknown.get_result(conn)?)?,
    })
}
