//! Sequences behind the numbers of their tables. Logical replication copies rows but not sequences, so a migrated
//! server would generate existing numbers.

use diesel::connection::SimpleConnection;
use diesel::deserialize::QueryableByName;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};

use crate::dialect::SequenceLag;

/// Query for the columns of this schema that a sequence fills.
const COUNTED: &str = "
SELECT t.relname::text AS table, a.attname::text AS column, s.oid::regclass::text AS sequence
FROM pg_class s
JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = s.oid AND d.refclassid = 'pg_class'::regclass
    AND d.deptype IN ('a', 'i')
JOIN pg_class t ON t.oid = d.refobjid
JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
WHERE s.relkind = 'S' AND t.relnamespace = current_schema()::regnamespace
ORDER BY 1, 2";

#[derive(QueryableByName)]
struct SequenceColumnRow {
    #[diesel(sql_type = Text)]
    table: String,
    #[diesel(sql_type = Text)]
    column: String,
    #[diesel(sql_type = Text)]
    sequence: String,
}

#[derive(QueryableByName)]
struct SequenceStateRow {
    #[diesel(sql_type = BigInt)]
    greatest: i64,
    #[diesel(sql_type = BigInt)]
    next: i64,
}

/// See [`crate::dialect::lagging_sequences`].
pub(crate) fn lagging_sequences(conn: &mut PgConnection) -> QueryResult<Vec<SequenceLag>> {
    Ok(find_lagging_sequences(conn)?.into_iter().map(|(behind, _)| behind).collect())
}

/// See [`crate::dialect::repair_sequences`].
pub(crate) fn repair_sequences(conn: &mut PgConnection) -> QueryResult<Vec<SequenceLag>> {
    conn.build_transaction().read_committed().read_write().run(|conn| {
        super::lift_limits(conn)?;
        let mut mended = Vec::new();
        for (behind, sequence) in find_lagging_sequences(conn)? {
            conn.batch_execute(&format!("SELECT setval('{sequence}', {})", behind.greatest))?;
            mended.push(behind);
        }
        Ok(mended)
    })
}

/// The lagging sequences, with their names.
fn find_lagging_sequences(conn: &mut PgConnection) -> QueryResult<Vec<(SequenceLag, String)>> {
    let mut behind = Vec::new();
    for SequenceColumnRow { table, column, sequence } in sql_query(COUNTED).load::<SequenceColumnRow>(conn)? {
        let sql = format!(
            "SELECT coalesce((SELECT max(\"{column}\") FROM \"{table}\"), 0)::bigint AS greatest,
                    CASE WHEN is_called THEN last_value + 1 ELSE last_value END AS next FROM {sequence}"
        );
        let SequenceStateRow { greatest, next } = sql_query(sql).get_result(conn)?;
        if next <= greatest {
            behind.push((SequenceLag { table, next, greatest }, sequence));
        }
    }
    Ok(behind)
}
