//! Databases of a Postgres server, one for each test. The server is started by `.ci/postgres`, as `.ci/test` does.
//!
//! Without a server, tests that need one print so and test nothing, unless `ENTRACTE_TEST_POSTGRES_REQUIRED` is set:
//! then they fail.

#![expect(clippy::expect_used, clippy::panic, clippy::print_stderr, reason = "these are tests, in a library")]

use std::sync::atomic::{AtomicU32, Ordering};

use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection, RunQueryDsl};
use entracte_adapters_db::{Database, DatabaseOptions};

use crate::contracts::StoreFixture;

/// The variable with the URL of the server, as `.ci/postgres start` prints it.
pub const SERVER: &str = "ENTRACTE_TEST_POSTGRES";

/// The variable that makes a missing server a failure.
pub const REQUIRED: &str = "ENTRACTE_TEST_POSTGRES_REQUIRED";

/// An empty database; dropped with this value, even while it is used.
#[derive(Debug)]
pub struct TestDatabase {
    server: String,
    name: String,
}

impl TestDatabase {
    /// Creates a database; without a server prints so and returns `None`.
    pub fn make() -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let Some(server) = variable(SERVER) else {
            assert!(variable(REQUIRED).is_none(), "{SERVER} is not set; start a server: .ci/postgres start");
            eprintln!("NOT TESTED on Postgres: {SERVER} is not set; start a server: .ci/postgres start");
            return None;
        };
        let name = format!("test_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let database = Self { server, name };
        // Leftovers of a killed test under this number.
        database.drop_it();
        database.run_on_server(&format!("CREATE DATABASE {}", database.name));
        Some(database)
    }

    /// Its URL.
    pub fn url(&self) -> String {
        self.server.replacen("/postgres?", &format!("/{}?", self.name), 1)
    }

    /// Runs SQL in it.
    pub fn run(&self, sql: &str) {
        connect(&self.url()).batch_execute(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// Ends every connection to it, as a server that goes down does, and waits until they are closed.
    pub fn close_all_connections(&self) {
        self.run_on_server(&format!(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{}'",
            self.name
        ));
    }

    /// Ends the connections that a `pg_sleep` holds; returns whether there was any.
    pub fn close_sleeping_connections(&self) -> bool {
        #[derive(diesel::QueryableByName)]
        struct EndedConnectionsRow {
            #[diesel(sql_type = diesel::sql_types::BigInt)]
            ended: i64,
        }
        let sql = format!(
            "SELECT count(pg_terminate_backend(pid, 10000)) AS ended FROM pg_stat_activity
             WHERE datname = '{}' AND state = 'active' AND wait_event = 'PgSleep'",
            self.name
        );
        let asked = diesel::sql_query(sql).get_result::<EndedConnectionsRow>(&mut connect(&self.server));
        asked.expect("the server answers").ended > 0
    }

    /// Takes the advisory lock of a connection, like another process that waited for it: the server ends that
    /// connection, and its owner reconnects too late to get the lock. Dropping the returned value releases the lock.
    pub fn take_lock(&self) -> StolenAdvisoryLock {
        let lock: AdvisoryLockRow = diesel::sql_query(HELD_LOCK)
            .get_result(&mut connect(&self.url()))
            .expect("one connection has a lock");
        let wait = format!("SELECT pg_advisory_lock({}, {})", lock.class, lock.object);
        let waiter = std::thread::spawn({
            let url = self.url();
            move || {
                let mut conn = connect(&url);
                conn.batch_execute(&wait).expect("the lock is given");
                StolenAdvisoryLock { _conn: conn }
            }
        });
        // A lock with a waiter is granted to no one else.
        while self.waiters() == 0 {
            std::thread::yield_now();
        }
        self.run(&format!("SELECT pg_terminate_backend({}, 10000)", lock.pid));
        waiter.join().expect("the lock is given")
    }

    /// Begins a transaction with this SQL, as another process does, and leaves it open.
    pub fn begin(&self, sql: &str) -> OpenTransaction {
        let mut conn = connect(&self.url());
        conn.batch_execute(&format!("BEGIN; {sql}")).unwrap_or_else(|error| panic!("{sql}: {error}"));
        OpenTransaction { conn }
    }

    /// Waits until a statement waits for the lock of a row.
    pub async fn wait_for_blocked_statement(&self) {
        let sql = "SELECT count(*) AS waiting FROM pg_stat_activity
                   WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let mut conn = connect(&self.url());
        loop {
            let found: LockWaitersRow =
                diesel::sql_query(sql).get_result(&mut conn).expect("the server answers");
            if found.waiting > 0 {
                return;
            }
            tokio::task::yield_now().await;
        }
    }

    fn waiters(&self) -> i64 {
        let sql = "SELECT count(*) AS waiting FROM pg_locks
                   WHERE locktype = 'advisory' AND NOT granted
                     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
        let found: LockWaitersRow =
            diesel::sql_query(sql).get_result(&mut connect(&self.url())).expect("the server answers");
        found.waiting
    }

    /// Opens it as Entracte does.
    pub fn open(&self) -> Database {
        Database::open(&self.url(), DatabaseOptions::default()).expect("the database opens")
    }

    fn run_on_server(&self, sql: &str) {
        connect(&self.server).batch_execute(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    fn drop_it(&self) {
        self.run_on_server(&format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name));
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        self.drop_it();
    }
}

/// A transaction that a test began. Dropping it undoes it.
pub struct OpenTransaction {
    conn: PgConnection,
}

impl OpenTransaction {
    /// Commits it.
    pub fn commit(mut self) {
        self.conn.batch_execute("COMMIT").unwrap_or_else(|error| panic!("COMMIT: {error}"));
    }
}

/// An advisory lock of a server that a test holds.
pub struct StolenAdvisoryLock {
    _conn: PgConnection,
}

const HELD_LOCK: &str =
    "SELECT classid::bigint AS class, objid::bigint AS object, pid::bigint AS pid FROM pg_locks
    WHERE locktype = 'advisory' AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

#[derive(diesel::QueryableByName)]
struct AdvisoryLockRow {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    class: i64,
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    object: i64,
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    pid: i64,
}

#[derive(diesel::QueryableByName)]
struct LockWaitersRow {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    waiting: i64,
}

/// The stores of a new Postgres database; `None` without a server.
pub fn stores() -> Option<StoreFixture> {
    let made = TestDatabase::make()?;
    Some(stores_of_database(&made.open(), Box::new(made)))
}

/// The stores of an open database.
pub fn stores_of_database(database: &Database, keep: Box<dyn std::any::Any + Send + Sync>) -> StoreFixture {
    StoreFixture {
        store: database.store(),
        log: database.log_reader(),
        resources: database.resource_reader(),
        mail: database.mail_store(),
        automations: database.automation_reader(),
        tasks: database.task_reader(),
        ownership: database.ownership(),
        keep,
    }
}

/// Whether tests have a server.
pub fn is_there() -> bool {
    variable(SERVER).is_some()
}

fn connect(url: &str) -> PgConnection {
    PgConnection::establish(url)
        .unwrap_or_else(|error| panic!("the server for tests cannot be reached: {error}"))
}

fn variable(name: &str) -> Option<String> {
    let value = std::env::vars_os().find(|(found, _)| found == name)?.1;
    value.into_string().ok().filter(|value| !value.is_empty())
}
