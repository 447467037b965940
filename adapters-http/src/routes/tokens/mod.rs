//! Routes of people and tokens.

pub(crate) mod accept;
pub(crate) mod add_person;
pub(crate) mod create;
pub(crate) mod current;
pub(crate) mod get;
pub(crate) mod invite;
pub(crate) mod list;
pub(crate) mod people;
pub(crate) mod person;
pub(crate) mod remove_person;
pub(crate) mod revoke;
