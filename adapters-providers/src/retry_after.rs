//! Retry delays that a provider requests: `retry-after-ms`, then `retry-after` (seconds, or an HTTP date), and without
//! either the reset times of exhausted rate limits.
//!
//! Pure: the current time is an argument.

use entracte_domain::time::{Millis, Timestamp};
use jiff::civil::DateTime;
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::tz::TimeZone;
use reqwest::header::HeaderMap;

/// The delay in the headers; `None` if they contain no readable one.
pub fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Millis> {
    text(headers, "retry-after-ms").and_then(|value| number(value, 1.0)).or_else(|| {
        let value = text(headers, "retry-after")?;
        number(value, 1000.0).or_else(|| until(http_date(value)?, now))
    })
}

/// The time until all exhausted limits are reset, at most a minute, because capacity returns gradually; for a request
/// that was refused because of a limit. `None` if the headers name no such limit, or no reset time.
pub(crate) fn limit_reset_after(headers: &HeaderMap, now: Timestamp) -> Option<Millis> {
    let resets = LIMITS.iter().filter_map(|(remaining, reset)| {
        let is_used_up = text(headers, remaining).and_then(|left| left.parse::<u64>().ok()) == Some(0);
        let reset = text(headers, reset).filter(|_| is_used_up)?;
        duration(reset).or_else(|| until(reset.parse::<jiff::Timestamp>().ok()?, now))
    });
    resets.max().map(|full| full.min(Millis::minutes(1)))
}

/// Header pairs for the remaining amount of a limit and its reset, as a span (OpenAI, Groq) or as an instant (Claude).
const LIMITS: [(&str, &str); 6] = [
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
    ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"),
    ("anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"),
];

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

fn number(value: &str, unit_ms: f64) -> Option<Millis> {
    let number: f64 = value.parse().ok()?;
    (number.is_finite() && number >= 0.0).then(|| millis(number * unit_ms))
}

fn millis(ms: f64) -> Millis {
    Millis(ms.ceil().min(YEAR_MS) as i64)
}

/// Parses a span in the format of Go: `120ms`, `6m0s`, `2m59.56s`.
fn duration(value: &str) -> Option<Millis> {
    let (mut rest, mut sum_ms) = (value, 0.0);
    while !rest.is_empty() {
        let is_of_number = |character: char| character.is_ascii_digit() || character == '.';
        let (number, after) = rest.split_at(rest.find(|character| !is_of_number(character))?);
        let (unit, later) = after.split_at(after.find(is_of_number).unwrap_or(after.len()));
        sum_ms += number.parse::<f64>().ok()? * unit_ms(unit)?;
        rest = later;
    }
    (!value.is_empty()).then(|| millis(sum_ms))
}

fn unit_ms(unit: &str) -> Option<f64> {
    match unit {
        "h" => Some(3_600_000.0),
        "m" => Some(60_000.0),
        "s" => Some(1000.0),
        "ms" => Some(1.0),
        "us" | "µs" => Some(0.001),
        "ns" => Some(0.000_001),
        _ => None,
    }
}

/// Parses an HTTP date in any of its three forms; the last two are obsolete, but recipients must accept them.
fn http_date(value: &str) -> Option<jiff::Timestamp> {
    if let Ok(at) = DateTimeParser::new().relaxed_weekday(true).parse_timestamp(value) {
        return Some(at);
    }
    let old = ["%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y"];
    let at = old.into_iter().find_map(|form| DateTime::strptime(form, value).ok())?;
    Some(at.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

fn until(at: jiff::Timestamp, now: Timestamp) -> Option<Millis> {
    Some(Timestamp(at.as_microsecond()).since(now))
}

const YEAR_MS: f64 = 366.0 * 86_400_000.0;

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn check(name: &'static str, value: &'static str, expected: Option<i64>) {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        // 2026-11-20T10:00:00Z
        let now = Timestamp(1_795_168_800_000_000);
        assert_eq!(retry_after(&headers, now), expected.map(Millis), "{name}: {value}");
    }

    #[test]
    fn every_retry_after_format_is_parsed() {
        check("retry-after", "7", Some(7000));
        check("retry-after", "0.5", Some(500));
        check("retry-after-ms", "1500", Some(1500));
        check("retry-after", "Fri, 20 Nov 2026 10:00:30 GMT", Some(30_000));
        check("retry-after", "Fri, 20 Nov 2026 09:00:00 GMT", Some(0));
        check("retry-after", "Friday, 20-Nov-26 10:00:30 GMT", Some(30_000));
        check("retry-after", "Fri Nov 20 10:00:30 2026", Some(30_000));
        check("retry-after", "Sat Nov  7 10:00:30 2026", Some(0));
        check("retry-after", "soon", None);
        check("retry-after", "-3", None);
        check("retry-after", "1e300", Some(31_622_400_000));
        check("x-other", "7", None);
    }

    /// Input: the limits in a refusal without a retry delay; expected: the time until the last exhausted one is reset.
    #[test]
    fn exhausted_limits_give_reset_delay() {
        let told = |pairs: &[(&'static str, &'static str)]| {
            let header = |&(name, value): &(&'static str, &'static str)| {
                (HeaderName::from_static(name), HeaderValue::from_static(value))
            };
            let headers: HeaderMap = pairs.iter().map(header).collect();
            // 2026-11-20T10:00:00Z
            limit_reset_after(&headers, Timestamp(1_795_168_800_000_000)).map(|span| span.0)
        };
        let openai = |left: &'static str, reset: &'static str| {
            told(&[("x-ratelimit-remaining-tokens", left), ("x-ratelimit-reset-tokens", reset)])
        };
        for (reset, ms) in [("1s", 1000), ("6m0s", 60_000), ("120ms", 120), ("0m59.56s", 59_560)] {
            assert_eq!(openai("0", reset), Some(ms), "{reset}");
        }
        for (left, reset) in [("7", "1s"), ("", "1s"), ("0", ""), ("0", "soon"), ("0", "1 day"), ("0", "5")] {
            assert_eq!(openai(left, reset), None, "{left} {reset}");
        }
        let claude = [
            ("anthropic-ratelimit-requests-remaining", "0"),
            ("anthropic-ratelimit-requests-reset", "2026-11-20T10:00:20Z"),
            ("anthropic-ratelimit-input-tokens-remaining", "0"),
            ("anthropic-ratelimit-input-tokens-reset", "2026-11-20T10:00:40Z"),
            ("anthropic-ratelimit-output-tokens-remaining", "9"),
            ("anthropic-ratelimit-output-tokens-reset", "2026-11-20T11:00:00Z"),
        ];
        assert_eq!(told(&claude), Some(40_000));
    }
}
