//! Sums of `costs`: what attempts of model calls used and cost, by what they have in common.

use diesel::backend::Backend;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, HasSqlType, Nullable, Text};
use entracte_application::ports::{
    CostCursor, CostFilter, CostInitiator, CostPage, CostSum, CostSumBy, CostSumKey, QUARTER_HOUR,
    ReservationSums,
};
use entracte_domain::dollars::Dollars;
use entracte_domain::id::{RoundAttempt, SessionId};
use entracte_domain::spending::SpendingAmount;
use entracte_domain::time::Timestamp;
use entracte_domain::usage::Usage;

use crate::column_numbers::from_column;
use crate::connection::{DbConnection, on_either};
use crate::db_error::DbError;
use crate::dialect::{self, HOLD_SUMS, USAGE_COLUMNS};
use crate::prepared_statements::query_cached_by_text;

/// A stored sum: the numbers and texts of its key, the name of its session, and the sums in the order of
/// [`USAGE_COLUMNS`] and of [`HOLD_SUMS`].
type StoredSum = (
    (i64, i64, i64, String, String, Option<String>, i64),
    (i64, i64, i64, i64, i64, i64, i64, i64),
    StoredHolds,
);

type StoredHolds = (i64, i64, i64, i64, i64, i64, i64, i64, i64);

/// The names of the sums, in the order of a [`StoredSum`].
fn sum_names() -> impl Iterator<Item = &'static str> {
    USAGE_COLUMNS.into_iter().chain(HOLD_SUMS.map(|(name, _)| name))
}

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
            CostSumBy::Session => (["m.place", "m.n2", NO_NUMBER], TEXTS),
            CostSumBy::Tree => (NUMBERS, ["id", NO_TEXT]),
            CostSumBy::Automation => (NUMBERS, ["coalesce(automation, '')", NO_TEXT]),
            CostSumBy::QuarterHour => (["at / 900000000", NO_NUMBER, NO_NUMBER], TEXTS),
            CostSumBy::Model => (NUMBERS, ["provider", "model"]),
            CostSumBy::Provider => (NUMBERS, ["provider", NO_TEXT]),
            CostSumBy::Initiator => (NUMBERS, ["coalesce(automation, '')", "person"]),
            CostSumBy::CommandSet => (NUMBERS, ["commands", NO_TEXT]),
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
    /// A session whose tree of agents is meant, and what follows the ids of all of it.
    tree: Option<String>,
    tree_end: Option<String>,
    /// An automation, or a person besides automations; an empty name for an unknown one.
    automation: Option<String>,
    person: Option<String>,
    since: Option<i64>,
    until: Option<i64>,
    by: CostSumBy,
    after: Option<LastSum>,
    limit: i64,
    /// The maximum number of sessions with attempts that a page of sums of sessions is made of: one more than `limit`, because
    /// the sums of the first of them may stand on the page before.
    places: i64,
    /// The function that finds a text in another one.
    position: &'static str,
}

query_cached_by_text!(CostSumsStatement => (
    (BigInt, BigInt, BigInt, Text, Text, Nullable<Text>, BigInt),
    (BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt),
    (BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt, BigInt),
));

