//! Queries on `costs`: attempts of model calls, and sums of them.

use diesel::backend::Backend;
use diesel::dsl::{max, min};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, HasSqlType, Nullable, Text};
use entracte_application::ports::{
    AttemptCostRow, CostCursor, CostFilter, CostPage, CostSum, CostSumBy, CostSumKey, QUARTER_HOUR,
};
use entracte_domain::dollars::Dollars;
use entracte_domain::id::{RoundAttempt, SessionId};
use entracte_domain::time::Timestamp;
use entracte_domain::usage::Usage;

use super::session_rows::SessionRowKey;
use crate::column_numbers::from_column;
use crate::connection::{DbConnection, on_either};
use crate::db_error::DbError;
use crate::dialect::{self, USAGE_CHANGES, USAGE_COLUMNS};
use crate::prepared_statements::NamedQuery;
use crate::schema::{costs, sessions, uncounted_sessions};

/// The largest stored count of tokens of one attempt, and the largest stored cost in millionths of a dollar: a million
/// attempts with the largest numbers can be summed.
const COUNT_MAX: u64 = 1_000_000_000_000;

/// The columns of an attempt, except the numbers of its session and workspace.
pub(crate) struct AttemptCostColumns<'a> {
    pub(crate) round: i64,
    pub(crate) attempt: i64,
    pub(crate) at: i64,
    pub(crate) automation: Option<&'a str>,
    pub(crate) provider: &'a str,
    pub(crate) model: &'a str,
    /// In the order of [`USAGE_COLUMNS`].
    pub(crate) usage: [i64; USAGE_COLUMNS.len()],
}

/// The columns of a row.
pub(crate) fn columns(row: &AttemptCostRow) -> AttemptCostColumns<'_> {
    let Usage { input, cache_read, cache_write, output, unknown_attempts, cost, priced } = row.usage;
    let count = |number: u64| number.min(COUNT_MAX).cast_signed();
    let (micros, rest) = cost.to_micros().unwrap_or((COUNT_MAX, 0));
    AttemptCostColumns {
        round: i64::from(row.number.round),
        attempt: i64::from(row.number.attempt),
        at: row.at.0,
        automation: row.automation.as_deref(),
        provider: &row.provider,
        model: &row.model,
        usage: [
            count(input),
            count(cache_read),
            count(cache_write),
            count(output),
            i64::from(unknown_attempts),
            count(micros),
            i64::from(rest),
            count(priced),
        ],
    }
}

/// Inserts an attempt, or updates the usage of a stored one.
struct AttemptCostUpsert<'a> {
    session: SessionRowKey,
    columns: AttemptCostColumns<'a>,
}

impl<DB> QueryFragment<DB> for AttemptCostUpsert<'_>
where
    DB: Backend + HasSqlType<BigInt> + HasSqlType<Text>,
    i64: ToSql<BigInt, DB>,
    str: ToSql<Text, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        let Self { session, columns } = self;
        out.push_sql(
            "INSERT INTO costs (workspace_id, session_id, round, attempt, at, automation, provider, model, \
             input, cache_read, cache_write, output, unknown_attempts, micros, rest, priced) VALUES (",
        );
        for number in
            [&session.workspace_id, &session.session_id, &columns.round, &columns.attempt, &columns.at]
        {
            out.push_bind_param::<BigInt, _>(number)?;
            out.push_sql(", ");
        }
        out.push_bind_param::<Nullable<Text>, _>(&columns.automation)?;
        for text in [columns.provider, columns.model] {
            out.push_sql(", ");
            out.push_bind_param::<Text, _>(text)?;
        }
        for number in &columns.usage {
            out.push_sql(", ");
            out.push_bind_param::<BigInt, _>(number)?;
        }
        out.push_sql(") ON CONFLICT (workspace_id, session_id, round, attempt) DO UPDATE SET ");
        out.push_sql(USAGE_CHANGES);
        Ok(())
    }
}

/// Writes an attempt; a stored one takes over the usage only.
pub(crate) fn put(
    conn: &mut DbConnection,
    session: SessionRowKey,
    row: &AttemptCostRow,
) -> Result<(), DbError> {
    struct AttemptCostUpsertName;
    let upsert = AttemptCostUpsert { session, columns: columns(row) };
    let upsert = NamedQuery::new(AttemptCostUpsertName, upsert);
    on_either!(conn => upsert.execute(conn))?;
    Ok(())
}

