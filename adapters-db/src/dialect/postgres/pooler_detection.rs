//! Detects a pooler that shares a server connection between clients after each transaction. Behind such a pooler a
//! session lock passes to the next client, so several processes could own one database.

use diesel::connection::SimpleConnection;
use diesel::deserialize::QueryableByName;
use diesel::prelude::*;
use diesel::result::Error;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Nullable, Text};

/// First half of the probe lock: “entp”. The second is the id of the server process that took it.
const LOCK_CLASS: i32 = 0x656e_7470;

/// Number of transactions on the second connection. A round-robin pooler assigns it the first connection's server
/// process in the second round.
const ROUNDS: usize = 2;

/// Messages for a client whose prepared statement or transaction went to another connection.
const SAID_BY_POOLERS: [&str; 2] = ["prepared statement \"", "statement pooling mode"];

/// The server process of a connection. Its start is compared too, because process ids repeat on other servers and after
/// restarts.
#[derive(Debug, PartialEq, Eq, QueryableByName)]
struct BackendProcess {
    #[diesel(sql_type = BigInt)]
    pid: i64,
    #[diesel(sql_type = Text)]
    since: String,
}

#[derive(QueryableByName)]
struct PoolerLockHolderRow {
    #[diesel(sql_type = Nullable<BigInt>)]
    pid: Option<i64>,
}

const SERVER_PROCESS: &str = "SELECT pg_backend_pid()::bigint AS pid, coalesce((SELECT backend_start::text
    FROM pg_stat_activity WHERE pid = pg_backend_pid()), '') AS since";

/// Whether `first` has a server process of its own. `connect` opens another connection to the same location. Neither is
/// configured: behind a pooler the settings would affect other clients.
///
/// # Errors
/// The message of the server or pooler; [`is_pooler_message`] recognizes a pooler's.
pub(super) fn has_own_process(
    first: &mut PgConnection,
    connect: impl Fn() -> ConnectionResult<PgConnection>,
) -> Result<bool, String> {
    let own = match first.transaction(take_lock) {
        Ok(own) => own,
        Err(error) if is_closed(&error) && refuses_transactions(&connect) => return Ok(false),
        Err(error) => return Err(error.to_string()),
    };
    let mut second = match connect() {
        Ok(second) => second,
        Err(error) => return is_full(first, &error).map(|is_full| !is_full),
    };
    let outcome = compare(first, &mut second, &own).map_err(|error| error.to_string());
    // Released on both, so that no lock is left even behind a pooler.
    for conn in [first, &mut second] {
        let freed = conn.transaction(|conn| free_lock(conn, &own));
        if let Err(error) = freed {
            tracing::debug!(%error, "the lock that tells a pooler could not be given back");
        }
    }
    outcome
}

/// Whether the message is from a pooler.
pub(super) fn is_pooler_message(says: &str) -> bool {
    SAID_BY_POOLERS.iter().any(|words| says.contains(words))
}

/// Whether a BEGIN ends the connection, as in a pooler's statement mode, whose message is lost with the connection.
fn refuses_transactions(connect: &impl Fn() -> ConnectionResult<PgConnection>) -> bool {
    let Ok(mut conn) = connect() else { return false };
    conn.batch_execute("SELECT 1").is_ok()
        && conn.batch_execute("BEGIN").is_err_and(|error| is_closed(&error))
}

fn is_closed(error: &impl ToString) -> bool {
    error.to_string().contains(CLOSED)
}

/// libpq's message for a connection closed by the server.
const CLOSED: &str = "closed the connection unexpectedly";

/// Whether the server closed the second connection because it has room for one client only. A server that shuts down
/// closes the first as well.
fn is_full(first: &mut PgConnection, refused: &ConnectionError) -> Result<bool, String> {
    match is_closed(refused) && first.batch_execute("BEGIN; ROLLBACK").is_ok() {
        true => Ok(true),
        false => Err(refused.to_string()),
    }
}

fn compare(first: &mut PgConnection, second: &mut PgConnection, own: &BackendProcess) -> QueryResult<bool> {
    for _ in 0..ROUNDS {
        let is_own = second.transaction(|second| {
            // Checked first: if both share a process, the first connection would wait for the end of this transaction.
            if process(second)? == *own {
                return Ok(false);
            }
            first.transaction(|first| {
                Ok::<_, Error>(process(first)? == *own && holder(first, own)? == Some(own.pid))
            })
        })?;
        if !is_own {
            return Ok(false);
        }
    }
    Ok(true)
}

fn process(conn: &mut PgConnection) -> QueryResult<BackendProcess> {
    sql_query(SERVER_PROCESS).get_result(conn)
}

fn take_lock(conn: &mut PgConnection) -> QueryResult<BackendProcess> {
    let own = process(conn)?;
    conn.batch_execute(&format!("SELECT pg_try_advisory_lock({LOCK_CLASS}, {})", own.pid))?;
    Ok(own)
}

/// The server process that holds the lock.
fn holder(conn: &mut PgConnection, own: &BackendProcess) -> QueryResult<Option<i64>> {
    let sql = format!(
        "SELECT pid::bigint AS pid FROM pg_locks
         WHERE locktype = 'advisory' AND granted AND classid = {LOCK_CLASS} AND objid = {}
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        own.pid
    );
    Ok(sql_query(sql).get_result::<PoolerLockHolderRow>(conn).optional()?.and_then(|holder| holder.pid))
}

fn free_lock(conn: &mut PgConnection, own: &BackendProcess) -> QueryResult<()> {
    match process(conn)? == *own {
        true => conn.batch_execute(&format!("SELECT pg_advisory_unlock({LOCK_CLASS}, {})", own.pid)),
        false => Ok(()),
    }
}
