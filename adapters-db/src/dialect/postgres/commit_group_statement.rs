//! A group of commits as one statement: the rows of each table as arrays, one per column. Its text is constant, so it
//! is prepared once for all groups.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Binary, Bool, Integer, Nullable, Text};

use crate::dialect::{ColumnArray, CommitGroupStatement, FIRST_PERSON, REPLY_CHANGES, UnnestRows};

/// See [`super::super::write_commit_group`].
pub(crate) fn write_commit_group(
    conn: &mut PgConnection,
    work: CommitGroupStatement<'_>,
) -> QueryResult<bool> {
    work.execute(conn).map(|_| true)
}

impl ColumnArray<'_> {
    fn bind<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        match self {
            Self::Text(values) => out.push_bind_param::<Array<Text>, _>(values),
            Self::TextOrNone(values) => out.push_bind_param::<Array<Nullable<Text>>, _>(values),
            Self::Number(values) => out.push_bind_param::<Array<BigInt>, _>(values),
            Self::NumberOrNone(values) => out.push_bind_param::<Array<Nullable<BigInt>>, _>(values),
            Self::Small(values) => out.push_bind_param::<Array<Integer>, _>(values),
            Self::Flag(values) => out.push_bind_param::<Array<Bool>, _>(values),
            Self::Bytes(values) => out.push_bind_param::<Array<Binary>, _>(values),
            Self::Hashes(values) => out.push_bind_param::<Array<Binary>, _>(values),
        }
    }
}

impl UnnestRows<'_> {
    /// Renders `unnest($1, $2, …) AS new (…)`.
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

impl Query for CommitGroupStatement<'_> {
    type SqlType = ();
}

impl QueryId for CommitGroupStatement<'_> {
    type QueryId = CommitGroupStatement<'static>;

    const HAS_STATIC_QUERY_ID: bool = true;
}

impl RunQueryDsl<PgConnection> for CommitGroupStatement<'_> {}

impl CommitGroupStatement<'_> {
    /// Writes the insertion of the attempts, without its end.
    fn insert_attempts<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "INSERT INTO costs (workspace_id, session_id, round, attempt, at, automation, provider, model, \
             commands, person, input, cache_read, cache_write, output, unknown_attempts, micros, rest, priced, \
             hold, held_tokens, held_micros, held_rest) \
             SELECT moved.workspace_id, moved.session_id, new.round, new.attempt, new.at, new.automation, \
             new.provider, new.model, new.commands, coalesce(",
        );
        let [of_workspace, of_session, first] = FIRST_PERSON;
        for sql in [of_workspace, "moved.workspace_id", of_session, "moved.session_id", first] {
            out.push_sql(sql);
        }
        out.push_sql(
            ", new.person), new.input, new.cache_read, new.cache_write, new.output, new.unknown_attempts, \
             new.micros, new.rest, new.priced, new.hold, new.held_tokens, new.held_micros, new.held_rest FROM ",
        );
        self.costs.unnest(out)?;
        out.push_sql(
            " JOIN moved ON moved.id = new.session COLLATE \"C\" \
             ON CONFLICT (workspace_id, session_id, round, attempt) DO UPDATE SET ",
        );
        out.push_sql(REPLY_CHANGES);
        Ok(())
    }

    /// Writes the parts that replace the inbox items of sessions that wait, as
    /// [`replace`](crate::queries::inbox_items::replace) does. Equal rows are left out first, because a conflict locks, and
    /// so writes, its row. A trigger deletes the items of other sessions.
    fn replace_items<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("asked AS (SELECT * FROM ");
        self.inbox.unnest(out)?;
        out.push_sql(
            "), \
             answered AS (DELETE FROM inbox_items USING moved \
             WHERE inbox_items.session_id = moved.session_id AND moved.rank = 0 AND NOT EXISTS (SELECT 1 FROM asked \
             WHERE asked.session COLLATE \"C\" = moved.id AND asked.item COLLATE \"C\" = inbox_items.item)), \
             listed AS (INSERT INTO inbox_items (session_id, item, workspace_id, kind, asked_at, due_at, command) \
             SELECT moved.session_id, asked.item, moved.workspace_id, asked.kind, asked.asked_at, asked.due_at, \
             asked.command FROM asked JOIN moved ON moved.id = asked.session COLLATE \"C\" \
             WHERE NOT EXISTS (SELECT 1 FROM inbox_items AS stored WHERE stored.session_id = moved.session_id \
             AND stored.item = asked.item COLLATE \"C\" AND stored.kind = asked.kind COLLATE \"C\" \
             AND stored.due_at IS NOT DISTINCT FROM asked.due_at \
             AND stored.command IS NOT DISTINCT FROM asked.command COLLATE \"C\") \
             ON CONFLICT (session_id, item) DO UPDATE \
             SET kind = excluded.kind, due_at = excluded.due_at, command = excluded.command)",
        );
        Ok(())
    }
}

impl QueryFragment<Pg> for CommitGroupStatement<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        // A row changes only if it is as expected, so the counts below show whether all were.
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
             RETURNING sessions.session_id, sessions.id, sessions.workspace_id, sessions.rank), \
             appended AS (INSERT INTO log \
             (place, workspace_id, seq, session_id, sequence, at, label, client_key, body) \
             SELECT moved.workspace_id * ",
        );
        out.push_bind_param::<BigInt, _>(&self.entries_max)?;
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
             result_seq = excluded.result_seq, body = excluded.body WHERE calls.id = excluded.id RETURNING 1), \
             spent AS (",
        );
        self.insert_attempts(&mut out)?;
        out.push_sql(" RETURNING 1), ");
        self.replace_items(&mut out)?;
        out.push_sql(
            " INSERT INTO workspaces (key, seq, body, created_at) SELECT NULL, NULL, NULL, NULL WHERE ",
        );
        // If a count differs, this inserts an invalid row, which undoes the statement with a recognizable error.
        let counts = [
            ("changed", &self.workspaces),
            ("moved", &self.sessions),
            ("appended", &self.log),
            ("put", &self.calls),
            ("spent", &self.costs),
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
