//! Options of a database.

use entracte_domain::time::Millis;

use crate::connection::ConnectionTimeouts;

/// The options of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseOptions {
    /// Maximum number of reading connections. Default 4.
    pub readers: u32,
    /// Maximum number of queued write jobs; further callers wait. Default 1024.
    pub queue: usize,
    /// Maximum number of write jobs in one transaction. Default 64.
    pub group: usize,
    /// How long a connection waits for another process's lock. Default 5 s.
    pub busy_timeout: Millis,
    /// How long a server may take to accept a connection, or be silent on one, in whole seconds. Default 10 s. A value
    /// in the URL takes precedence. Without effect on SQLite.
    pub connect_timeout: Millis,
    /// Maximum time of one statement on a server; 0 means no limit. Default 30 s. Without effect on SQLite.
    pub statement_timeout: Millis,
    /// How long to ask a server about a COMMIT whose connection was lost, before its callers get an unknown outcome.
    /// Default 30 s. SQLite is asked once.
    pub commit_lookup: Millis,
    /// Maximum size of a SQLite file, in bytes; 0, the default, means no limit. Beyond it writes that need more space
    /// fail as on a full disk, until rows are deleted. Servers have limits of their own.
    pub max_bytes: u64,
    /// Interval at which a server is asked whether the ownership lock is still held. Default 2 s. A SQLite lock cannot
    /// be lost.
    pub ownership_check: Millis,
    /// How long a transaction may run before a warning is logged and the database counts as not writable; 0 means no
    /// limit. Default 5 s.
    pub commit_warning: Millis,
    /// True if a server may be owned only while each COMMIT waits for a replica. Default false.
    pub require_sync: bool,
    /// How long an owner may still send after it last verified its lock: after a failover a process waits this long
    /// before it sends anything, and a process that stopped in the middle of a commit keeps no lock longer than this.
    /// Default 30 s. Without effect on SQLite.
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
    /// The time-outs of a connection.
    pub(crate) fn timeouts(&self) -> ConnectionTimeouts {
        let (busy, connect) = (self.busy_timeout, self.connect_timeout);
        ConnectionTimeouts { busy, connect, statement: self.statement_timeout, idle: self.lease }
    }
}
