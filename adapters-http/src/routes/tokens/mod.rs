//! People and tokens.

pub(crate) mod accept;
pub(crate) mod add_person;
pub(crate) mod create;
pub(crate) mod expel;
pub(crate) mod get;
pub(crate) mod invite;
pub(crate) mod list;
pub(crate) mod me;
pub(crate) mod people;
pub(crate) mod person;
pub(crate) mod revoke;
