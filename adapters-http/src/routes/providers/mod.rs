//! Providers.

pub(crate) mod get;
pub(crate) mod list;
