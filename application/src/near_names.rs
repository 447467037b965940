//! Guesses of the name that a person meant.

use jiff::tz;

/// The name nearest to `given`, if it is near enough.
pub fn nearest(given: &str, names: &[String]) -> Option<String> {
    let far = (given.chars().count() / 3).max(2);
    let near = names.iter().map(|name| (distance(given, name), name)).min_by_key(|(distance, _)| *distance);
    near.filter(|(distance, _)| *distance <= far).map(|(_, name)| name.clone())
}

/// Abbreviations that are no names of zones, with the zones that they most often stand for. One may stand for zones of
/// several continents.
const ABBREVIATIONS: [(&str, &str); 35] = [
    ("ACDT", "Australia/Adelaide"),
    ("ACST", "Australia/Adelaide, Australia/Darwin"),
    ("AEDT", "Australia/Sydney"),
    ("AEST", "Australia/Sydney, Australia/Brisbane"),
    ("AKDT", "America/Anchorage"),
    ("AKST", "America/Anchorage"),
    ("AWST", "Australia/Perth"),
    ("BRT", "America/Sao_Paulo"),
    ("BST", "Europe/London, Asia/Dhaka"),
    ("CAT", "Africa/Maputo"),
    ("CDT", "America/Chicago"),
    ("CEST", "Europe/Paris, Europe/Berlin"),
    ("CST", "America/Chicago, Asia/Shanghai"),
    ("EAT", "Africa/Nairobi"),
    ("EDT", "America/New_York"),
    ("EEST", "Europe/Athens, Europe/Helsinki"),
    ("GST", "Asia/Dubai"),
    ("HKT", "Asia/Hong_Kong"),
    ("IST", "Asia/Kolkata, Europe/Dublin, Asia/Jerusalem"),
    ("JST", "Asia/Tokyo"),
    ("KST", "Asia/Seoul"),
    ("MDT", "America/Denver"),
    ("MESZ", "Europe/Berlin"),
    ("MEZ", "Europe/Berlin"),
    ("MSK", "Europe/Moscow"),
    ("NZDT", "Pacific/Auckland"),
    ("NZST", "Pacific/Auckland"),
    ("PDT", "America/Los_Angeles"),
    ("PKT", "Asia/Karachi"),
    ("PST", "America/Los_Angeles, Asia/Manila"),
    ("SAST", "Africa/Johannesburg"),
    ("SGT", "Asia/Singapore"),
    ("WAT", "Africa/Lagos"),
    ("WEST", "Europe/Lisbon"),
    ("WIB", "Asia/Jakarta"),
];

/// The most characters of an abbreviation.
const ABBREVIATION_MAX: usize = 5;

/// Whether this is written as abbreviations of zones are.
fn is_abbreviated(given: &str) -> bool {
    let is_capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    given.len() <= ABBREVIATION_MAX && given.bytes().all(is_capital)
}

/// The IANA time zone that a person meant: by its whole name, or by that of its city alone. Of an abbreviation those that
/// it stands for, separated by commas; one that is not known resembles nothing.
pub fn nearest_zone(given: &str) -> Option<String> {
    let plain = |name: &str| name.trim().to_lowercase().replace(' ', "_");
    let known = ABBREVIATIONS.iter().find(|(short, _)| short.eq_ignore_ascii_case(given.trim()));
    if let Some((_, zones)) = known {
        return Some((*zones).to_owned());
    }
    let far = if is_abbreviated(given.trim()) { 0 } else { given.trim().chars().count() / 3 };
    let given = plain(given);
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
            ("PARIS", Some("Europe/Paris")),
            ("CEST", Some("Europe/Paris, Europe/Berlin")),
            ("pst", Some("America/Los_Angeles, Asia/Manila")),
            ("BST", Some("Europe/London, Asia/Dhaka")),
            ("CHST", None),
            ("ADT", None),
            ("Mars", None),
            ("GMT1", None),
            ("", None),
        ] {
            assert_eq!(nearest_zone(given).as_deref(), expected, "{given}");
        }
    }

    #[test]
    fn abbreviations_stand_for_known_zones() {
        for (short, zones) in ABBREVIATIONS {
            assert!(is_abbreviated(short), "{short}");
            for zone in zones.split(", ") {
                assert!(tz::db().get(zone).is_ok(), "{short}: {zone}");
            }
        }
    }
}
