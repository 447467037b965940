//! Instants in words.

use entracte_domain::time::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The time of day in this zone, which it names.
pub(crate) fn clock(at: Timestamp, zone: &TimeZone) -> String {
    in_zone(at, zone, "%H:%M:%S %Z")
}

/// Day and time in this zone, which it names.
pub(crate) fn day(at: Timestamp, zone: &TimeZone) -> String {
    in_zone(at, zone, "%Y-%m-%d %H:%M %Z")
}

/// Day and time to the second in this zone, which it names.
pub(crate) fn moment(at: Timestamp, zone: &TimeZone) -> String {
    in_zone(at, zone, "%Y-%m-%d %H:%M:%S %Z")
}

/// The day in this zone; none outside of the years that can be counted.
pub(crate) fn date(at: Timestamp, zone: &TimeZone) -> Option<Date> {
    Some(jiff::Timestamp::from_microsecond(at.0).ok()?.to_zoned(zone.clone()).date())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instant_names_its_zone() {
        let summer = Timestamp(1_782_900_000_000_000);
        let winter = Timestamp(1_800_000_000_000_000);
        for (zone, at, shown) in [
            ("UTC", summer, "2026-07-01 10:00 UTC"),
            ("Europe/Paris", summer, "2026-07-01 12:00 CEST"),
            ("Europe/Paris", winter, "2027-01-15 09:00 CET"),
            // A zone without letters is named by its offset.
            ("America/Sao_Paulo", winter, "2027-01-15 05:00 -03"),
        ] {
            let zone = TimeZone::get(zone).unwrap();
            assert_eq!(day(at, &zone), shown);
            let name = shown.rsplit(' ').next().unwrap();
            assert!(clock(at, &zone).ends_with(name) && moment(at, &zone).ends_with(name), "{name}");
        }
    }
}
