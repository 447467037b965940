//! Instants in words.

use entracte_domain::time::Timestamp;
use jiff::tz::TimeZone;

/// The time of day, in this zone.
pub(crate) fn clock(at: Timestamp, zone: &TimeZone) -> String {
    in_zone(at, zone, "%H:%M:%S")
}

/// Day and time, in this zone.
pub(crate) fn day(at: Timestamp, zone: &TimeZone) -> String {
    in_zone(at, zone, "%Y-%m-%d %H:%M")
}

/// Day and time to the second, in this zone.
pub(crate) fn moment(at: Timestamp, zone: &TimeZone) -> String {
    in_zone(at, zone, "%Y-%m-%d %H:%M:%S")
}

/// As JSON has it: RFC 3339, UTC.
pub(crate) fn iso(at: Timestamp) -> String {
    jiff::Timestamp::from_microsecond(at.0).map_or_else(|_| at.0.to_string(), |at| at.to_string())
}

fn in_zone(at: Timestamp, zone: &TimeZone, format: &str) -> String {
    match jiff::Timestamp::from_microsecond(at.0) {
        Ok(at) => at.to_zoned(zone.clone()).strftime(format).to_string(),
        Err(_) => at.0.to_string(),
    }
}
