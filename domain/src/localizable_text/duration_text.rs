//! Durations in the largest unit that expresses them exactly.

use super::{LocalizableText, sentences};
use crate::time::Millis;

/// Text for a run that reached its time limit.
pub fn run_time_limit_text(limit: Millis) -> LocalizableText {
    match whole_minutes(limit) {
        Some(minutes) => sentences::run_over(minutes),
        None => sentences::run_over_after(span(limit)),
    }
}

/// Text for a run that was inactive for `limit`.
pub fn run_inactivity_text(limit: Millis) -> LocalizableText {
    match whole_minutes(limit) {
        Some(minutes) => sentences::run_inactive(minutes),
        None => sentences::run_inactive_for(span(limit)),
    }
}

fn whole_minutes(span: Millis) -> Option<i64> {
    (span.0 % 60_000 == 0).then_some(span.0 / 60_000)
}

fn span(span: Millis) -> LocalizableText {
    match span.0 % 1000 {
        0 => sentences::span_seconds(span.0 / 1000),
        _ => sentences::span_millis(span.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_use_the_largest_exact_unit() {
        let cases = [
            (Millis::minutes(10), sentences::run_over(10)),
            (Millis::seconds(3), sentences::run_over_after(sentences::span_seconds(3))),
            (Millis::seconds(90), sentences::run_over_after(sentences::span_seconds(90))),
            (Millis(500), sentences::run_over_after(sentences::span_millis(500))),
        ];
        for (limit, expected) in cases {
            assert_eq!(run_time_limit_text(limit), expected);
        }
        let inactive = sentences::run_inactive_for(sentences::span_seconds(30));
        assert_eq!(run_inactivity_text(Millis::seconds(30)), inactive);
    }
}
