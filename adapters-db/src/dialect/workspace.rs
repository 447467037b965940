use diesel::prelude::*;

use crate::schema::workspaces;

/// Identifies a workspace row version: key of the workspace, `seq`.
pub(crate) type WorkspaceRowVersion<'a> = (&'a str, i64);

/// The columns of a workspace row that an update may change; shared by the dialects, which write it differently.
#[derive(Clone, Copy, AsChangeset)]
#[diesel(table_name = workspaces)]
pub(crate) struct WorkspaceChangeset<'a> {
    pub(crate) seq: i64,
    pub(crate) body: &'a [u8],
    pub(crate) created_at: i64,
    pub(crate) epoch: i64,
}
