//! Pages of the list of sessions. Each part of a list is a range of an index in the order of the page, so that a page
//! reads at most its own number of rows from each part. A search reads the rows that the [index of names](session_names)
//! finds, if they are few. A page of waiting sessions with their callers also reads every session that waits.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use diesel::backend::Backend;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, HasSqlType, Text};
use entracte_application::ports::{
    SessionCursor, SessionListRow, SessionPage, SessionPageFilter, SessionPageOf, SessionPageOrder,
};

use entracte_domain::id::SessionId;
use entracte_domain::session::Standing;

use super::session_names;
use super::session_rows::{LINE_COLUMNS, SessionLineSqlType, StoredSessionLine, WAITING, line};
use crate::connection::{DbConnection, on_either};
use crate::db_error::DbError;
use crate::dialect;
use crate::prepared_statements::query_cached_by_text;
use crate::schema::sessions;

/// A part of a list of resting sessions: a condition whose rows one index has in the order of pages. The conditions of
/// partial indexes are literal, because SQLite requires them verbatim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SessionListPart {
    Waiting,
    Asking,
    Unseen,
    Running,
    Ended,
}

impl SessionListPart {
    /// The parts of a list.
    const fn of(list: SessionPageOf) -> &'static [Self] {
        match list {
            SessionPageOf::All => &[Self::Waiting, Self::Running, Self::Ended],
            SessionPageOf::Open => &[Self::Asking, Self::Running],
            SessionPageOf::Waiting => &[Self::Waiting],
            SessionPageOf::Asking | SessionPageOf::AskingWithCallers => &[Self::Asking],
            SessionPageOf::Unseen => &[Self::Unseen],
        }
    }

    /// The index that has the rows of this part and no others, if SQLite would prefer another one.
    const fn own_index(self) -> Option<&'static str> {
        match self {
            Self::Asking => Some("sessions_asking"),
            Self::Unseen => Some("sessions_unseen"),
            Self::Waiting | Self::Running | Self::Ended => None,
        }
    }

    const fn condition(self) -> &'static str {
        match self {
            Self::Waiting => "rank = 0",
            Self::Asking => "rank = 0 AND standing <> 'ended'",
            Self::Unseen => "rank = 0 AND standing = 'ended'",
            Self::Running => "rank = 1",
            Self::Ended => "rank = 2",
        }
    }
}

/// The last row of a page: its latest activity, and its number.
#[derive(Clone, Copy, Debug)]
struct LastSession {
    at: i64,
    session_id: i64,
}

/// Reads the rows of a part after a place, in order.
struct SessionPageStatement {
    workspace_id: i64,
    part: SessionListPart,
    order: SessionPageOrder,
    /// The column with the latest activity of resting sessions.
    at: &'static str,
    after: Option<LastSession>,
    limit: i64,
    /// The index to use, where the database can be told.
    index: Option<&'static str>,
    sought: Option<SoughtText>,
}

/// A text that is sought in names and at the beginning of ids. A database compares names in ASCII; those with other letters
/// are all found, because the caller compares again.
#[derive(Clone, Debug)]
struct SoughtText {
    text: String,
    lower: String,
    /// The function that finds a text in a text, from 1.
    position: &'static str,
    /// The name with the letters of ASCII in lower case.
    name: &'static str,
}

impl SoughtText {
    fn new(conn: &DbConnection, text: &str) -> Self {
        // No id contains NUL, which a server refuses in a statement.
        let (text, lower) = (text.replace('\0', ""), dialect::lower_text(text));
        let (position, name) = (dialect::position_function(conn), dialect::ascii_lower_name(conn));
        Self { text, lower, position, name }
    }
}

query_cached_by_text!(SessionPageStatement => SessionLineSqlType);

