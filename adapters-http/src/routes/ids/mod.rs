//! Routes of ids that people shorten.

pub(crate) mod find;
