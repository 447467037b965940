//! What a group of commits writes, as one statement: each table's rows as arrays, a column each. Its text never changes, so it is
//! prepared once, whatever the group.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Binary, Bool, Integer, Nullable, Text};

use crate::at_work::AtWork;
use crate::db_error::DbError;
use crate::numbers::to_column;
use crate::queries::log::ENTRIES_MAX;
use crate::queries::sessions::state;

/// See [`super::super::write_at_once`].
pub(crate) fn write(conn: &mut PgConnection, work: &AtWork<'_>) -> QueryResult<bool> {
    // A number that no column has room for is refused by the ordinary way.
    let Ok(statement) = Statement::of(work) else { return Ok(false) };
    statement.execute(conn).map(|_| true)
}

/// The values of a column, one for each row.
enum Column<'a> {
    Text(Vec<&'a str>),
    TextOrNone(Vec<Option<&'a str>>),
    Number(Vec<i64>),
    NumberOrNone(Vec<Option<i64>>),
    Small(Vec<i32>),
    Flag(Vec<bool>),
    Bytes(Vec<&'a [u8]>),
}

impl<'a> Column<'a> {
    fn bind<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        match self {
            Self::Text(values) => out.push_bind_param::<Array<Text>, _>(values),
            Self::TextOrNone(values) => out.push_bind_param::<Array<Nullable<Text>>, _>(values),
            Self::Number(values) => out.push_bind_param::<Array<BigInt>, _>(values),
            Self::NumberOrNone(values) => out.push_bind_param::<Array<Nullable<BigInt>>, _>(values),
            Self::Small(values) => out.push_bind_param::<Array<Integer>, _>(values),
            Self::Flag(values) => out.push_bind_param::<Array<Bool>, _>(values),
            Self::Bytes(values) => out.push_bind_param::<Array<Binary>, _>(values),
        }
    }
}

/// Rows to write, and how many there are.
struct Rows<'a> {
    columns: Vec<(&'static str, Column<'a>)>,
    count: i64,
}

impl<'a> Rows<'a> {
    fn of<T>(rows: &[T], columns: Vec<(&'static str, Column<'a>)>) -> Self {
        Self { columns, count: i64::try_from(rows.len()).unwrap_or(i64::MAX) }
    }

    /// `unnest($1, $2, …) AS new (…)`.
    fn unnest<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("unnest(");
        for (place, (_, column)) in self.columns.iter().enumerate() {
            if place > 0 {
                out.push_sql(", ");
            }
            column.bind(out)?;
        }
        out.push_sql(") AS new (");
        for (place, (name, _)) in self.columns.iter().enumerate() {
            if place > 0 {
                out.push_sql(", ");
            }
            out.push_sql(name);
        }
        out.push_sql(")");
        Ok(())
    }
}

struct Statement<'a> {
    workspaces: Rows<'a>,
    sessions: Rows<'a>,
    log: Rows<'a>,
    calls: Rows<'a>,
}

/// A column of the rows, where each has a value or cannot be written.
fn each<'a, T, V>(rows: &[T], value: impl Fn(&T) -> Result<V, DbError> + 'a) -> Result<Vec<V>, DbError> {
    rows.iter().map(value).collect()
}

impl<'a> Statement<'a> {
    fn of(work: &AtWork<'a>) -> Result<Self, DbError> {
        Ok(Self {
            workspaces: workspaces(work)?,
            sessions: sessions(work)?,
            log: log(work)?,
            calls: calls(work)?,
        })
    }
}

fn workspaces<'a>(work: &AtWork<'a>) -> Result<Rows<'a>, DbError> {
    let rows = &work.workspaces;
    Ok(Rows::of(
        rows,
        vec![
            ("key", Column::Text(rows.iter().map(|(row, _)| row.key.as_str()).collect())),
            ("expected", Column::Number(each(rows, |(_, expected)| to_column(*expected))?)),
            ("seq", Column::Number(each(rows, |(row, _)| to_column(row.seq))?)),
            ("body", Column::Bytes(rows.iter().map(|(row, _)| row.body.as_slice()).collect())),
            ("created_at", Column::Number(rows.iter().map(|(row, _)| row.created_at.0).collect())),
            ("epoch", Column::Number(each(rows, |(row, _)| to_column(row.epoch))?)),
        ],
    ))
}

