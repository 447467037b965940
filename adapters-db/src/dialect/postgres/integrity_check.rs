//! Integrity check of a Postgres database. The server enforces constraints; the check reads every byte and searches
//! rows that violate foreign keys nevertheless.

use diesel::connection::SimpleConnection;
use diesel::deserialize::QueryableByName;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};

/// Query for the foreign keys of the schema, each as the query for rows that violate it.
const ORPHANS: &str = "
SELECT k.conrelid::regclass::text AS child, k.confrelid::regclass::text AS parent,
       format('SELECT count(*) AS rows FROM %s c WHERE %s AND NOT EXISTS (SELECT 1 FROM %s p WHERE %s)',
              k.conrelid::regclass, string_agg(format('c.%I IS NOT NULL', ca.attname), ' AND '),
              k.confrelid::regclass, string_agg(format('p.%I = c.%I', pa.attname, ca.attname), ' AND ')) AS question
FROM pg_constraint k
CROSS JOIN LATERAL unnest(k.conkey, k.confkey) AS pair (child, parent)
JOIN pg_attribute ca ON ca.attrelid = k.conrelid AND ca.attnum = pair.child
JOIN pg_attribute pa ON pa.attrelid = k.confrelid AND pa.attnum = pair.parent
WHERE k.contype = 'f' AND k.connamespace = current_schema()::regnamespace
GROUP BY k.oid, k.conrelid, k.confrelid
ORDER BY k.conrelid::regclass::text, k.conname";

#[derive(QueryableByName)]
struct ForeignKey {
    #[diesel(sql_type = Text)]
    child: String,
    #[diesel(sql_type = Text)]
    parent: String,
    #[diesel(sql_type = Text)]
    question: String,
}

#[derive(QueryableByName)]
struct RowCountRow {
    #[diesel(sql_type = BigInt)]
    rows: i64,
}

/// Rows of each table that a sample reads.
const SAMPLED_ROWS: u32 = 1_000;

/// See [`super::super::check_sample`]. Reads some rows of each table.
pub(crate) fn check_sample(conn: &mut PgConnection) -> QueryResult<Vec<String>> {
    let mut faults = Vec::new();
    for table in super::tables(conn)? {
        let some = format!("SELECT * FROM \"{table}\" LIMIT {SAMPLED_ROWS}");
        let read = format!("SELECT count(md5(t::text)) AS rows FROM ({some}) t");
        if let Err(error) = sql_query(read).get_result::<RowCountRow>(conn) {
            faults.push(format!("{table} cannot be read: {error}"));
        }
    }
    Ok(faults)
}

/// See [`super::super::check`].
pub(crate) fn check(conn: &mut PgConnection) -> QueryResult<Vec<String>> {
    // No time limit, because the duration depends on the amount of data.
    conn.batch_execute(&super::set_limits_off(false))?;
    let mut faults = Vec::new();
    for table in super::tables(conn)? {
        // The hash covers the whole row, so that out-of-page values are read too.
        let read = format!("SELECT count(md5(t::text)) AS rows FROM \"{table}\" t");
        if let Err(error) = sql_query(read).get_result::<RowCountRow>(conn) {
            faults.push(format!("{table} cannot be read: {error}"));
        }
    }
    for key in sql_query(ORPHANS).load::<ForeignKey>(conn)? {
        let found: RowCountRow = sql_query(&key.question).get_result(conn)?;
        let (child, parent) = (key.child, key.parent);
        match found.rows {
            0 => {}
            1 => faults.push(format!("1 row of {child} refers to a missing row of {parent}")),
            rows => faults.push(format!("{rows} rows of {child} refer to missing rows of {parent}")),
        }
    }
    Ok(faults)
}
