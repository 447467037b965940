//! The limits and policies that an untrusted file may make stricter, with the order of their values.

use crate::config::value::SettingValue;

/// The direction in which values become stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StrictnessOrder {
    /// Smaller numbers or shorter times; 0 means no limit, and is the loosest.
    Less,
    /// Words later in this list.
    Later(&'static [&'static str]),
}

/// The restrictable fields of the rules; an untrusted file cannot change any other field.
pub(super) const STRICTER: [(&str, StrictnessOrder); 20] = [
    ("rounds", StrictnessOrder::Less),
    ("query_rounds", StrictnessOrder::Less),
    ("failed_action_rounds", StrictnessOrder::Less),
    ("format_errors", StrictnessOrder::Less),
    ("equal_failures", StrictnessOrder::Less),
    ("relaunches", StrictnessOrder::Less),
    ("without_progress", StrictnessOrder::Less),
    ("run_duration", StrictnessOrder::Less),
    ("calls_per_reply", StrictnessOrder::Less),
    ("calls_per_session", StrictnessOrder::Less),
    ("output_tokens", StrictnessOrder::Less),
    ("agent_depth", StrictnessOrder::Less),
    ("agents_at_once", StrictnessOrder::Less),
    ("agents_in_tree", StrictnessOrder::Less),
    ("rounds_in_tree", StrictnessOrder::Less),
    ("expires", StrictnessOrder::Less),
    ("actions_on_failure", StrictnessOrder::Later(&["continue", "stop"])),
    ("on_unknown", StrictnessOrder::Later(&["continue", "stop"])),
    ("mode", StrictnessOrder::Later(&["free", "plan"])),
    ("unattended", StrictnessOrder::Later(&["allow", "park", "refuse"])),
];

impl StrictnessOrder {
    /// Whether the new value is at least as strict as the old one.
    pub(super) fn is_at_least_as_strict(self, old: &SettingValue, new: &SettingValue) -> bool {
        match self {
            StrictnessOrder::Less => matches!((size(old), size(new)), (Some(old), Some(new)) if new <= old),
            StrictnessOrder::Later(words) => {
                let place = |value: &SettingValue| match value {
                    SettingValue::Text(text) => words.iter().position(|word| word == text),
                    SettingValue::Flag(_) | SettingValue::Count(_) | SettingValue::Span(_) => None,
                };
                matches!((place(old), place(new)), (Some(old), Some(new)) if new >= old)
            }
        }
    }
}

fn size(value: &SettingValue) -> Option<u64> {
    let size = match value {
        SettingValue::Count(count) => *count,
        SettingValue::Span(span) => u64::try_from(span.0).ok()?,
        SettingValue::Text(_) | SettingValue::Flag(_) => return None,
    };
    Some(if size == 0 { u64::MAX } else { size })
}
