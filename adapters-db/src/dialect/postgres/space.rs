//! The space that a database takes.

use diesel::connection::SimpleConnection;
use diesel::deserialize::QueryableByName;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::BigInt;
use entracte_application::ports::ReclaimedSpace;

#[derive(QueryableByName)]
struct PostgresSizeRow {
    #[diesel(sql_type = BigInt)]
    size: i64,
}

/// See [`super::super::size`].
pub(crate) fn size(conn: &mut PgConnection) -> QueryResult<i64> {
    let query = "SELECT pg_database_size(current_database()) AS size";
    sql_query(query).get_result::<PostgresSizeRow>(conn).map(|row| row.size)
}

/// See [`super::super::reclaim_everything`]. Outside of any transaction; readers and writers continue.
pub(crate) fn reclaim_everything(conn: &mut PgConnection) -> QueryResult<ReclaimedSpace> {
    let before = size(conn)?;
    // This connection does nothing else, and a large table takes longer than any statement of a session may.
    conn.batch_execute("SET statement_timeout = 0")?;
    for table in ["log", "calls", "sessions", "costs", "changes", "deletions", "instructions", "tasks"] {
        conn.batch_execute(&format!("VACUUM {table}"))?;
    }
    Ok(ReclaimedSpace { bytes: (before - size(conn)?).max(0).unsigned_abs(), is_more: false })
}
