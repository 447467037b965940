//! Workspaces.

pub(crate) mod list;
pub(crate) mod make;
