//! RFC 3339 in, RFC 3339 and words out. Never reads a clock.

use entracte_domain::time::Timestamp;

/// The instant that `text` names, or what is wrong with it.
pub(crate) fn read(text: &str) -> Result<Timestamp, String> {
    let instant = text.parse::<jiff::Timestamp>();
    instant
        .map(|instant| Timestamp(instant.as_microsecond()))
        .map_err(|_| format!("“{text}” is no instant; write date, time and offset like 2026-11-20T08:30:00Z"))
}

/// RFC 3339, in UTC.
pub(crate) fn write(at: Timestamp) -> String {
    // Instants outside the calendar cannot come from `read`; shown as they are rather than hidden.
    jiff::Timestamp::from_microsecond(at.0).map_or_else(|_| format!("{} µs", at.0), |at| at.to_string())
}

/// For people: the day, with the time when it is not midnight, in UTC.
pub(crate) fn say(at: Timestamp) -> String {
    let Ok(instant) = jiff::Timestamp::from_microsecond(at.0) else { return write(at) };
    let midnight = at.0.rem_euclid(MICROS_PER_DAY) == 0;
    instant.strftime(if midnight { "%Y-%m-%d" } else { "%Y-%m-%d %H:%M UTC" }).to_string()
}

const MICROS_PER_DAY: i64 = 86_400_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_read_and_shown_in_utc() {
        let check = |text: &str| read(text).map(|at| format!("{} / {}", write(at), say(at)));
        assert_eq!(check("2026-11-20T00:00:00Z").unwrap(), "2026-11-20T00:00:00Z / 2026-11-20");
        assert_eq!(
            check("2026-11-20T08:30:00+01:00").unwrap(),
            "2026-11-20T07:30:00Z / 2026-11-20 07:30 UTC"
        );
        assert_eq!(
            check("2026-11-20").unwrap_err(),
            "“2026-11-20” is no instant; write date, time and offset like 2026-11-20T08:30:00Z"
        );
    }
}
