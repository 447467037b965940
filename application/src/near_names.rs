//! Guesses of the name that a person meant.

use jiff::tz;

/// The name nearest to `given`, if it is near enough.
pub fn nearest(given: &str, names: &[String]) -> Option<String> {
    let far = (given.chars().count() / 3).max(2);
    let near = names.iter().map(|name| (distance(given, name), name)).min_by_key(|(distance, _)| *distance);
    near.filter(|(distance, _)| *distance <= far).map(|(_, name)| name.clone())
}

/// The IANA time zone that a person meant: by its whole name, or by that of its city alone.
pub fn nearest_zone(given: &str) -> Option<String> {
    let plain = |name: &str| name.trim().to_lowercase().replace(' ', "_");
    let given = plain(given);
    let far = given.chars().count() / 3;
    // Those of Etc count against the usual sign: Etc/GMT+1 is an hour behind.
    let zones = tz::db().available().filter(|zone| !zone.as_str().starts_with("Etc/")).filter_map(|zone| {
        let whole = plain(zone.as_str());
        let (_, city) = whole.rsplit_once('/')?;
        let near = distance(&given, &whole).min(distance(&given, city));
        (near <= far).then(|| (near, zone.as_str().to_owned()))
    });
    zones.min().map(|(_, zone)| zone)
}

/// The edit distance of two names.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, left) in one.chars().enumerate() {
        let mut corner = row[0];
        row[0] = index + 1;
        for (column, right) in other.iter().enumerate() {
            let changed = corner + usize::from(left != *right);
            corner = row[column + 1];
            row[column + 1] = changed.min(row[column] + 1).min(corner + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_name_is_guessed() {
        assert_eq!(nearest("modle", &["model".into()]), Some("model".into()));
        assert_eq!(nearest("x", &["default_provider".into()]), None);
    }

    #[test]
    fn zone_is_guessed_by_name_or_city() {
        for (given, expected) in [
            ("Paris", Some("Europe/Paris")),
            ("paris", Some("Europe/Paris")),
            ("Europe/Pariss", Some("Europe/Paris")),
            ("europe paris", Some("Europe/Paris")),
            ("new york", Some("America/New_York")),
            ("Tokio", Some("Asia/Tokyo")),
            ("Mars", None),
            ("GMT1", None),
            ("", None),
        ] {
            assert_eq!(nearest_zone(given).as_deref(), expected, "{given}");
        }
    }
}
