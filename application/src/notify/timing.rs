//! The times of notifications and their retries.

use entracte_domain::time::{Millis, Timestamp};
use jiff::tz::TimeZone;

use super::QuietHours;
use crate::calendar::first_instant_in_zone;
use crate::settings::NotifySettings;

/// The delay before the next attempt: full jitter between the minimum and a delay that doubles with each attempt.
/// `jitter` returns a span between zero and its argument.
pub fn next_try(settings: &NotifySettings, attempts: u32, jitter: impl FnOnce(Millis) -> Millis) -> Millis {
    let doubled = settings.retry.0.saturating_mul(1_i64.checked_shl(attempts.min(40)).unwrap_or(i64::MAX));
    let most = doubled.clamp(settings.retry.0, settings.retry_max.0.max(settings.retry.0));
    Millis(settings.retry.0 + jitter(Millis(most - settings.retry.0)).0)
}

/// The end of the quiet hours that contain an instant; `None` outside of them. If the clock skips the end, it is the
/// instant after the skip.
pub fn quiet_until(quiet: Option<QuietHours>, zone: &TimeZone, at: Timestamp) -> Option<Timestamp> {
    let quiet = quiet?;
    let clock = jiff::Timestamp::from_microsecond(at.0).ok()?.to_zoned(zone.clone()).datetime();
    let minute = u16::try_from(i32::from(clock.hour()) * 60 + i32::from(clock.minute())).ok()?;
    if !quiet.contains_minute(minute) {
        return None;
    }
    let day = if minute < quiet.until { clock.date() } else { clock.date().tomorrow().ok()? };
    let (hour, minute) = (i8::try_from(quiet.until / 60).ok()?, i8::try_from(quiet.until % 60).ok()?);
    // If the clock is set back, the end occurs twice; the first one may be in the past.
    first_instant_in_zone(zone, day.at(hour, minute, 0, 0)).filter(|end| *end > at)
}

/// The end of the gathering interval that contains an instant; the instant itself without gathering.
pub(super) fn gather_end(gather: Millis, at: Timestamp) -> Timestamp {
    let step = gather.0.saturating_mul(1000);
    if step <= 0 {
        return at;
    }
    Timestamp(at.0.div_euclid(step).saturating_add(1).saturating_mul(step))
}
