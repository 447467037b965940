use diesel::prelude::*;

use crate::schema::calls;

/// The values of a ledger row to write; shared by the dialects, which write it differently.
#[derive(Insertable)]
#[diesel(table_name = calls)]
pub(crate) struct CallRowValues<'a> {
    pub(crate) session_id: i64,
    pub(crate) sequence: i64,
    pub(crate) ordinal: i64,
    pub(crate) id: &'a str,
    pub(crate) workspace_id: i64,
    #[diesel(embed)]
    pub(crate) moves: CallChangeset<'a>,
}

/// The columns of a ledger row that may change. Foreign keys are left out, because SQLite would look up the referenced
/// row again, and it saves what a statement overwrites, to be able to undo it.
#[derive(Clone, Copy, Insertable, AsChangeset)]
#[diesel(table_name = calls, treat_none_as_null = true, treat_none_as_default_value = false)]
pub(crate) struct CallChangeset<'a> {
    pub(crate) command: &'a str,
    pub(crate) command_id: &'a [u8],
    pub(crate) kind: &'a str,
    pub(crate) state: &'a str,
    pub(crate) attempt: i64,
    pub(crate) exchange: i64,
    pub(crate) requested_at: i64,
    pub(crate) finished_at: Option<i64>,
    pub(crate) result_seq: Option<i64>,
    pub(crate) body: &'a [u8],
}
