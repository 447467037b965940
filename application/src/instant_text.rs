//! Instants as text: RFC 3339 in UTC, as JSON, settings and tools have them.

use entracte_domain::time::Timestamp;

/// Formats an instant as RFC 3339 in UTC; outside of the calendar as its microseconds since 1970.
pub fn iso(at: Timestamp) -> String {
    jiff::Timestamp::from_microsecond(at.0).map_or_else(|_| at.0.to_string(), |at| at.to_string())
}
