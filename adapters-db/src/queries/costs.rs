//! Queries on `costs`: attempts of model calls.

use diesel::backend::Backend;
use diesel::dsl::{max, min};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, HasSqlType, Nullable, Text};
use entracte_application::ports::{AttemptCostRow, AttemptReservation};
use entracte_domain::id::RoundAttempt;
use entracte_domain::usage::Usage;

use super::session_rows::{SessionIdentity, SessionRowKey};
use crate::connection::{DbConnection, on_either};
use crate::db_error::DbError;
use crate::dialect::{FIRST_PERSON, HOLD_COLUMNS, REPLY_CHANGES, RESERVED, UNCERTAIN, USAGE_COLUMNS};
use crate::prepared_statements::NamedQuery;
use crate::schema::{costs, sessions, uncounted_sessions};

/// The largest stored count of tokens of one attempt, and the largest stored cost in millionths of a dollar: a million
/// attempts with the largest numbers can be summed.
const COUNT_MAX: u64 = 1_000_000_000_000;

/// The attempts of a session.
macro_rules! of_session {
    ($session:expr) => {
        costs::table
            .filter(costs::workspace_id.eq($session.workspace_id))
            .filter(costs::session_id.eq($session.session_id))
    };
}

/// The columns of an attempt, except the numbers of its session and workspace.
pub(crate) struct AttemptCostColumns<'a> {
    pub(crate) round: i64,
    pub(crate) attempt: i64,
    pub(crate) at: i64,
    pub(crate) automation: Option<&'a str>,
    pub(crate) provider: &'a str,
    pub(crate) model: &'a str,
    pub(crate) person: &'a str,
    pub(crate) commands: &'a str,
    /// In the order of [`USAGE_COLUMNS`].
    pub(crate) usage: [i64; USAGE_COLUMNS.len()],
    /// In the order of [`HOLD_COLUMNS`], of a new attempt.
    pub(crate) hold: [i64; HOLD_COLUMNS.len()],
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
        person: &row.person,
        commands: &row.commands,
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
        hold: hold_columns(row),
    }
}

/// What a new attempt reserves.
fn hold_columns(row: &AttemptCostRow) -> [i64; HOLD_COLUMNS.len()] {
    let Some(AttemptReservation { amount, .. }) = row.reservation else { return [0; HOLD_COLUMNS.len()] };
    let (micros, rest) = amount.cost.to_micros().unwrap_or((COUNT_MAX, 0));
    let count = |number: u64| number.min(COUNT_MAX).cast_signed();
    [RESERVED, count(amount.tokens), count(micros), i64::from(rest)]
}

/// Inserts an attempt with the person of its session's first one, or updates what the reply of a stored one brought.
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
             commands, person, input, cache_read, cache_write, output, unknown_attempts, micros, rest, priced, \
             hold, held_tokens, held_micros, held_rest) VALUES (",
        );
        for number in
            [&session.workspace_id, &session.session_id, &columns.round, &columns.attempt, &columns.at]
        {
            out.push_bind_param::<BigInt, _>(number)?;
            out.push_sql(", ");
        }
        out.push_bind_param::<Nullable<Text>, _>(&columns.automation)?;
        for text in [columns.provider, columns.model, columns.commands] {
            out.push_sql(", ");
            out.push_bind_param::<Text, _>(text)?;
        }
        let [of_workspace, of_session, first] = FIRST_PERSON;
        out.push_sql(", coalesce(");
        out.push_sql(of_workspace);
        out.push_bind_param::<BigInt, _>(&session.workspace_id)?;
        out.push_sql(of_session);
        out.push_bind_param::<BigInt, _>(&session.session_id)?;
        out.push_sql(first);
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(columns.person)?;
        out.push_sql(")");
        for number in columns.usage.iter().chain(&columns.hold) {
            out.push_sql(", ");
            out.push_bind_param::<BigInt, _>(number)?;
        }
        out.push_sql(") ON CONFLICT (workspace_id, session_id, round, attempt) DO UPDATE SET ");
        out.push_sql(REPLY_CHANGES);
        Ok(())
    }
}

/// Writes an attempt; a stored one takes over what its reply brought only.
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
    let stored = of_session!(session)
        .filter(costs::round.eq(i64::from(number.round)))
        .filter(costs::attempt.eq(i64::from(number.attempt)));
    diesel::delete(stored).execute(conn)?;
    Ok(())
}

/// Deletes the attempts of a session that reserved nothing. The log does not have what the others reserved, nor the attempts
/// of summaries that were stopped.
pub(crate) fn delete_without_reservation(
    conn: &mut DbConnection,
    session: SessionRowKey,
) -> Result<(), DbError> {
    diesel::delete(of_session!(session).filter(costs::hold.eq(0))).execute(conn)?;
    Ok(())
}

/// Deletes the attempts of a session.
pub(crate) fn delete_for_session(conn: &mut DbConnection, session: SessionRowKey) -> Result<(), DbError> {
    diesel::delete(of_session!(session)).execute(conn)?;
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
    let last = of_session!(session)
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
    // Nobody will tell the usage of an attempt that was under way.
    let under_way = of_session.filter(costs::round.le(through)).filter(costs::hold.eq(RESERVED));
    diesel::update(under_way).set(costs::hold.eq(UNCERTAIN)).execute(conn)?;
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

/// Sessions whose attempts nobody has tried to add up yet, at most `limit`.
pub(crate) fn untried(conn: &mut DbConnection, limit: i64) -> Result<Vec<SessionIdentity>, DbError> {
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
