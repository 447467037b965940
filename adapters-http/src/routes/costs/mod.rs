//! Costs.

pub(crate) mod report;
