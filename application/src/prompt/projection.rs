//! The conversation as the model reads it: a projection of committed entries.

use std::sync::Arc;

use entracte_domain::session::Dialect;
use jiff::tz::TimeZone;

use crate::codec::Entry;
use crate::ports::Turn;

/// The most characters of one result that the model reads, unless the setting `result.max_chars` says another
/// number.
pub const RESULT_MAX_CHARS: usize = 25_000;

/// The conversation of one session, built entry by entry.
#[derive(Clone, Debug)]
pub struct Projection {
    dialect: Dialect,
    zone: TimeZone,
    result_max_chars: usize,
    closed: Vec<Arc<Turn>>,
}

impl Projection {
    /// An empty conversation. Dates are written in `zone`.
    pub fn new(dialect: Dialect, zone: TimeZone) -> Self {
        Self { dialect, zone, result_max_chars: RESULT_MAX_CHARS, closed: Vec::new() }
    }

    /// The same with another limit on the length of a result; 0 = none. The limit must not change within a
    /// generation.
    #[must_use]
    pub fn with_result_max_chars(mut self, most: usize) -> Self {
        self.result_max_chars = most;
        self
    }

    /// Takes the session's next entry in.
    pub fn push(&mut self, entry: &Entry) {
        let _ = (entry, self.dialect, &self.zone, self.result_max_chars);
    }

    /// The turns of the open round's request; between two rounds, those of the last request and the reply.
    /// What came since then takes its place when the next round starts.
    pub fn turns(&self) -> Vec<Arc<Turn>> {
        self.closed.clone()
    }
}
