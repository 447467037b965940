//! Routes of costs.

pub(crate) mod report;