fn sessions<'a>(work: &AtWork<'a>) -> Result<Rows<'a>, DbError> {
    let rows = &work.sessions;
    let states = each(rows, |(row, _)| state(row))?;
    Ok(Rows::of(
        rows,
        vec![
            ("workspace", Column::Text(rows.iter().map(|(row, _)| row.workspace.as_str()).collect())),
            ("id", Column::Text(rows.iter().map(|(row, _)| row.id.as_str()).collect())),
            ("expected", Column::Number(each(rows, |(_, expected)| to_column(*expected))?)),
            ("name", Column::Text(states.iter().map(|state| state.moves.name).collect())),
            ("standing", Column::Text(states.iter().map(|state| state.moves.standing).collect())),
            ("phase", Column::Text(states.iter().map(|state| state.moves.phase).collect())),
            ("sequence", Column::Number(states.iter().map(|state| state.moves.sequence).collect())),
            ("rank", Column::Small(states.iter().map(|state| state.moves.rank).collect())),
            ("wake_at", Column::NumberOrNone(states.iter().map(|state| state.moves.wake_at).collect())),
            ("end_reason", Column::TextOrNone(states.iter().map(|state| state.moves.end_reason).collect())),
            ("last_activity", Column::Number(states.iter().map(|state| state.moves.last_activity).collect())),
            ("body", Column::Bytes(states.iter().map(|state| state.moves.body).collect())),
            ("placed", Column::Flag(states.iter().map(|state| state.stays.placed).collect())),
            ("working", Column::Flag(states.iter().map(|state| state.stays.working).collect())),
        ],
    ))
}

fn log<'a>(work: &AtWork<'a>) -> Result<Rows<'a>, DbError> {
    let rows = &work.log;
    Ok(Rows::of(
        rows,
        vec![
            ("session", Column::Text(rows.iter().map(|row| row.session.as_str()).collect())),
            ("seq", Column::Number(each(rows, |row| to_column(row.seq))?)),
            ("sequence", Column::Number(each(rows, |row| to_column(row.sequence))?)),
            ("at", Column::Number(rows.iter().map(|row| row.at.0).collect())),
            ("label", Column::Text(rows.iter().map(|row| row.label.as_str()).collect())),
            ("client_key", Column::TextOrNone(rows.iter().map(|row| row.client_key.as_deref()).collect())),
            ("body", Column::Bytes(rows.iter().map(|row| row.body.as_slice()).collect())),
        ],
    ))
}

fn calls<'a>(work: &AtWork<'a>) -> Result<Rows<'a>, DbError> {
    let rows = &work.calls;
    Ok(Rows::of(
        rows,
        vec![
            ("session", Column::Text(rows.iter().map(|row| row.session.as_str()).collect())),
            ("sequence", Column::Number(each(rows, |row| to_column(row.sequence))?)),
            ("ordinal", Column::Number(rows.iter().map(|row| i64::from(row.ordinal)).collect())),
            ("id", Column::Text(rows.iter().map(|row| row.id.as_str()).collect())),
            ("command", Column::Text(rows.iter().map(|row| row.command.as_str()).collect())),
            ("command_id", Column::Text(rows.iter().map(|row| row.command_id.as_str()).collect())),
            ("kind", Column::Text(rows.iter().map(|row| row.kind.as_str()).collect())),
            ("state", Column::Text(rows.iter().map(|row| row.state.as_str()).collect())),
            ("attempt", Column::Number(rows.iter().map(|row| i64::from(row.attempt)).collect())),
            ("exchange", Column::Number(each(rows, |row| to_column(row.exchange))?)),
            ("requested_at", Column::Number(rows.iter().map(|row| row.requested_at.0).collect())),
            (
                "finished_at",
                Column::NumberOrNone(rows.iter().map(|row| row.finished_at.map(|at| at.0)).collect()),
            ),
            (
                "result_seq",
                Column::NumberOrNone(each(rows, |row| row.result_seq.map(to_column).transpose())?),
            ),
            ("body", Column::Bytes(rows.iter().map(|row| row.body.as_slice()).collect())),
        ],
    ))
}

