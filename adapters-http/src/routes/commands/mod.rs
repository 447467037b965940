//! Routes of the catalog.

pub(crate) mod accept;
pub(crate) mod acceptance;
pub(crate) mod enrichments;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod offers;
pub(crate) mod run;
