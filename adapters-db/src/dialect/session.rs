use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use crate::schema::sessions;

/// Which row, as it was: the number of its workspace, its id, its sequence.
pub(crate) type SessionRowVersion<'a> = (i64, &'a str, i64);

/// What a row of a session may change in. Here, because each database writes it in its own way. Columns that stay for ever are
/// left out: an update touches every index of a column that it names.
#[derive(Insertable)]
#[diesel(table_name = sessions)]
pub(crate) struct SessionRowValues<'a> {
    #[diesel(embed)]
    pub(crate) moves: SessionChangeset<'a>,
    #[diesel(embed)]
    pub(crate) stays: SessionIndexColumns,
}

/// What may be another value with each commit: no index has it while the session works.
#[derive(Clone, Copy, Insertable, AsChangeset)]
#[diesel(table_name = sessions, treat_none_as_null = true, treat_none_as_default_value = false)]
pub(crate) struct SessionChangeset<'a> {
    pub(crate) name: &'a str,
    pub(crate) standing: &'a str,
    pub(crate) phase: &'a str,
    pub(crate) sequence: i64,
    pub(crate) wake_at: Option<i64>,
    pub(crate) end_reason: Option<&'a str>,
    pub(crate) last_activity: i64,
    pub(crate) body: &'a [u8],
}

/// What stays while a session works: it is in indexes, or checked against a list of values, for which SQLite makes a table in memory
/// whenever the column is named.
#[derive(Clone, Copy, Insertable, AsChangeset)]
#[diesel(table_name = sessions)]
pub(crate) struct SessionIndexColumns {
    pub(crate) placed: bool,
    pub(crate) working: bool,
    pub(crate) rank: i32,
}

/// The columns by which those sessions are found that rest; to be asked for together with `NOT working`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IdleSessionColumns {
    pub(super) at: &'static str,
    pub(super) phase: &'static str,
    pub(super) wake: &'static str,
}

impl IdleSessionColumns {
    /// The latest activity.
    pub(crate) fn last_activity(self) -> SqlLiteral<Nullable<BigInt>> {
        sql(self.at)
    }

    /// The label of the phase.
    pub(crate) fn phase(self) -> SqlLiteral<Text> {
        sql(self.phase)
    }

    /// The next deadline.
    pub(crate) fn wake(self) -> SqlLiteral<Nullable<BigInt>> {
        sql(self.wake)
    }
}
