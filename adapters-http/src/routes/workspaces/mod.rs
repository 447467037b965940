//! Workspaces.

pub(crate) mod create;
pub(crate) mod list;
