//! The catalog.

pub(crate) mod enrichments;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod run;