/// Deletes an attempt, if it is stored.
pub(crate) fn delete(
    conn: &mut DbConnection,
    session: SessionRowKey,
    number: RoundAttempt,
) -> Result<(), DbError> {
    let of_session = costs::table
        .filter(costs::workspace_id.eq(session.workspace_id))
        .filter(costs::session_id.eq(session.session_id));
    let stored = of_session
        .filter(costs::round.eq(i64::from(number.round)))
        .filter(costs::attempt.eq(i64::from(number.attempt)));
    diesel::delete(stored).execute(conn)?;
    Ok(())
}

/// Deletes the attempts of a session.
pub(crate) fn delete_for_session(conn: &mut DbConnection, session: SessionRowKey) -> Result<(), DbError> {
    let of_session = costs::table
        .filter(costs::workspace_id.eq(session.workspace_id))
        .filter(costs::session_id.eq(session.session_id));
    diesel::delete(of_session).execute(conn)?;
    Ok(())
}

/// The number of sessions in `costs` that are gone while their attempts stay among the sums. No session has it.
const GONE_SESSIONS: i64 = -1;

/// Detaches the attempts of a session that goes: they stay among the sums, as further rounds of the sessions that are
/// gone.
pub(crate) fn detach_session(conn: &mut DbConnection, session: SessionRowKey) -> Result<(), DbError> {
    detach_rounds(conn, session, i64::MAX)
}

/// Detaches the first attempts of a session that goes later, so many and the others of the last one's round.
pub(crate) fn detach_first(
    conn: &mut DbConnection,
    session: SessionRowKey,
    attempts: u32,
) -> Result<(), DbError> {
    let of_session = costs::table
        .filter(costs::workspace_id.eq(session.workspace_id))
        .filter(costs::session_id.eq(session.session_id));
    let last = of_session
        .order(costs::round.asc())
        .limit(1)
        .offset(i64::from(attempts.saturating_sub(1)))
        .select(costs::round);
    let last: Option<i64> = last.get_result(conn).optional()?;
    detach_rounds(conn, session, last.unwrap_or(i64::MAX))
}

fn detach_rounds(conn: &mut DbConnection, session: SessionRowKey, through: i64) -> Result<(), DbError> {
    let here = costs::table.filter(costs::workspace_id.eq(session.workspace_id));
    let last = here.filter(costs::session_id.eq(GONE_SESSIONS)).select(max(costs::round));
    let last: Option<i64> = last.get_result(conn)?;
    let of_session = here.filter(costs::session_id.eq(session.session_id));
    let first: Option<i64> = of_session.select(min(costs::round)).get_result(conn)?;
    let Some(first) = first else { return Ok(()) };
    let free = last.map_or(0, |last| last + 1);
    diesel::update(of_session.filter(costs::round.le(through)))
        .set((costs::session_id.eq(GONE_SESSIONS), costs::round.eq(costs::round + (free - first))))
        .execute(conn)?;
    Ok(())
}

/// The number of sessions of a workspace whose attempts could not be added up.
pub(crate) fn uncounted(conn: &mut DbConnection, workspace_id: i64) -> Result<i64, DbError> {
    let of = uncounted_sessions::table.filter(uncounted_sessions::workspace_id.eq(workspace_id));
    Ok(of.count().get_result(conn)?)
}

/// A session whose attempts are to be added up.
#[derive(Clone, Debug, Queryable)]
pub(crate) struct UncountedSession {
    pub(crate) session_id: i64,
    pub(crate) workspace_id: i64,
    pub(crate) id: String,
}

/// Sessions whose attempts nobody has tried to add up yet, at most `limit`.
pub(crate) fn untried(conn: &mut DbConnection, limit: i64) -> Result<Vec<UncountedSession>, DbError> {
    let query = uncounted_sessions::table
        .inner_join(sessions::table)
        .filter(uncounted_sessions::tried.eq(false))
        .order(uncounted_sessions::session_id)
        .limit(limit)
        .select((uncounted_sessions::session_id, uncounted_sessions::workspace_id, sessions::id));
    Ok(query.load(conn)?)
}

/// The number of sessions that [`untried`] lists.
pub(crate) fn count_untried(conn: &mut DbConnection) -> Result<i64, DbError> {
    let untried = uncounted_sessions::table.filter(uncounted_sessions::tried.eq(false));
    Ok(untried.count().get_result(conn)?)
}

