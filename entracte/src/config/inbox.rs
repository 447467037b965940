//! Settings of the inbox: snoozes and assignments. Pure.

use entracte_application::settings::InboxSettings;

use super::layers::ConfigLayer;
use super::value::{SettingValue, SettingValueKind};

/// The settings.
pub(super) const KEYS: [(&str, SettingValueKind); 7] = [
    ("inbox.snooze_later", SettingValueKind::Span),
    ("inbox.snooze_morning", SettingValueKind::Span),
    ("inbox.snooze_max", SettingValueKind::Span),
    ("inbox.wake_before", SettingValueKind::Span),
    ("inbox.snoozes", SettingValueKind::Count(100_000)),
    ("inbox.assignments", SettingValueKind::Count(1_000_000)),
    ("inbox.items_at_once", SettingValueKind::Count(10_000)),
];

/// The settings of the layers.
pub(super) fn inbox(set: &ConfigLayer) -> InboxSettings {
    let usual = InboxSettings::default();
    InboxSettings {
        snooze_later: set.span("inbox.snooze_later", usual.snooze_later),
        snooze_morning: set.span("inbox.snooze_morning", usual.snooze_morning),
        snooze_max: set.span("inbox.snooze_max", usual.snooze_max),
        wake_before: set.span("inbox.wake_before", usual.wake_before),
        snoozes: set.size("inbox.snoozes", usual.snoozes),
        assignments: set.size("inbox.assignments", usual.assignments),
        items_at_once: set.size("inbox.items_at_once", usual.items_at_once),
    }
}

/// Each setting with its value.
pub(super) fn shown(inbox: &InboxSettings) -> [(&'static str, SettingValue); 7] {
    [
        ("inbox.snooze_later", SettingValue::Span(inbox.snooze_later)),
        ("inbox.snooze_morning", SettingValue::Span(inbox.snooze_morning)),
        ("inbox.snooze_max", SettingValue::Span(inbox.snooze_max)),
        ("inbox.wake_before", SettingValue::Span(inbox.wake_before)),
        ("inbox.snoozes", SettingValue::size(inbox.snoozes)),
        ("inbox.assignments", SettingValue::size(inbox.assignments)),
        ("inbox.items_at_once", SettingValue::size(inbox.items_at_once)),
    ]
}
