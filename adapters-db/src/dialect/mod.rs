//! What the databases do not have in common. Each function here picks the dialect of the connection and does
//! nothing else; adding a database means one more file and one more arm each.

pub(crate) mod sqlite;

use diesel::QueryResult;

use crate::connection::DbConnection;
use crate::queries::calls::StoredState;

/// Begins the transaction of a group, ready to write at once: one that reads first and writes later can lose
/// its turn.
pub(crate) fn begin(conn: &mut DbConnection) -> QueryResult<()> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::begin(conn),
    }
}

/// Inserts or changes a call; gives the number of rows, 0 when another call is in its place.
pub(crate) fn put_call(conn: &mut DbConnection, call: &StoredState<'_>) -> QueryResult<usize> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::put_call(conn, call),
    }
}

/// Keeps bytes by their hash, unless they are kept.
pub(crate) fn keep_blob(conn: &mut DbConnection, digest: &str, bytes: &[u8]) -> QueryResult<usize> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::keep_blob(conn, digest, bytes),
    }
}

/// A number that stays the same while no other connection commits; none when the database has no such number.
pub(crate) fn change_mark(conn: &mut DbConnection) -> QueryResult<Option<i64>> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::change_mark(conn).map(Some),
    }
}

/// What is wrong with the database; nothing when it is sound.
pub(crate) fn check(conn: &mut DbConnection) -> QueryResult<Vec<String>> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::check(conn),
    }
}
