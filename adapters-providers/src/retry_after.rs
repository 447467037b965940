//! When a provider says to come back: `retry-after-ms`, then `retry-after` (seconds, or an HTTP date).
//!
//! Pure: the present comes in as an argument.

use entracte_domain::time::{Millis, Timestamp};
use reqwest::header::HeaderMap;

/// The span that the headers name; none when they name none that can be read.
pub fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Millis> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    text("retry-after-ms")
        .and_then(|value| millis(value, 1.0))
        .or_else(|| text("retry-after").and_then(|value| millis(value, 1000.0).or_else(|| until(value, now))))
}

fn millis(value: &str, unit_ms: f64) -> Option<Millis> {
    let number: f64 = value.parse().ok()?;
    (number.is_finite() && number >= 0.0).then(|| {
        let ms = (number * unit_ms).ceil().min(YEAR_MS) as i64;
        Millis(ms)
    })
}

fn until(value: &str, now: Timestamp) -> Option<Millis> {
    let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(value).ok()?;
    Some(Timestamp(date.as_microsecond()).since(now))
}

const YEAR_MS: f64 = 366.0 * 86_400_000.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &'static str, value: &'static str, expected: Option<i64>) {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        // 2026-11-20T10:00:00Z
        let now = Timestamp(1_795_168_800_000_000);
        assert_eq!(retry_after(&headers, now), expected.map(Millis), "{name}: {value}");
    }

    #[test]
    fn every_form_is_read() {
        check("retry-after", "7", Some(7000));
        check("retry-after", "0.5", Some(500));
        check("retry-after-ms", "1500", Some(1500));
        check("retry-after", "Fri, 20 Nov 2026 10:00:30 GMT", Some(30_000));
        check("retry-after", "Fri, 20 Nov 2026 09:00:00 GMT", Some(0));
        check("retry-after", "soon", None);
        check("retry-after", "-3", None);
        check("retry-after", "1e300", Some(31_622_400_000));
        check("x-other", "7", None);
    }
}
