//! Search of sessions by name: an index finds those whose names may contain a text.

use std::collections::BTreeSet;

use diesel::backend::Backend;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, HasSqlType, Text};

use super::session_rows::{LINE_COLUMNS, SessionLineSqlType, StoredSessionLine};
use super::sessions::AFTER_ANY_ID;
use crate::connection::{DbConnection, on_either};
use crate::db_error::DbError;
use crate::dialect::{self, NameIndexSql};
use crate::prepared_statements::query_cached_by_text;
use crate::schema::sessions;

/// Sessions that are read by the index. If more may match, a page in the order of the list is full before many rows of the
/// list are read.
const MOST_FOUND: usize = 2_000;

/// Groups of characters that are looked up; more would hardly leave out other names.
const MOST_GROUPS: usize = 16;

/// Characters of a group.
const GROUP: usize = 3;

/// Reads the sessions of the index.
struct NamedSessionsStatement {
    sql: NameIndexSql,
    query: String,
    limit: i64,
}

query_cached_by_text!(NamedSessionsStatement => SessionLineSqlType);

impl<DB> QueryFragment<DB> for NamedSessionsStatement
where
    DB: Backend + HasSqlType<BigInt> + HasSqlType<Text>,
    i64: ToSql<BigInt, DB>,
    String: ToSql<Text, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("SELECT ");
        out.push_sql(LINE_COLUMNS);
        out.push_sql(" FROM ");
        out.push_sql(self.sql.before);
        out.push_bind_param::<Text, _>(&self.query)?;
        out.push_sql(self.sql.between);
        out.push_bind_param::<BigInt, _>(&self.limit)?;
        out.push_sql(self.sql.after);
        Ok(())
    }
}

/// The sessions of a workspace whose name may contain a text, or whose id begins with it, in no order. `None` if the index
/// cannot leave out enough: the text has no three characters of ASCII beside each other, or too many names have them.
pub(super) fn find(
    conn: &mut DbConnection,
    workspace_id: i64,
    text: &str,
) -> Result<Option<Vec<StoredSessionLine>>, DbError> {
    let groups = groups_of(text);
    if groups.is_empty() {
        return Ok(None);
    }
    let limit = i64::try_from(MOST_FOUND + 1).unwrap_or(i64::MAX);
    let (sql, query) = (dialect::name_index_sql(conn), dialect::name_index_query(conn, &groups));
    let by_name = NamedSessionsStatement { sql, query, limit };
    let mut found: Vec<StoredSessionLine> = on_either!(conn => by_name.load::<StoredSessionLine>(conn))?;
    if found.len() > MOST_FOUND {
        return Ok(None);
    }
    // No id contains NUL, which a server refuses in a statement.
    let first = text.replace('\0', "");
    let beyond = format!("{first}{AFTER_ANY_ID}");
    let by_id: Vec<StoredSessionLine> = on_either!(conn => {
        sessions::table
            .filter(sessions::id.ge(&first))
            .filter(sessions::id.lt(&beyond))
            .order(sessions::id)
            .limit(limit)
            .select(StoredSessionLine::as_select())
            .load(conn)?
    });
    if by_id.len() > MOST_FOUND {
        return Ok(None);
    }
    found.extend(by_id);
    found.retain(|line| line.workspace_id == workspace_id);
    Ok(Some(found))
}

/// The groups of visible characters of ASCII in a text, in lower case. A name that contains the text has all of them,
/// whatever the alphabet of its other letters.
fn groups_of(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let is_indexed = |character: char| character == ' ' || character.is_ascii_graphic();
    let mut groups = BTreeSet::new();
    for run in lower.split(|character: char| !is_indexed(character)) {
        groups.extend((GROUP..=run.len()).filter_map(|end| run.get(end - GROUP..end)));
    }
    groups.into_iter().take(MOST_GROUPS).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: texts in several alphabets; expected: the groups of their parts in ASCII, in lower case, each once.
    #[test]
    fn groups_are_of_ascii_in_lower_case() {
        assert_eq!(groups_of("wOOd"), ["ood", "woo"]);
        assert_eq!(groups_of("aaaa"), ["aaa"]);
        assert_eq!(groups_of("Été à la mer"), [" la", " me", "a m", "la ", "mer"]);
        for text in ["", "wo", "éTÉ", "wo\0od", "\u{130}st"] {
            assert_eq!(groups_of(text), Vec::<String>::new(), "{text:?}");
        }
        assert_eq!(groups_of(&('a'..='z').collect::<String>()).len(), MOST_GROUPS);
    }
}
