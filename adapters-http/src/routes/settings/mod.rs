//! Settings of a workspace.

pub(crate) mod change;
pub(crate) mod get;