impl<DB> QueryFragment<DB> for CostSumsStatement
where
    DB: Backend + HasSqlType<BigInt> + HasSqlType<Text>,
    i64: ToSql<BigInt, DB>,
    String: ToSql<Text, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("SELECT c.n1, c.n2, c.n3, ");
        let has_session = matches!(self.by, CostSumBy::Attempt | CostSumBy::Round | CostSumBy::Session);
        out.push_sql(if has_session { "coalesce(s.id, ''), c.t2, s.name" } else { "c.t1, c.t2, s.name" });
        out.push_sql(", c.attempts");
        for column in sum_names() {
            out.push_sql(", c.");
            out.push_sql(column);
        }
        out.push_sql(" FROM (");
        let keyed = self.push_keyed_sums(&mut out)?;
        if let Some(after) = &self.after {
            out.push_sql(" AND (");
            out.push_sql(&keyed);
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
        match keyed.is_empty() {
            true => out.push_sql(" HAVING count(*) > 0"),
            false => out.push_sql(&format!(" GROUP BY {keyed} ORDER BY {keyed}")),
        }
        out.push_sql(" LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.limit)?;
        out.push_sql(") AS c LEFT JOIN sessions s ON ");
        out.push_sql(match self.by {
            CostSumBy::Attempt | CostSumBy::Round => "s.session_id = c.n1",
            CostSumBy::Session => "s.session_id = c.n2",
            CostSumBy::Tree => "s.id = c.t1",
            _ => "s.session_id < 0",
        });
        out.push_sql(" ORDER BY c.n1, c.n2, c.n3, c.t1, c.t2");
        Ok(())
    }
}

/// The session that called the one of an id, whose last two parts are the place of the call.
const CALLER: &str = "rtrim(rtrim(rtrim(rtrim(above.id, replace(above.id, '-', '')), '-'), \
     replace(above.id, '-', '')), '-')";

/// What follows every id of an agent of a session, in the order of ids; the statement has it as a text, too.
const AFTER_AGENTS: char = '.';

impl CostSumsStatement {
    /// The sums with their keys, as far as the condition of their rows; returns the key expressions.
    fn push_keyed_sums<'b, DB>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<String>
    where
        DB: Backend + HasSqlType<BigInt> + HasSqlType<Text>,
        i64: ToSql<BigInt, DB>,
        String: ToSql<Text, DB>,
    {
        let columns = SumKeyColumns::of(self.by);
        let ([n1, n2, n3], [t1, t2]) = (columns.numbers, columns.texts);
        let sum = |(name, of): (&str, &str)| format!("CAST(sum({of}) AS BIGINT) AS {name}");
        let columns_of_rows = USAGE_COLUMNS.map(|name| (name, name)).into_iter().chain(HOLD_SUMS);
        let sums = columns_of_rows.map(sum).collect::<Vec<_>>().join(", ");
        let numbers = format!("{n1} AS n1, {n2} AS n2, {n3} AS n3");
        match self.by {
            CostSumBy::Tree => {
                // The id of an agent's session begins with that of its root. Sessions that are gone have none.
                let tree = format!("coalesce(substr(s.id, 1, {}(s.id || '-', '-') - 1), '')", self.position);
                // Sums of sessions first, so that each session is looked up once.
                let own = format!("SELECT session_id, count(*) AS attempts, {sums}");
                let sums_of_own = sum_names().map(|name| sum((name, name))).collect::<Vec<_>>().join(", ");
                let sums_of_own = format!("CAST(sum(own.attempts) AS BIGINT) AS attempts, {sums_of_own}");
                out.push_sql(&format!(
                    "SELECT {numbers}, {tree} AS t1, {t2} AS t2, {sums_of_own} FROM ({own} FROM costs WHERE "
                ));
                self.push_conditions(out)?;
                out.push_sql(
                    " GROUP BY session_id) AS own LEFT JOIN sessions s ON s.session_id = own.session_id \
                     WHERE 1 = 1",
                );
                return Ok(tree);
            }
            CostSumBy::Session => {
                self.push_members(out)?;
                out.push_sql(&format!(
                    " SELECT {numbers}, {t1} AS t1, {t2} AS t2, count(*) AS attempts, {sums} \
                     FROM members m CROSS JOIN costs WHERE costs.session_id = m.session_id AND "
                ));
                self.push_conditions(out)?;
            }
            CostSumBy::Everything
            | CostSumBy::Attempt
            | CostSumBy::Round
            | CostSumBy::Automation
            | CostSumBy::QuarterHour
            | CostSumBy::Model
            | CostSumBy::Provider
            | CostSumBy::Initiator
            | CostSumBy::CommandSet => {
                out.push_sql(&format!(
                    "SELECT {numbers}, {t1} AS t1, {t2} AS t2, count(*) AS attempts, {sums} FROM costs WHERE "
                ));
                self.push_conditions(out)?;
            }
        }
        Ok(columns.grouped().join(", "))
    }

