//! Routes of callbacks, which task servers send about long tasks.

pub(crate) mod receive;