/// Whether [`untried`] lists any session.
pub(crate) fn has_untried(conn: &mut DbConnection) -> Result<bool, DbError> {
    let untried = uncounted_sessions::table.filter(uncounted_sessions::tried.eq(false));
    let first = untried.select(uncounted_sessions::session_id).limit(1);
    Ok(first.get_result::<i64>(conn).optional()?.is_some())
}

/// Marks every session as one whose attempts are to be added up.
pub(crate) fn begin_recount(conn: &mut DbConnection) -> Result<(), DbError> {
    diesel::delete(uncounted_sessions::table).execute(conn)?;
    let all = sessions::table.select((sessions::session_id, sessions::workspace_id));
    let columns = (uncounted_sessions::session_id, uncounted_sessions::workspace_id);
    diesel::insert_into(uncounted_sessions::table).values(all).into_columns(columns).execute(conn)?;
    Ok(())
}

/// Ends the adding up of a session's attempts.
pub(crate) fn end_count(conn: &mut DbConnection, session_id: i64, is_counted: bool) -> Result<(), DbError> {
    let row = uncounted_sessions::table.find(session_id);
    match is_counted {
        true => diesel::delete(row).execute(conn)?,
        false => diesel::update(row).set(uncounted_sessions::tried.eq(true)).execute(conn)?,
    };
    Ok(())
}

/// A stored sum: the numbers and texts of its key, the name of its session, and the sums in the order of
/// [`USAGE_COLUMNS`].
type StoredSum =
    ((i64, i64, i64, String, String, Option<String>, i64), (i64, i64, i64, i64, i64, i64, i64, i64));

/// The key columns of sums as expressions over `costs`: three numbers and two texts, of which each is constant where
/// the key has no such part.
#[derive(Clone, Copy)]
struct SumKeyColumns {
    numbers: [&'static str; 3],
    texts: [&'static str; 2],
}

const NO_NUMBER: &str = "CAST(0 AS BIGINT)";
const NO_TEXT: &str = "CAST('' AS TEXT)";

impl SumKeyColumns {
    const fn of(by: CostSumBy) -> Self {
        const NUMBERS: [&str; 3] = [NO_NUMBER; 3];
        const TEXTS: [&str; 2] = [NO_TEXT; 2];
        let (numbers, texts) = match by {
            CostSumBy::Everything => (NUMBERS, TEXTS),
            CostSumBy::Attempt => (["session_id", "round", "attempt"], TEXTS),
            CostSumBy::Round => (["session_id", "round", NO_NUMBER], TEXTS),
            CostSumBy::Session => (["session_id", NO_NUMBER, NO_NUMBER], TEXTS),
            CostSumBy::Tree => (NUMBERS, ["id", NO_TEXT]),
            CostSumBy::Automation => (NUMBERS, ["coalesce(automation, '')", NO_TEXT]),
            CostSumBy::QuarterHour => (["at / 900000000", NO_NUMBER, NO_NUMBER], TEXTS),
            CostSumBy::Model => (NUMBERS, ["provider", "model"]),
            CostSumBy::Provider => (NUMBERS, ["provider", NO_TEXT]),
        };
        Self { numbers, texts }
    }

    /// The expressions that are not constant.
    fn grouped(self) -> Vec<&'static str> {
        let all = self.numbers.into_iter().chain(self.texts);
        all.filter(|column| ![NO_NUMBER, NO_TEXT].contains(column)).collect()
    }
}

/// The key of the last sum of a page.
#[derive(Clone, Debug)]
struct LastSum {
    numbers: Vec<i64>,
    texts: Vec<String>,
}

impl LastSum {
    fn cursor(&self) -> CostCursor {
        let numbers = self.numbers.iter().map(i64::to_string);
        let texts = self.texts.iter().map(|text| data_encoding::BASE64URL_NOPAD.encode(text.as_bytes()));
        CostCursor(numbers.chain(texts).collect::<Vec<_>>().join("."))
    }

