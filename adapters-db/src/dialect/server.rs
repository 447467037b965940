//! What is known of a server: its process, its timeline and its replicas.

use diesel::deserialize::QueryableByName;
use diesel::sql_types::{BigInt, Text};

/// The server process of a connection, with its start, because process ids are reused.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub(crate) struct ServerBackend {
    #[diesel(sql_type = BigInt)]
    pub(super) pid: i64,
    #[diesel(sql_type = Text)]
    pub(super) since: String,
}

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
