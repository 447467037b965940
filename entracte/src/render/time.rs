//! Renders instants and durations.

use entracte_adapters_http::shapes::instant;
pub(crate) use entracte_application::instant_text::iso;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::time::{Millis, Timestamp};

use jiff::tz::TimeZone;

use super::text::one_line;

/// An instant of the API, shown by `show`; its text if it is none that this program reads.
pub(crate) fn shown_instant(at: &str, show: impl FnOnce(Timestamp) -> String) -> String {
    instant(at).map_or_else(|| one_line(at), show)
}

/// The time of day in this zone, with the zone's name.
pub(crate) fn clock(at: Timestamp, zone: &TimeZone) -> String {
    in_zone(at, zone, "%H:%M:%S %Z")
}

/// Day and time in this zone, with the zone's name.
pub(crate) fn day(at: Timestamp, zone: &TimeZone) -> String {
    in_zone(at, zone, "%Y-%m-%d %H:%M %Z")
}

/// Renders instants that matter for a decision: in a zone, with the time until or since then if the current time is
/// known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeFormatter<'a> {
    /// The time zone.
    pub(crate) zone: &'a TimeZone,
    /// The current time.
    pub(crate) now: Option<Timestamp>,
}

impl<'a> From<&'a TimeZone> for TimeFormatter<'a> {
    fn from(zone: &'a TimeZone) -> Self {
        Self { zone, now: None }
    }
}

impl TimeFormatter<'_> {
    /// Day and time, with the time until or since then.
    pub(crate) fn with_relative_time(self, at: Timestamp, texts: &LocalizedTexts) -> String {
        let shown = day(at, self.zone);
        match self.now {
            Some(now) => say!(texts, "time-beside", at = shown, relative = relative(at, now, texts)),
            None => shown,
        }
    }
}

/// The time until an instant, or since it. Rounded down, so that no person is promised more time than there is.
pub(crate) fn relative(at: Timestamp, now: Timestamp, texts: &LocalizedTexts) -> String {
    let seconds = at.0.saturating_sub(now.0) / 1_000_000;
    let span = span(seconds.unsigned_abs(), seconds > 0, texts);
    match seconds {
        0 => say!(texts, "time-now"),
        1.. => say!(texts, "time-in", span = span),
        _ => say!(texts, "time-ago", span = span),
    }
}

/// A duration: under two minutes in seconds, else in the largest unit of which it has at least two. Future times are
/// rounded to the nearest number, so that 72 hours are still three days a second later; past times count whole units
/// only.
fn span(seconds: u64, is_coming: bool, texts: &LocalizedTexts) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    let count = |unit: u64| if is_coming { (seconds + unit / 2) / unit } else { seconds / unit };
    let (key, count) = match (seconds, count(MINUTE), count(HOUR)) {
        (..120, _, _) => ("span-seconds", seconds),
        (_, minutes @ ..120, _) => ("span-minutes", minutes),
        (_, _, hours @ ..48) => ("span-hours", hours),
        _ => ("span-days", count(DAY)),
    };
    texts.render(key, &[("count", count.into())])
}

/// An exact duration in the largest unit of which it is a whole number.
pub(crate) fn exact_duration_text(length: Millis, texts: &LocalizedTexts) -> String {
    let (unit, count) = whole(length);
    texts.render(&format!("span-{unit}"), &[("count", count.into())])
}

/// An interval of repetition as text.
pub(crate) fn interval_text(length: Millis, texts: &LocalizedTexts) -> String {
    let (unit, count) = whole(length);
    texts.render(&format!("every-{unit}"), &[("count", count.into())])
}

/// The largest unit of which a duration is a whole number, and that number.
fn whole(Millis(ms): Millis) -> (&'static str, i64) {
    let units =
        [("days", 86_400_000), ("hours", 3_600_000), ("minutes", 60_000), ("seconds", 1000), ("millis", 1)];
    let (unit, size) = units.into_iter().find(|(_, size)| ms != 0 && ms % size == 0).unwrap_or(units[3]);
    (unit, ms / size)
}

/// Day and time to the second in this zone, with the zone's name.
pub(crate) fn moment(at: Timestamp, zone: &TimeZone) -> String {
    in_zone(at, zone, "%Y-%m-%d %H:%M:%S %Z")
}

