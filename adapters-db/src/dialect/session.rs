use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use crate::prepared_statements::{StaticSql, static_sql};
use crate::schema::sessions;

/// Identifies a session row version: workspace number, session id, sequence.
pub(crate) type SessionRowVersion<'a> = (i64, &'a str, i64);

/// The columns of a session row that an update may change; shared by the dialects, which write it differently. Constant
/// columns are left out, because an update touches every index of a column that it names.
#[derive(Insertable)]
#[diesel(table_name = sessions)]
pub(crate) struct SessionRowValues<'a> {
    /// Rarely changes; a trigger adds it to the index of names.
    pub(crate) name: &'a str,
    #[diesel(embed)]
    pub(crate) moves: SessionChangeset<'a>,
    #[diesel(embed)]
    pub(crate) stays: SessionIndexColumns,
}

/// Columns that may change with every commit; no index contains them while the session works.
#[derive(Clone, Copy, Insertable, AsChangeset)]
#[diesel(table_name = sessions, treat_none_as_null = true, treat_none_as_default_value = false)]
pub(crate) struct SessionChangeset<'a> {
    pub(crate) standing: &'a str,
    pub(crate) phase: &'a str,
    pub(crate) sequence: i64,
    pub(crate) wake_at: Option<i64>,
    pub(crate) end_reason: Option<&'a str>,
    pub(crate) last_activity: i64,
    pub(crate) body: &'a [u8],
}

/// Columns that rarely change while a session works. They are in indexes, or checked against a list of values, for
/// which SQLite builds an in-memory table whenever the column is named.
#[derive(Clone, Copy, Insertable, AsChangeset)]
#[diesel(table_name = sessions)]
pub(crate) struct SessionIndexColumns {
    pub(crate) placed: bool,
    pub(crate) working: bool,
    pub(crate) rank: i32,
}

/// The columns that find resting sessions; use them together with `NOT working`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IdleSessionColumns {
    pub(super) at: &'static str,
    pub(super) phase: &'static str,
    pub(super) wake: &'static str,
}

impl IdleSessionColumns {
    /// Time of the latest activity.
    pub(crate) fn last_activity(self) -> StaticSql<Nullable<BigInt>> {
        static_sql(self.at)
    }

    /// The name of the column of [`last_activity`](Self::last_activity).
    pub(crate) const fn last_activity_column(self) -> &'static str {
        self.at
    }

    /// Label of the phase.
    pub(crate) fn phase(self) -> StaticSql<Text> {
        static_sql(self.phase)
    }

    /// Next deadline.
    pub(crate) fn wake(self) -> StaticSql<Nullable<BigInt>> {
        static_sql(self.wake)
    }
}
