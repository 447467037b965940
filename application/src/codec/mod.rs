//! Stored shapes of the domain.

/// An entry of the log, decoded.
#[derive(Clone, Debug)]
pub struct Entry;