fn in_zone(at: Timestamp, zone: &TimeZone, format: &str) -> String {
    match jiff::Timestamp::from_microsecond(at.0) {
        Ok(at) => at.to_zoned(zone.clone()).strftime(format).to_string(),
        Err(_) => at.0.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use entracte_application::settings::Language;

    use super::*;

    #[test]
    fn every_instant_names_its_zone() {
        let summer = Timestamp(1_782_900_000_000_000);
        let winter = Timestamp(1_800_000_000_000_000);
        for (zone, at, shown) in [
            ("UTC", summer, "2026-07-01 10:00 UTC"),
            ("Europe/Paris", summer, "2026-07-01 12:00 CEST"),
            ("Europe/Paris", winter, "2027-01-15 09:00 CET"),
            // A zone without an abbreviation is named by its offset.
            ("America/Sao_Paulo", winter, "2027-01-15 05:00 -03"),
        ] {
            let zone = TimeZone::get(zone).unwrap();
            assert_eq!(day(at, &zone), shown);
            let name = shown.rsplit(' ').next().unwrap();
            assert!(clock(at, &zone).ends_with(name) && moment(at, &zone).ends_with(name), "{name}");
        }
    }

    #[test]
    fn interval_is_rendered_in_largest_unit() {
        for (length, english, french) in [
            (Millis::hours(720), "30 days", "30 jours"),
            (Millis::hours(24), "1 day", "1 jour"),
            (Millis::hours(36), "36 h", "36 h"),
            (Millis::minutes(90), "90 min", "90 min"),
            (Millis::seconds(61), "61 s", "61 s"),
            (Millis(1), "1 ms", "1 ms"),
            (Millis(0), "0 s", "0 s"),
        ] {
            for (language, expected) in [(Language::En, english), (Language::Fr, french)] {
                assert_eq!(exact_duration_text(length, LocalizedTexts::for_language(language)), expected);
            }
        }
        for (length, english, french) in [
            (Millis::hours(48), "every 2 days", "tous les 2 jours"),
            (Millis::hours(24), "every day", "tous les jours"),
            (Millis::hours(1), "every hour", "toutes les heures"),
            (Millis::minutes(15), "every 15 min", "toutes les 15 min"),
        ] {
            for (language, expected) in [(Language::En, english), (Language::Fr, french)] {
                assert_eq!(interval_text(length, LocalizedTexts::for_language(language)), expected);
            }
        }
    }

    #[test]
    fn instant_is_rendered_with_relative_time() {
        let now = Timestamp(1_800_000_000_000_000);
        let after = |seconds: i64| Timestamp(now.0 + seconds * 1_000_000);
        for (seconds, english, french) in [
            (0, "now", "maintenant"),
            (1, "in 1 s", "dans 1 s"),
            (119, "in 119 s", "dans 119 s"),
            (120, "in 2 min", "dans 2 min"),
            (7_150, "in 119 min", "dans 119 min"),
            // An approval with 72 hours left is read a second later: future times are rounded to the nearest number.
            (7_199, "in 2 h", "dans 2 h"),
            (86_399, "in 24 h", "dans 24 h"),
            (172_800, "in 2 days", "dans 2 jours"),
            (259_199, "in 3 days", "dans 3 jours"),
            (-30, "30 s ago", "il y a 30 s"),
            (-7_300, "2 h ago", "il y a 2 h"),
            (-86_399, "23 h ago", "il y a 23 h"),
            (-400 * 86_400, "400 days ago", "il y a 400 jours"),
        ] {
            for (language, expected) in [(Language::En, english), (Language::Fr, french)] {
                assert_eq!(relative(after(seconds), now, LocalizedTexts::for_language(language)), expected);
            }
        }
        let texts = LocalizedTexts::for_language(Language::En);
        let zone = TimeZone::UTC;
        assert_eq!(TimeFormatter::from(&zone).with_relative_time(now, texts), "2027-01-15 08:00 UTC");
        let dial = TimeFormatter { zone: &zone, now: Some(now) };
        assert_eq!(dial.with_relative_time(after(84_000), texts), "2027-01-16 07:20 UTC, in 23 h");
        assert_eq!(relative(Timestamp(i64::MAX), Timestamp(i64::MIN), texts), "in 106751991 days");
    }
}
