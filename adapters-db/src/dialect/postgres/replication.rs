//! What a server says of its replicas, and which history it is on.

use diesel::deserialize::QueryableByName;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};

/// What a server says of its replication.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplicationStatus {
    /// It replays what another server writes, and takes no writes itself.
    pub is_standby: bool,
    /// `synchronous_standby_names`: the replicas that a COMMIT waits for; empty when it waits for none.
    pub waits_for: String,
    /// `synchronous_commit`, as the server has it for this database and role.
    pub commits: String,
    /// The replicas that are connected.
    pub replicas: Vec<ReplicaStatus>,
}

/// A replica that is connected to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicaStatus {
    /// `application_name`; empty when this role may not see it.
    pub name: String,
    /// `sync_state`: `async`, `potential`, `sync` or `quorum`; `None` when this role may not see it.
    pub sync_state: Option<String>,
}

impl ReplicationStatus {
    /// Whether a COMMIT is answered only after a replica has it too.
    pub fn is_synchronous(&self) -> bool {
        // Entracte raises `off` to `on` for what it writes.
        self.commits != "local" && !self.waits_for.trim().is_empty() && self.may_have_synchronous_replica()
    }

    /// A role without `pg_monitor` sees that there are replicas, and not of which kind.
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

/// See [`ReplicationStatus`].
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

/// The history of writes that a server continues: a replica that is promoted begins another one.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub(crate) struct ServerTimeline {
    /// Which cluster it is: a copy of its rows elsewhere is no failover.
    #[diesel(sql_type = Text)]
    system: String,
    #[diesel(sql_type = BigInt)]
    number: i64,
}

impl ServerTimeline {
    /// As it is stored: `SYSTEM:NUMBER`.
    pub(crate) fn to_stored_text(&self) -> String {
        format!("{}:{}", self.system, self.number)
    }

    /// What was stored; `None` when it cannot be read.
    pub(crate) fn from_stored_text(stored: &str) -> Option<Self> {
        let (system, number) = stored.split_once(':')?;
        Some(Self { system: system.to_owned(), number: number.parse().ok()? })
    }

    /// Whether a replica was promoted between `old` and this.
    pub(crate) fn follows(&self, old: &Self) -> bool {
        self.system == old.system && self.number != old.number
    }
}

/// The history that the server of this connection writes; `None` for one that writes none, or does not say it to this role.
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