impl Query for Statement<'_> {
    type SqlType = ();
}

impl QueryId for Statement<'_> {
    type QueryId = Statement<'static>;

    const HAS_STATIC_QUERY_ID: bool = true;
}

impl RunQueryDsl<PgConnection> for Statement<'_> {}

impl QueryFragment<Pg> for Statement<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        // A row changes only where it is as expected, so the counts below tell whether all were.
        out.push_sql(
            "WITH changed AS (UPDATE workspaces \
             SET seq = new.seq, body = new.body, created_at = new.created_at, epoch = new.epoch FROM ",
        );
        self.workspaces.unnest(&mut out)?;
        out.push_sql(
            " WHERE workspaces.key = new.key COLLATE \"C\" AND workspaces.seq = new.expected \
             AND workspaces.epoch <= new.epoch RETURNING workspaces.workspace_id, workspaces.key), \
             moved AS (UPDATE sessions SET name = new.name, standing = new.standing, phase = new.phase, \
             sequence = new.sequence, rank = new.rank, wake_at = new.wake_at, end_reason = new.end_reason, \
             last_activity = new.last_activity, body = new.body, placed = new.placed, working = new.working FROM ",
        );
        self.sessions.unnest(&mut out)?;
        out.push_sql(
            " JOIN changed ON changed.key = new.workspace COLLATE \"C\" \
             WHERE sessions.id = new.id COLLATE \"C\" AND sessions.workspace_id = changed.workspace_id \
             AND sessions.sequence = new.expected \
             RETURNING sessions.session_id, sessions.id, sessions.workspace_id), \
             appended AS (INSERT INTO log \
             (place, workspace_id, seq, session_id, sequence, at, label, client_key, body) \
             SELECT moved.workspace_id * ",
        );
        out.push_bind_param::<BigInt, _>(&ENTRIES_MAX)?;
        out.push_sql(
            " + new.seq, moved.workspace_id, new.seq, moved.session_id, new.sequence, new.at, new.label, \
             new.client_key, new.body FROM ",
        );
        self.log.unnest(&mut out)?;
        out.push_sql(
            " JOIN moved ON moved.id = new.session COLLATE \"C\" RETURNING 1), \
             put AS (INSERT INTO calls (session_id, sequence, ordinal, id, workspace_id, command, command_id, kind, \
             state, attempt, exchange, requested_at, finished_at, result_seq, body) \
             SELECT moved.session_id, new.sequence, new.ordinal, new.id, moved.workspace_id, new.command, \
             new.command_id, new.kind, new.state, new.attempt, new.exchange, new.requested_at, new.finished_at, \
             new.result_seq, new.body FROM ",
        );
        self.calls.unnest(&mut out)?;
        out.push_sql(
            " JOIN moved ON moved.id = new.session COLLATE \"C\" \
             ON CONFLICT (session_id, sequence, ordinal) DO UPDATE SET id = excluded.id, \
             workspace_id = excluded.workspace_id, command = excluded.command, command_id = excluded.command_id, \
             kind = excluded.kind, state = excluded.state, attempt = excluded.attempt, exchange = excluded.exchange, \
             requested_at = excluded.requested_at, finished_at = excluded.finished_at, \
             result_seq = excluded.result_seq, body = excluded.body WHERE calls.id = excluded.id RETURNING 1) \
             INSERT INTO workspaces (key, seq, body, created_at) SELECT NULL, NULL, NULL, NULL WHERE ",
        );
        // A row that no table takes: it undoes the statement, and its kind of error can be told from others.
        let counts = [
            ("changed", &self.workspaces),
            ("moved", &self.sessions),
            ("appended", &self.log),
            ("put", &self.calls),
        ];
        for (place, (name, rows)) in counts.into_iter().enumerate() {
            out.push_sql(if place > 0 { " OR " } else { "" });
            out.push_sql("(SELECT count(*) FROM ");
            out.push_sql(name);
            out.push_sql(") <> ");
            out.push_bind_param::<BigInt, _>(&rows.count)?;
        }
        Ok(())
    }
}
