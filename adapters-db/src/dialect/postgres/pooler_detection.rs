//! Tells a server from a pooler that gives the server's connection to somebody else after each transaction. Through such a pooler a
//! lock of the session belongs to whoever comes next, so several processes would own one database.

use diesel::connection::SimpleConnection;
use diesel::deserialize::QueryableByName;
use diesel::prelude::*;
use diesel::result::Error;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Nullable, Text};

/// First half of the lock that is looked for: “entp”. The second is the number of the server process that took it.
const LOCK_CLASS: i32 = 0x656e_7470;

/// How often the second connection begins a transaction. A pooler that hands out its connections in turn gives it the one of the
/// first connection at the second time.
const ROUNDS: usize = 2;

/// What a server or a pooler says to a client whose prepared statement or transaction went to another connection.
const SAID_BY_POOLERS: [&str; 2] = ["prepared statement \"", "statement pooling mode"];

/// The server process of a connection. Its start is compared too: two servers, or one after a restart, may give one number twice.
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

/// Whether `first` is a connection to a server process of its own. `connect` opens another one, to the same place. Nothing is
/// set on either: behind a pooler it would stay for others.
///
/// # Errors
/// What the server or the pooler said; [`is_pooler_message`] knows the words of a pooler.
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
    // Where it is: also behind a pooler no lock is left.
    for conn in [first, &mut second] {
        let freed = conn.transaction(|conn| free_lock(conn, &own));
        if let Err(error) = freed {
            tracing::debug!(%error, "the lock that tells a pooler could not be given back");
        }
    }
    outcome
}

/// Whether these are words of a pooler.
pub(super) fn is_pooler_message(says: &str) -> bool {
    SAID_BY_POOLERS.iter().any(|words| says.contains(words))
}

/// A pooler that changes the connection at each statement ends it at a BEGIN, and its reason is lost with the connection.
fn refuses_transactions(connect: &impl Fn() -> ConnectionResult<PgConnection>) -> bool {
    let Ok(mut conn) = connect() else { return false };
    conn.batch_execute("SELECT 1").is_ok()
        && conn.batch_execute("BEGIN").is_err_and(|error| is_closed(&error))
}

fn is_closed(error: &impl ToString) -> bool {
    error.to_string().contains(CLOSED)
}

/// What libpq says of a connection that the other end closed.
const CLOSED: &str = "closed the connection unexpectedly";

/// A server with room for one client closes the second connection without a word; one that ends closes the first as well.
fn is_full(first: &mut PgConnection, refused: &ConnectionError) -> Result<bool, String> {
    match is_closed(refused) && first.batch_execute("BEGIN; ROLLBACK").is_ok() {
        true => Ok(true),
        false => Err(refused.to_string()),
    }
}

fn compare(first: &mut PgConnection, second: &mut PgConnection, own: &BackendProcess) -> QueryResult<bool> {
    for _ in 0..ROUNDS {
        let is_own = second.transaction(|second| {
            // Asked first: where both have one process, the first one would wait for the end of this transaction.
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

/// The server process that has the lock.
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
