//! Routes of workspaces.

pub(crate) mod create;
pub(crate) mod list;
