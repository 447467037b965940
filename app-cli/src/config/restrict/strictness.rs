//! The limits and policies that an untrusted file may make stricter, and what stricter means for each.

use crate::config::value::Value;

/// What is stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stricter {
    /// A smaller number or a shorter time; 0 is none, so it is the loosest.
    Less,
    /// A word that stands later among these.
    Later(&'static [&'static str]),
}

/// Fields of the rules by their names; the others stay as they are.
pub(super) const STRICTER: [(&str, Stricter); 20] = [
    ("rounds", Stricter::Less),
    ("query_rounds", Stricter::Less),
    ("failed_action_rounds", Stricter::Less),
    ("format_errors", Stricter::Less),
    ("equal_failures", Stricter::Less),
    ("relaunches", Stricter::Less),
    ("without_progress", Stricter::Less),
    ("run_duration", Stricter::Less),
    ("calls_per_reply", Stricter::Less),
    ("calls_per_session", Stricter::Less),
    ("output_tokens", Stricter::Less),
    ("agent_depth", Stricter::Less),
    ("agents_at_once", Stricter::Less),
    ("agents_in_tree", Stricter::Less),
    ("rounds_in_tree", Stricter::Less),
    ("expires", Stricter::Less),
    ("actions_on_failure", Stricter::Later(&["continue", "stop"])),
    ("on_unknown", Stricter::Later(&["continue", "stop"])),
    ("mode", Stricter::Later(&["free", "plan"])),
    ("unattended", Stricter::Later(&["allow", "park", "refuse"])),
];

impl Stricter {
    /// Whether the new value is at least as strict as the old one.
    pub(super) fn holds(self, old: &Value, new: &Value) -> bool {
        match self {
            Stricter::Less => matches!((size(old), size(new)), (Some(old), Some(new)) if new <= old),
            Stricter::Later(words) => {
                let place = |value: &Value| match value {
                    Value::Text(text) => words.iter().position(|word| word == text),
                    Value::Flag(_) | Value::Count(_) | Value::Span(_) => None,
                };
                matches!((place(old), place(new)), (Some(old), Some(new)) if new >= old)
            }
        }
    }
}

fn size(value: &Value) -> Option<u64> {
    let size = match value {
        Value::Count(count) => *count,
        Value::Span(span) => u64::try_from(span.0).ok()?,
        Value::Text(_) | Value::Flag(_) => return None,
    };
    Some(if size == 0 { u64::MAX } else { size })
}