impl<DB> QueryFragment<DB> for SessionPageStatement
where
    DB: Backend + HasSqlType<BigInt> + HasSqlType<Text>,
    i64: ToSql<BigInt, DB>,
    String: ToSql<Text, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        let at = self.at;
        out.push_sql("SELECT ");
        out.push_sql(LINE_COLUMNS);
        out.push_sql(" FROM sessions");
        if let Some(index) = self.index {
            out.push_sql(" INDEXED BY ");
            out.push_sql(index);
        }
        out.push_sql(" WHERE workspace_id = ");
        out.push_bind_param::<BigInt, _>(&self.workspace_id)?;
        out.push_sql(" AND ");
        out.push_sql(self.part.condition());
        out.push_sql(" AND NOT working");
        if let Some(SoughtText { text, lower, position, name }) = &self.sought {
            out.push_sql(&format!(" AND ({position}({name}, "));
            out.push_bind_param::<Text, _>(lower)?;
            out.push_sql(&format!(") > 0 OR {} OR {position}(id, ", dialect::NAME_BEYOND_ASCII));
            out.push_bind_param::<Text, _>(text)?;
            out.push_sql(") = 1)");
        }
        let (before, beyond, direction) = match self.order {
            SessionPageOrder::LatestFirst => ("<", ">", ("DESC", "ASC")),
            SessionPageOrder::EarliestFirst => (">", "<", ("ASC", "DESC")),
        };
        if let Some(after) = &self.after {
            // The first condition is the beginning of a range of the index.
            out.push_sql(&format!(" AND {at} {before}= "));
            out.push_bind_param::<BigInt, _>(&after.at)?;
            out.push_sql(&format!(" AND ({at} {before} "));
            out.push_bind_param::<BigInt, _>(&after.at)?;
            out.push_sql(&format!(" OR session_id {beyond} "));
            out.push_bind_param::<BigInt, _>(&after.session_id)?;
            out.push_sql(")");
        }
        out.push_sql(&format!(" ORDER BY {at} {}, session_id {} LIMIT ", direction.0, direction.1));
        out.push_bind_param::<BigInt, _>(&self.limit)
    }
}

/// A page of a workspace's sessions. Several queries; run it in a snapshot.
pub(crate) fn page(conn: &mut DbConnection, filter: &SessionPageFilter) -> Result<SessionPage, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, &filter.workspace)? else {
        return Ok(SessionPage::default());
    };
    let after = filter.after.as_ref().map(parse_cursor).transpose()?;
    let limit = filter.limit.max(1);
    let by_name = match &filter.sought {
        Some(text) => session_names::find(conn, workspace_id, text)?,
        None => None,
    };
    let mut found = match by_name {
        Some(lines) => lines,
        None => load_parts(conn, workspace_id, filter, after)?,
    };
    // Sessions at work are few, and in no index by activity.
    let at_work: Vec<StoredSessionLine> = on_either!(conn => {
        sessions::table
            .filter(sessions::workspace_id.eq(workspace_id))
            .filter(sessions::working)
            .select(StoredSessionLine::as_select())
            .load(conn)?
    });
    let callers = match filter.of {
        SessionPageOf::Waiting | SessionPageOf::AskingWithCallers => {
            callers_of_asking(conn, workspace_id, &at_work)?
        }
        // `All` and `Open` check each row of the page below; `Asking` and `Unseen` ignore agents.
        SessionPageOf::All | SessionPageOf::Open | SessionPageOf::Asking | SessionPageOf::Unseen => {
            BTreeSet::new()
        }
    };
    let above = load_lines(conn, workspace_id, &callers)?;
    let is_after = |stored: &StoredSessionLine| {
        after.is_none_or(|after| compare(filter.order, key(stored), after) == Ordering::Greater)
    };
    found.extend(at_work.into_iter().chain(above));
    found.retain(is_after);
    // A session above an agent may wait itself, or be at work.
    let mut known = BTreeSet::new();
    found.retain(|stored| known.insert(stored.session_id));
    let with_cursor = |stored: StoredSessionLine| {
        let last = key(&stored);
        let cursor = SessionCursor(format!("{} {}", last.at, last.session_id));
        let mut line = line(stored, filter.workspace.clone());
        line.waiting |= callers.contains(&line.id);
        (last, line, cursor)
    };
    let mut found: Vec<(LastSession, SessionListRow, SessionCursor)> =
        found.into_iter().map(with_cursor).filter(|(_, line, _)| filter.of.has(line)).collect();
    found.sort_by(|one, other| compare(filter.order, one.0, other.0));
    let is_more = found.len() > limit as usize;
    found.truncate(limit as usize);
    if matches!(filter.of, SessionPageOf::All | SessionPageOf::Open) {
        for (_, line, _) in found.iter_mut().filter(|(_, line, _)| !line.waiting) {
            line.waiting = waits_below(conn, workspace_id, &line.id)?;
        }
    }
    Ok(SessionPage { lines: found.into_iter().map(|(_, line, cursor)| (line, cursor)).collect(), is_more })
}

