//! Where the other side of a long task tells of it.

pub(crate) mod receive;
