//! Reads the replication status of a Postgres server, and its timeline.

use diesel::deserialize::QueryableByName;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Bool, Nullable, Text};

use crate::dialect::server::{ReplicaStatus, ReplicationStatus, ServerTimeline};

#[derive(QueryableByName)]
struct ReplicationSettingsRow {
    #[diesel(sql_type = Bool)]
    is_standby: bool,
    #[diesel(sql_type = Text)]
    waits_for: String,
    #[diesel(sql_type = Text)]
    commits: String,
}

#[derive(QueryableByName)]
struct ReplicaRow {
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    sync_state: Option<String>,
}

/// Reads the [`ReplicationStatus`].
pub(crate) fn replication(conn: &mut PgConnection) -> QueryResult<ReplicationStatus> {
    let settings: ReplicationSettingsRow = sql_query(
        "SELECT pg_is_in_recovery() AS is_standby, current_setting('synchronous_standby_names') AS waits_for,
                current_setting('synchronous_commit') AS commits",
    )
    .get_result(conn)?;
    let replicas: Vec<ReplicaRow> = sql_query(
        "SELECT application_name AS name, sync_state FROM pg_stat_replication
         WHERE state IS DISTINCT FROM 'backup' ORDER BY application_name, pid",
    )
    .load(conn)?;
    let replica =
        |row: ReplicaRow| ReplicaStatus { name: row.name.unwrap_or_default(), sync_state: row.sync_state };
    Ok(ReplicationStatus {
        is_standby: settings.is_standby,
        waits_for: settings.waits_for,
        commits: settings.commits,
        replicas: replicas.into_iter().map(replica).collect(),
    })
}

/// The timeline of this connection's server; `None` if it is unavailable or not visible to this role.
pub(crate) fn timeline(conn: &mut PgConnection) -> Option<ServerTimeline> {
    let sql = "SELECT system_identifier::text AS system,
            ('x' || lpad(substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), 16, '0'))::bit(64)::bigint AS number
        FROM pg_control_system() WHERE NOT pg_is_in_recovery()";
    match sql_query(sql).get_result(conn).optional() {
        Ok(found) => found,
        Err(error) => {
            tracing::debug!(%error, "the timeline of the server cannot be read; a failover goes unnoticed");
            None
        }
    }
}