    /// `members`: the sessions of a page (`n2`), each with itself and with every session of an agent below it (`session_id`).
    /// Its place is its own number if it has attempts itself, else the least number of a session below it that has. So a
    /// page is made of a range of `costs` and of the trees that it touches, whatever the number of all sessions.
    fn push_members<'b, DB>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()>
    where
        DB: Backend + HasSqlType<BigInt> + HasSqlType<Text>,
        i64: ToSql<BigInt, DB>,
        String: ToSql<Text, DB>,
    {
        out.push_sql("WITH RECURSIVE own (place) AS (SELECT DISTINCT costs.session_id FROM costs WHERE ");
        self.push_conditions(out)?;
        if let Some(after) = self.after.as_ref().and_then(|after| after.numbers.first()) {
            out.push_sql(" AND costs.session_id >= ");
            out.push_bind_param::<BigInt, _>(after)?;
        }
        out.push_sql(" ORDER BY costs.session_id LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.places)?;
        out.push_sql(
            "), above (place, id) AS (SELECT own.place, s.id FROM own CROSS JOIN sessions s \
             WHERE s.session_id = own.place UNION ALL SELECT above.place, ",
        );
        out.push_sql(CALLER);
        out.push_sql(" FROM above WHERE above.id LIKE '%-%'");
        if let Some(root) = &self.tree {
            out.push_sql(" AND above.id <> ");
            out.push_bind_param::<Text, _>(root)?;
        }
        out.push_sql(
            "), page (place, n2) AS (SELECT own.place, own.place FROM own UNION ALL \
             SELECT above.place, caller.session_id FROM above CROSS JOIN sessions caller \
             WHERE caller.id = above.id AND caller.session_id <> above.place AND caller.workspace_id = ",
        );
        out.push_bind_param::<BigInt, _>(&self.workspace_id)?;
        out.push_sql(
            " AND NOT EXISTS (SELECT 1 FROM sessions earlier CROSS JOIN costs WHERE earlier.id >= caller.id \
             AND earlier.id < caller.id || '.' AND (earlier.session_id < above.place \
             OR earlier.session_id = caller.session_id) AND costs.session_id = earlier.session_id AND ",
        );
        self.push_conditions(out)?;
        out.push_sql(
            ")), members (place, n2, session_id) AS (SELECT page.place, page.n2, page.n2 FROM page UNION ALL \
             SELECT page.place, page.n2, below.session_id FROM page CROSS JOIN sessions s CROSS JOIN sessions below \
             WHERE s.session_id = page.n2 AND below.id > s.id AND below.id < s.id || '.')",
        );
        Ok(())
    }

    /// The conditions of the filter on a row of `costs`.
    fn push_conditions<'b, DB>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()>
    where
        DB: Backend + HasSqlType<BigInt> + HasSqlType<Text>,
        i64: ToSql<BigInt, DB>,
        String: ToSql<Text, DB>,
    {
        out.push_sql("costs.workspace_id = ");
        out.push_bind_param::<BigInt, _>(&self.workspace_id)?;
        for (sql, value) in [
            (" AND costs.session_id = ", &self.session_id),
            (" AND costs.at >= ", &self.since),
            (" AND costs.at < ", &self.until),
        ] {
            if let Some(value) = value {
                out.push_sql(sql);
                out.push_bind_param::<BigInt, _>(value)?;
            }
        }
        if let Some(automation) = &self.automation {
            out.push_sql(" AND costs.automation = ");
            out.push_bind_param::<Text, _>(automation)?;
        }
        if let Some(person) = &self.person {
            out.push_sql(" AND costs.automation IS NULL AND costs.person = ");
            out.push_bind_param::<Text, _>(person)?;
        }
        if let Some((root, end)) = self.tree.as_ref().zip(self.tree_end.as_ref()) {
            out.push_sql(
                " AND costs.session_id IN (SELECT below.session_id FROM sessions below WHERE below.workspace_id = ",
            );
            out.push_bind_param::<BigInt, _>(&self.workspace_id)?;
            out.push_sql(" AND below.id >= ");
            out.push_bind_param::<Text, _>(root)?;
            out.push_sql(" AND below.id < ");
            out.push_bind_param::<Text, _>(end)?;
            out.push_sql(")");
        }
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
    let (automation, person) = match &filter.initiator {
        None => (None, None),
        Some(CostInitiator::Automation(automation)) => (Some(automation.clone()), None),
        Some(CostInitiator::Person(person)) => (None, Some(person.clone())),
        Some(CostInitiator::Unknown) => (None, Some(String::new())),
    };
    let statement = CostSumsStatement {
        workspace_id: of.workspace_id,
        session_id: of.session_id,
        tree: filter.tree.as_ref().map(SessionId::to_string),
        tree_end: filter.tree.as_ref().map(|root| format!("{root}{AFTER_AGENTS}")),
        automation,
        person,
        since: filter.since.map(|at| at.0),
        until: filter.until.map(|at| at.0),
        by: filter.by,
        after: filter.after.as_ref().map(|cursor| LastSum::parse(filter.by, cursor)).transpose()?,
        limit: i64::from(limit) + 1,
        places: i64::from(limit) + 2,
        position: dialect::position_function(conn),
    };
    let mut stored: Vec<StoredSum> = on_either!(conn => statement.load(conn))?;
    let is_more = stored.len() > limit as usize;
    stored.truncate(limit as usize);
    let columns = SumKeyColumns::of(filter.by);
    let last = stored.last().filter(|_| is_more).map(|((n1, n2, n3, t1, t2, ..), ..)| {
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
    let ((n1, n2, n3, t1, t2, name, attempts), usage, holds) = stored;
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
        CostSumBy::Initiator => CostSumKey::Initiator(match (t1.is_empty(), t2.is_empty()) {
            (false, _) => CostInitiator::Automation(t1),
            (true, false) => CostInitiator::Person(t2),
            (true, true) => CostInitiator::Unknown,
        }),
        CostSumBy::CommandSet => CostSumKey::CommandSet(t1),
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
    Ok(CostSum { key, name, attempts: count(attempts)?, usage, reservations: reservation_sums(holds)? })
}

fn reservation_sums(stored: StoredHolds) -> Result<ReservationSums, DbError> {
    let (
        reserved,
        micros,
        rest,
        uncertain,
        uncertain_micros,
        uncertain_rest,
        overrun,
        over_micros,
        over_rest,
    ) = stored;
    let place = || "costs, a sum of reservations".to_owned();
    let amount = |tokens: i64, micros: i64, rest: i64| -> Result<SpendingAmount, DbError> {
        // A difference of amounts may have a negative rest.
        let (more, rest) = (rest.div_euclid(REST_PER_MICRO), rest.rem_euclid(REST_PER_MICRO));
        let micros = from_column::<u64>(micros.saturating_add(more), place)?;
        let cost = Dollars::from_micros(micros, u128::from(rest.unsigned_abs()));
        Ok(SpendingAmount { tokens: from_column(tokens, place)?, cost })
    };
    Ok(ReservationSums {
        reserved: amount(reserved, micros, rest)?,
        uncertain: amount(uncertain, uncertain_micros, uncertain_rest)?,
        overrun: amount(overrun, over_micros, over_rest)?,
    })
}

/// Units of a rest in a millionth of a dollar.
const REST_PER_MICRO: i64 = 1_000_000;