/// The rows of each part of a list after a place: one more than the page has, so that it shows whether others follow.
fn load_parts(
    conn: &mut DbConnection,
    workspace_id: i64,
    filter: &SessionPageFilter,
    after: Option<LastSession>,
) -> Result<Vec<StoredSessionLine>, DbError> {
    let limit = i64::from(filter.limit.max(1)) + 1;
    let at = dialect::idle_session_columns(conn).last_activity_column();
    let sought = filter.sought.as_deref().map(|text| SoughtText::new(conn, text));
    let mut found = Vec::new();
    for part in SessionListPart::of(filter.of) {
        let index = part.own_index().filter(|_| dialect::takes_index_hints(conn));
        let (part, order, sought) = (*part, filter.order, sought.clone());
        let statement = SessionPageStatement { workspace_id, part, order, at, after, limit, index, sought };
        found.extend(on_either!(conn => statement.load::<StoredSessionLine>(conn))?);
    }
    Ok(found)
}

/// Rows that are looked through at once for agents that wait, or loaded at once.
const LINES_AT_ONCE: u32 = 200;

/// The sessions above the agents that wait for a person. The rows of what waits are read some at a time.
fn callers_of_asking(
    conn: &mut DbConnection,
    workspace_id: i64,
    at_work: &[StoredSessionLine],
) -> Result<BTreeSet<SessionId>, DbError> {
    let (part, order) = (SessionListPart::Asking, SessionPageOrder::LatestFirst);
    let limit = i64::from(LINES_AT_ONCE);
    let at = dialect::idle_session_columns(conn).last_activity_column();
    let index = part.own_index().filter(|_| dialect::takes_index_hints(conn));
    let waits =
        |stored: &&StoredSessionLine| stored.rank == WAITING && stored.standing != Standing::Ended.word();
    let mut callers: BTreeSet<SessionId> = at_work.iter().filter(waits).flat_map(callers_of).collect();
    let mut after = None;
    loop {
        let sought = None;
        let statement = SessionPageStatement { workspace_id, part, order, at, after, limit, index, sought };
        let found = on_either!(conn => statement.load::<StoredSessionLine>(conn))?;
        callers.extend(found.iter().flat_map(callers_of));
        match found.last() {
            Some(last) if found.len() == LINES_AT_ONCE as usize => after = Some(key(last)),
            Some(_) | None => return Ok(callers),
        }
    }
}

/// The sessions above an agent; none above another session.
fn callers_of(stored: &StoredSessionLine) -> impl Iterator<Item = SessionId> + use<> {
    std::iter::successors(SessionId::new(stored.id.as_str()).caller(), SessionId::caller)
}

/// The rows of these sessions.
fn load_lines(
    conn: &mut DbConnection,
    workspace_id: i64,
    ids: &BTreeSet<SessionId>,
) -> Result<Vec<StoredSessionLine>, DbError> {
    let ids: Vec<&str> = ids.iter().map(SessionId::as_str).collect();
    let mut lines = Vec::with_capacity(ids.len());
    for some in ids.chunks(LINES_AT_ONCE as usize) {
        let found: Vec<StoredSessionLine> = on_either!(conn => {
            sessions::table
                .filter(sessions::workspace_id.eq(workspace_id))
                .filter(sessions::id.eq_any(some.to_vec()))
                .select(StoredSessionLine::as_select())
                .load(conn)?
        });
        lines.extend(found);
    }
    Ok(lines)
}

/// Whether an agent below a session waits for a person. The ids of its agents are one range: they begin with its own.
fn waits_below(conn: &mut DbConnection, workspace_id: i64, session: &SessionId) -> Result<bool, DbError> {
    let (first, beyond) = (format!("{session}-"), format!("{session}."));
    let found: Option<i64> = on_either!(conn => {
        sessions::table
            .filter(sessions::workspace_id.eq(workspace_id))
            .filter(sessions::id.gt(&first))
            .filter(sessions::id.lt(&beyond))
            .filter(sessions::rank.eq(0))
            .filter(sessions::standing.ne(Standing::Ended.word()))
            .select(sessions::session_id)
            .first(conn)
            .optional()?
    });
    Ok(found.is_some())
}

fn key(stored: &StoredSessionLine) -> LastSession {
    LastSession { at: stored.last_activity, session_id: stored.session_id }
}

fn compare(order: SessionPageOrder, one: LastSession, other: LastSession) -> Ordering {
    let latest_first = other.at.cmp(&one.at).then(one.session_id.cmp(&other.session_id));
    match order {
        SessionPageOrder::LatestFirst => latest_first,
        SessionPageOrder::EarliestFirst => latest_first.reverse(),
    }
}

fn parse_cursor(cursor: &SessionCursor) -> Result<LastSession, DbError> {
    let wrong = || DbError::Refused("the cursor of the sessions was not given for them".to_owned());
    let (at, session_id) = cursor.0.split_once(' ').ok_or_else(wrong)?;
    let number = |text: &str| text.parse().map_err(|_| wrong());
    Ok(LastSession { at: number(at)?, session_id: number(session_id)? })
}
