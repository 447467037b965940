//! The catalog.

pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod run;