    fn parse(by: CostSumBy, cursor: &CostCursor) -> Result<Self, DbError> {
        let wrong = || DbError::Refused("the cursor of the costs was not given for them".to_owned());
        let columns = SumKeyColumns::of(by);
        let count = columns.numbers.iter().filter(|column| **column != NO_NUMBER).count();
        let parts: Vec<&str> = cursor.0.split('.').collect();
        if by == CostSumBy::Everything || parts.len() != columns.grouped().len() {
            return Err(wrong());
        }
        let numbers = parts[..count].iter().map(|part| part.parse().map_err(|_| wrong()));
        let text = |part: &&str| {
            let bytes = data_encoding::BASE64URL_NOPAD.decode(part.as_bytes()).ok()?;
            String::from_utf8(bytes).ok()
        };
        let texts = parts[count..].iter().map(|part| text(part).ok_or_else(wrong));
        Ok(Self { numbers: numbers.collect::<Result<_, _>>()?, texts: texts.collect::<Result<_, _>>()? })
    }
}

/// Reads a page of sums. Its text depends on the filter alone, not on its values.
struct CostSumsStatement {
    workspace_id: i64,
    session_id: Option<i64>,
    since: Option<i64>,
    until: Option<i64>,
    by: CostSumBy,
    after: Option<LastSum>,
    limit: i64,
    /// The function that finds a text in another one.
    position: &'static str,
}

impl QueryId for CostSumsStatement {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for CostSumsStatement {
    type SqlType = (
        (BigInt, BigInt, BigInt, Text, Text, Nullable<Text>, BigInt),
        (BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt),
    );
}

impl<Conn> RunQueryDsl<Conn> for CostSumsStatement {}

impl<DB> QueryFragment<DB> for CostSumsStatement
where
    DB: Backend + HasSqlType<BigInt> + HasSqlType<Text>,
    i64: ToSql<BigInt, DB>,
    String: ToSql<Text, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        let columns = SumKeyColumns::of(self.by);
        let ([n1, n2, n3], [t1, t2]) = (columns.numbers, columns.texts);
        let (grouped, is_tree) = (columns.grouped(), self.by == CostSumBy::Tree);
        // The id of an agent's session begins with that of its root. Sessions that are gone have none.
        let tree = format!("coalesce(substr(s.id, 1, {}(s.id || '-', '-') - 1), '')", self.position);
        let sum = |column: &str| format!("CAST(sum({column}) AS BIGINT) AS {column}");
        let sums: Vec<String> = USAGE_COLUMNS.into_iter().map(sum).collect();
        let sums = sums.join(", ");
        out.push_sql("SELECT c.n1, c.n2, c.n3, ");
        let has_session = matches!(self.by, CostSumBy::Attempt | CostSumBy::Round | CostSumBy::Session);
        out.push_sql(if has_session { "coalesce(s.id, ''), c.t2, s.name" } else { "c.t1, c.t2, s.name" });
        out.push_sql(", c.attempts");
        for column in USAGE_COLUMNS {
            out.push_sql(", c.");
            out.push_sql(column);
        }
        out.push_sql(" FROM (SELECT ");
        if is_tree {
            // Sums of sessions first, so that each session is looked up once.
            out.push_sql(&format!(
                "{n1} AS n1, {n2} AS n2, {n3} AS n3, {tree} AS t1, {t2} AS t2, \
                 CAST(sum(one.attempts) AS BIGINT) AS attempts, {sums} FROM (SELECT session_id, \
                 count(*) AS attempts, {sums}"
            ));
        } else {
            out.push_sql(&format!(
                "{n1} AS n1, {n2} AS n2, {n3} AS n3, {t1} AS t1, {t2} AS t2, count(*) AS attempts, {sums}"
            ));
        }
        out.push_sql(" FROM costs WHERE workspace_id = ");
        out.push_bind_param::<BigInt, _>(&self.workspace_id)?;
        for (sql, value) in [
            (" AND session_id = ", &self.session_id),
            (" AND at >= ", &self.since),
            (" AND at < ", &self.until),
        ] {
            if let Some(value) = value {
                out.push_sql(sql);
                out.push_bind_param::<BigInt, _>(value)?;
            }
        }
        if is_tree {
            out.push_sql(
                " GROUP BY session_id) AS one LEFT JOIN sessions s ON s.session_id = one.session_id",
            );
        }
        let keys = if is_tree { tree } else { grouped.join(", ") };
        if let Some(after) = &self.after {
            out.push_sql(if is_tree { " WHERE (" } else { " AND (" });
            out.push_sql(&keys);
            out.push_sql(") > (");
            let mut separator = "";
            for number in &after.numbers {
                out.push_sql(separator);
                out.push_bind_param::<BigInt, _>(number)?;
                separator = ", ";
            }
            for text in &after.texts {
                out.push_sql(separator);
                out.push_bind_param::<Text, _>(text)?;
                separator = ", ";
            }
            out.push_sql(")");
        }
        match grouped.is_empty() {
            true => out.push_sql(" HAVING count(*) > 0"),
            false => out.push_sql(&format!(" GROUP BY {keys} ORDER BY {keys}")),
        }
        out.push_sql(" LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.limit)?;
        out.push_sql(") AS c LEFT JOIN sessions s ON ");
        out.push_sql(match self.by {
            CostSumBy::Attempt | CostSumBy::Round | CostSumBy::Session => "s.session_id = c.n1",
            CostSumBy::Tree => "s.id = c.t1",
            _ => "s.session_id < 0",
        });
        out.push_sql(" ORDER BY c.n1, c.n2, c.n3, c.t1, c.t2");
        Ok(())
    }
}

/// The numbers of the workspace of sums, and of the one session that their filter names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CostRowsOf {
    pub(crate) workspace_id: i64,
    pub(crate) session_id: Option<i64>,
}

