//! Durations as text: a number and `ms`, `s`, `m`, `h` or `d`.

use entracte_domain::time::Millis;

/// Parses a duration; `None` for an invalid text.
pub fn span(text: &str) -> Option<Millis> {
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

/// Formats a duration so that [`span`] can parse it.
pub fn written(span: Millis) -> String {
    let Millis(ms) = span;
    if ms == 0 {
        return "0s".to_owned();
    }
    let units = [(3_600_000, "h"), (60_000, "m"), (1000, "s")];
    let (factor, unit) = units.into_iter().find(|(factor, _)| ms % factor == 0).unwrap_or((1, "ms"));
    format!("{}{unit}", ms / factor)
}
