//! Replication status of a Postgres server, and its timeline.

use diesel::deserialize::QueryableByName;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};

/// The replication status of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplicationStatus {
    /// True if the server is a standby, which replays another server's writes and accepts none itself.
    pub is_standby: bool,
    /// `synchronous_standby_names`: the replicas a COMMIT waits for; empty if it waits for none.
    pub waits_for: String,
    /// `synchronous_commit` for this database and role.
    pub commits: String,
    /// Connected replicas.
    pub replicas: Vec<ReplicaStatus>,
}

/// A replica connected to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicaStatus {
    /// `application_name`; empty if this role may not see it.
    pub name: String,
    /// `sync_state`: `async`, `potential`, `sync` or `quorum`; `None` if this role may not see it.
    pub sync_state: Option<String>,
}

impl ReplicationStatus {
    /// Whether a COMMIT is answered only after a replica has it.
    pub fn is_synchronous(&self) -> bool {
        // Entracte raises `off` to `on` for its own writes.
        self.commits != "local" && !self.waits_for.trim().is_empty() && self.may_have_synchronous_replica()
    }

    /// Whether a replica may be synchronous: a role without `pg_monitor` sees replicas, but not their kind.
    fn may_have_synchronous_replica(&self) -> bool {
        self.replicas.iter().any(|replica| {
            replica.sync_state.as_deref().is_none_or(|state| matches!(state, "sync" | "quorum"))
        })
    }
}

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

/// The timeline of a server's writes: promoting a replica begins a new one.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub(crate) struct ServerTimeline {
    /// Identifies the cluster: a copy of the rows in another cluster is not a failover.
    #[diesel(sql_type = Text)]
    system: String,
    #[diesel(sql_type = BigInt)]
    number: i64,
}

impl ServerTimeline {
    /// The stored form `SYSTEM:NUMBER`.
    pub(crate) fn to_stored_text(&self) -> String {
        format!("{}:{}", self.system, self.number)
    }

    /// Parses the stored form; `None` if it is invalid.
    pub(crate) fn from_stored_text(stored: &str) -> Option<Self> {
        let (system, number) = stored.split_once(':')?;
        Some(Self { system: system.to_owned(), number: number.parse().ok()? })
    }

    /// Whether a replica was promoted between `old` and this timeline.
    pub(crate) fn follows(&self, old: &Self) -> bool {
        self.system == old.system && self.number != old.number
    }
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
