//! Durations as text: a number and `ms`, `s`, `m`, `h` or `d`; 0 needs no unit.

use entracte_domain::time::Millis;

/// Parses a duration; `None` for an invalid text.
pub fn span(text: &str) -> Option<Millis> {
    if text == "0" {
        return Some(Millis(0));
    }
    let digits = text.find(|character: char| !character.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim() {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    number.parse::<i64>().ok()?.checked_mul(factor).map(Millis)
}

/// Units by their length in milliseconds, the longest first; `ms` is the unit of what none of them expresses exactly.
const UNITS: [(i64, &str); 4] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")];

/// Formats a duration in the largest unit that expresses it exactly. [`span`] parses it.
pub fn written(span: Millis) -> String {
    in_largest_unit(span, &UNITS)
}

/// Formats a duration as stored rows have it: without days, because its bytes stay those of earlier versions. [`span`]
/// parses it.
pub fn stored(span: Millis) -> String {
    let [_, shorter @ ..] = &UNITS;
    in_largest_unit(span, shorter)
}

fn in_largest_unit(Millis(ms): Millis, units: &[(i64, &str)]) -> String {
    if ms == 0 {
        return "0s".to_owned();
    }
    let (factor, unit) = units.iter().find(|(factor, _)| ms % factor == 0).unwrap_or(&(1, "ms"));
    format!("{}{unit}", ms / factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_exact_unit_is_written() {
        for (given, expected, in_rows) in [
            ("90d", "90d", "2160h"),
            ("24h", "1d", "24h"),
            ("36h", "36h", "36h"),
            ("120m", "2h", "2h"),
            ("90s", "90s", "90s"),
            ("1500ms", "1500ms", "1500ms"),
            ("0d", "0s", "0s"),
            ("0", "0s", "0s"),
        ] {
            let read = span(given).unwrap();
            assert_eq!((&*written(read), &*stored(read)), (expected, in_rows), "{given}");
            assert_eq!((span(&written(read)), span(&stored(read))), (Some(read), Some(read)), "{given}");
        }
    }
}
