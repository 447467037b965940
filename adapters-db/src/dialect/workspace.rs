use diesel::prelude::*;

use crate::schema::workspaces;

/// Which row, as it was: the key of the workspace, its `seq`.
pub(crate) type WorkspaceRowVersion<'a> = (&'a str, i64);

/// What a row of a workspace may change in. Here, because each database writes it in its own way.
#[derive(Clone, Copy, AsChangeset)]
#[diesel(table_name = workspaces)]
pub(crate) struct WorkspaceChangeset<'a> {
    pub(crate) seq: i64,
    pub(crate) body: &'a [u8],
    pub(crate) created_at: i64,
    pub(crate) epoch: i64,
}
