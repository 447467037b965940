//! Parsing and formatting of instants.

use super::calendar;
use crate::settings::{Language, WeekDay::Monday};
use crate::texts::LocalizedTexts;

#[test]
fn instant_without_offset_uses_workspace_clock() {
    let cases = [
        ("Europe/Paris", "2026-11-20T08:30:00Z", "2026-11-20T09:30:00+01:00 / 2026-11-20 09:30 CET"),
        ("Europe/Paris", "2026-11-20T08:30:00.5-05:00", "2026-11-20T14:30:00.5+01:00 / 2026-11-20 14:30 CET"),
        ("Europe/Paris", "2026-11-20T08:30", "2026-11-20T08:30:00+01:00 / 2026-11-20 08:30 CET"),
        ("Europe/Paris", "2026-07-20 08:30:00", "2026-07-20T08:30:00+02:00 / 2026-07-20 08:30 CEST"),
        ("Europe/Paris", "2026-11-20T00:00", "2026-11-20T00:00:00+01:00 / 2026-11-20"),
        // A date is the start of that day of the workspace.
        ("Europe/Paris", "2026-11-20", "2026-11-20T04:00:00+01:00 / 2026-11-20 04:00 CET"),
        // Skipped, and repeated.
        ("Europe/Paris", "2026-03-29T02:30", "2026-03-29T03:00:00+02:00 / 2026-03-29 03:00 CEST"),
        ("Europe/Paris", "2026-10-25T02:30", "2026-10-25T02:30:00+02:00 / 2026-10-25 02:30 CEST"),
        ("UTC", "2026-11-20T08:30", "2026-11-20T08:30:00Z / 2026-11-20 08:30 UTC"),
        ("No/Where", "2026-11-20T08:30", "2026-11-20T08:30:00Z / 2026-11-20 08:30 UTC"),
    ];
    for (zone, text, expected) in cases {
        let calendar = calendar(zone, 4, Monday);
        let at = calendar.parse_instant(text).unwrap();
        assert_eq!(
            format!("{} / {}", calendar.format_instant(at), calendar.format_for_people(at)),
            expected,
            "{text}"
        );
        assert_eq!(calendar.parse_instant(&calendar.format_instant(at)), Ok(at), "{text}");
    }
}

#[test]
fn invalid_instant_is_refused_in_both_languages() {
    let calendar = calendar("UTC", 0, Monday);
    for text in ["", "yesterday", "2026-13-01", "2026-11-31", "20 November", "2026-11-20T25:00"] {
        let fault = calendar.parse_instant(text).unwrap_err();
        assert!(fault.to_string().starts_with(&format!("“{text}” is not a valid time; ")), "{fault}");
        let french = fault.describe(LocalizedTexts::for_language(Language::Fr));
        assert!(
            french.starts_with(&format!("«\u{a0}{text}\u{a0}» n’est pas une date valide\u{a0}; ")),
            "{french}"
        );
    }
}
