//! What waits for a person.

pub(crate) mod list;
pub(crate) mod seen;
