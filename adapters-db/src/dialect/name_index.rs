//! The index of the names of sessions, by groups of three characters.

use crate::connection::{DbConnection, built_in};

/// The group under which the names are found that may match although they lack the groups of the text; see the migration
/// `session_names`.
#[cfg(feature = "sqlite")]
const ALWAYS_FOUND: &str = "***";

/// The statement that reads the sessions of the index, before, between and after its values: the
/// [query](name_index_query), and the maximum number of sessions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameIndexSql {
    pub(crate) before: &'static str,
    pub(crate) between: &'static str,
    pub(crate) after: &'static str,
}

/// Reads the sessions of the index, of all workspaces.
pub(crate) fn name_index_sql(conn: &DbConnection) -> NameIndexSql {
    built_in!(match conn {
        // CROSS JOIN fixes the join order: the few sessions of the index first.
        DbConnection::Sqlite(_) => NameIndexSql {
            before: "(SELECT rowid AS session_id FROM session_name_index WHERE session_name_index MATCH ",
            between: " LIMIT ",
            after: ") AS found CROSS JOIN sessions USING (session_id)",
        },
        DbConnection::Postgres(_) => NameIndexSql {
            before: "(SELECT session_id FROM session_names WHERE trigrams @> string_to_array(",
            between: ", chr(31)) OR trigrams @> ARRAY['***'] LIMIT ",
            after: ") AS found JOIN sessions USING (session_id)",
        },
    })
}

/// The query for the names that have all these groups of visible characters of ASCII, at least one.
pub(crate) fn name_index_query(conn: &DbConnection, groups: &[String]) -> String {
    built_in!(match conn {
        DbConnection::Sqlite(_) => sqlite_query(groups),
        DbConnection::Postgres(_) => groups.join("\u{1f}"),
    })
}

#[cfg(feature = "sqlite")]
fn sqlite_query(groups: &[String]) -> String {
    let quoted = |group: &String| format!("\"{}\"", group.replace('"', "\"\""));
    let groups: Vec<String> = groups.iter().map(quoted).collect();
    format!("({}) OR \"{ALWAYS_FOUND}\"", groups.join(" AND "))
}
