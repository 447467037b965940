//! How a database is used.

use entracte_domain::time::Millis;

use crate::connection::ConnectionTimeouts;

/// How a database is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseOptions {
    /// Connections that read, at most. 4.
    pub readers: u32,
    /// Commits that may wait for the writer; more make their callers wait. 1024.
    pub queue: usize,
    /// Commits that share one transaction, at most. 64.
    pub group: usize,
    /// How long a connection waits for a lock of another process. 5 s.
    pub busy_timeout: Millis,
    /// How long a server may take to accept a connection, or to be silent on one, in whole seconds. 10 s. What the
    /// URL says wins. SQLite has no server.
    pub connect_timeout: Millis,
    /// How long a server may work on one statement; 0 means no limit. 30 s. SQLite has no such limit.
    pub statement_timeout: Millis,
    /// How long a server that was lost in the middle of a COMMIT is asked again what became of it, before the callers
    /// are told that the outcome is unknown. 30 s. SQLite is asked once.
    pub commit_lookup: Millis,
    /// What a file of SQLite may grow to, in bytes; 0, the default, means no limit. Beyond it nothing that needs more room
    /// is written, as on a full disk, until something is deleted. A server has limits of its own.
    pub max_bytes: u64,
    /// How often the server is asked whether the right to the database is still held. 2 s. For SQLite it cannot be
    /// lost.
    pub ownership_check: Millis,
    /// How long a transaction may be under way before the log warns of it and the database counts as one that cannot be
    /// written; 0 means no limit. 5 s.
    pub commit_warning: Millis,
    /// Whether a server is owned only while each COMMIT waits for a replica too. No.
    pub require_sync: bool,
    /// How long an owner may still send after it saw its right last: after a failover a process waits for so long before it
    /// sends anything. 30 s. SQLite has no replica.
    pub lease: Millis,
}

impl Default for DatabaseOptions {
    fn default() -> Self {
        Self {
            readers: 4,
            queue: 1024,
            group: 64,
            busy_timeout: Millis::seconds(5),
            connect_timeout: Millis::seconds(10),
            statement_timeout: Millis::seconds(30),
            commit_lookup: Millis::seconds(30),
            max_bytes: 0,
            ownership_check: Millis::seconds(2),
            commit_warning: Millis::seconds(5),
            require_sync: false,
            lease: Millis::seconds(30),
        }
    }
}

impl DatabaseOptions {
    /// How long to wait.
    pub(crate) fn timeouts(&self) -> ConnectionTimeouts {
        let (busy, connect) = (self.busy_timeout, self.connect_timeout);
        ConnectionTimeouts { busy, connect, statement: self.statement_timeout }
    }
}
