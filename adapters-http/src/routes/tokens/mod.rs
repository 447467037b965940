//! People and tokens.

pub(crate) mod create;
pub(crate) mod list;
pub(crate) mod me;
pub(crate) mod people;
pub(crate) mod revoke;
