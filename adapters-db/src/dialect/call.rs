use diesel::prelude::*;

use crate::schema::calls;

/// A row of the ledger to write. Here, because each database writes it in its own way.
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = calls, primary_key(session_id, sequence, ordinal))]
#[diesel(treat_none_as_null = true, treat_none_as_default_value = false)]
pub(crate) struct StoredState<'a> {
    pub(crate) session_id: i64,
    pub(crate) sequence: i64,
    pub(crate) ordinal: i64,
    pub(crate) id: &'a str,
    pub(crate) workspace_id: i64,
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

impl StoredState<'_> {
    /// Session, sequence and ordinal.
    pub(super) fn key(&self) -> (i64, i64, i64) {
        (self.session_id, self.sequence, self.ordinal)
    }
}