/// A page of sums.
pub(crate) fn sums(
    conn: &mut DbConnection,
    of: CostRowsOf,
    filter: &CostFilter,
) -> Result<CostPage, DbError> {
    let limit = filter.limit.max(1);
    let statement = CostSumsStatement {
        workspace_id: of.workspace_id,
        session_id: of.session_id,
        since: filter.since.map(|at| at.0),
        until: filter.until.map(|at| at.0),
        by: filter.by,
        after: filter.after.as_ref().map(|cursor| LastSum::parse(filter.by, cursor)).transpose()?,
        limit: i64::from(limit) + 1,
        position: dialect::position_function(conn),
    };
    let mut stored: Vec<StoredSum> = on_either!(conn => statement.load(conn))?;
    let is_more = stored.len() > limit as usize;
    stored.truncate(limit as usize);
    let columns = SumKeyColumns::of(filter.by);
    let last = stored.last().filter(|_| is_more).map(|((n1, n2, n3, t1, t2, ..), _)| {
        let used = |column: &str| ![NO_NUMBER, NO_TEXT].contains(&column);
        let numbers = columns.numbers.into_iter().zip([*n1, *n2, *n3]);
        let texts = columns.texts.into_iter().zip([t1, t2]);
        LastSum {
            numbers: numbers.filter(|(column, _)| used(column)).map(|(_, number)| number).collect(),
            texts: texts.filter(|(column, _)| used(column)).map(|(_, text)| text.clone()).collect(),
        }
    });
    let sums = stored.into_iter().map(|stored| sum(filter.by, stored)).collect::<Result<_, _>>()?;
    Ok(CostPage { sums, next: last.map(|last| last.cursor()) })
}

fn sum(by: CostSumBy, stored: StoredSum) -> Result<CostSum, DbError> {
    let ((n1, n2, n3, t1, t2, name, attempts), usage) = stored;
    let place = || "costs, a sum".to_owned();
    let session = || SessionId::new(t1.clone());
    let key = match by {
        CostSumBy::Everything => CostSumKey::Everything,
        CostSumBy::Attempt => {
            let number = RoundAttempt { round: from_column(n2, place)?, attempt: from_column(n3, place)? };
            CostSumKey::Attempt(session(), number)
        }
        CostSumBy::Round => CostSumKey::Round(session(), from_column(n2, place)?),
        CostSumBy::Session => CostSumKey::Session(session()),
        CostSumBy::Tree => CostSumKey::Tree(session()),
        CostSumBy::Automation => CostSumKey::Automation((!t1.is_empty()).then_some(t1)),
        CostSumBy::QuarterHour => {
            CostSumKey::QuarterHour(Timestamp(n1.saturating_mul(QUARTER_HOUR.0 * 1000)))
        }
        CostSumBy::Model => CostSumKey::Model(t1, t2),
        CostSumBy::Provider => CostSumKey::Provider(t1),
    };
    let (input, cache_read, cache_write, output, unknown_attempts, micros, rest, priced) = usage;
    let count = |number: i64| from_column::<u64>(number, place);
    let usage = Usage {
        input: count(input)?,
        cache_read: count(cache_read)?,
        cache_write: count(cache_write)?,
        output: count(output)?,
        unknown_attempts: u32::try_from(unknown_attempts).unwrap_or(u32::MAX),
        cost: Dollars::from_micros(count(micros)?, u128::from(count(rest)?)),
        priced: count(priced)?,
    };
    Ok(CostSum { key, name, attempts: count(attempts)?, usage })
}
