//! Collects the faults of a reply, each with its path, the value found and the value expected.

use entracte_domain::session::FormatFault;
use entracte_domain::value::JsonValue;

/// The fault codes; equal faults have equal codes.
pub(super) mod code {
    pub(in super::super) const NO_OBJECT: &str = "no_object";
    pub(in super::super) const SEVERAL_OBJECTS: &str = "several_objects";
    pub(in super::super) const CUT: &str = "cut";
    pub(in super::super) const INVALID_JSON: &str = "invalid_json";
    pub(in super::super) const UNKNOWN_FIELD: &str = "unknown_field";
    pub(in super::super) const MISSING_FIELD: &str = "missing_field";
    pub(in super::super) const WRONG_TYPE: &str = "wrong_type";
    pub(in super::super) const BOTH_LISTS: &str = "both_lists";
    pub(in super::super) const QUESTION_BESIDE_COMMANDS: &str = "question_beside_commands";
    pub(in super::super) const BAD_QUESTION: &str = "bad_question";
    pub(super) const MORE: &str = "more_faults";
}

/// Maximum stored faults; the rest is counted, because a hostile reply may have a million.
const KEPT: usize = 100;

/// Maximum characters quoted of a name or text.
const EXCERPT_CHARS: usize = 60;

/// The faults of one reply.
pub(super) struct FormatFaultList {
    kept: Vec<FormatFault>,
    left_out: usize,
}

impl FormatFaultList {
    pub(super) fn new() -> Self {
        Self { kept: Vec::new(), left_out: 0 }
    }

    /// Adds a fault; its text is only rendered if it is stored.
    pub(super) fn add(&mut self, code: &str, text: impl FnOnce() -> String) {
        if self.kept.len() < KEPT {
            self.kept.push(FormatFault { code: code.to_owned(), text: text() });
        } else {
            self.left_out += 1;
        }
    }

    /// The number of faults, including those not stored.
    pub(super) fn count(&self) -> usize {
        self.kept.len() + self.left_out
    }

    /// Adds the fault that the value at `path` has the wrong type.
    pub(super) fn wrong_type(&mut self, path: &str, expected: &str, value: &JsonValue) {
        self.add(code::WRONG_TYPE, || {
            format!("`{path}` must be {expected}, found {}", describe_value(value))
        });
    }

    /// Adds the fault that the required `path` is absent.
    pub(super) fn missing(&mut self, path: &str, expected: &str) {
        self.add(code::MISSING_FIELD, || format!("`{path}` is missing: it must be {expected}"));
    }

    /// At most `most` faults; if there are more, the last one says how many were left out.
    pub(super) fn into_list(self, most: usize) -> Vec<FormatFault> {
        let Self { mut kept, left_out } = self;
        let all = kept.len() + left_out;
        if all > most {
            kept.truncate(most.saturating_sub(1));
            let more = all - kept.len();
            let text = format!("{more} more errors were left out");
            kept.push(FormatFault { code: code::MORE.to_owned(), text });
        }
        kept
    }
}

/// A short description of a value of any size.
pub(super) fn describe_value(value: &JsonValue) -> String {
    match value {
        JsonValue::Null => "null".to_owned(),
        JsonValue::Bool(truth) => truth.to_string(),
        JsonValue::Number(text) => format!("the number {}", excerpt(text)),
        JsonValue::Text(text) => format!("the string \"{}\"", excerpt(text)),
        JsonValue::List(items) => format!("a list of {}", items.len()),
        JsonValue::Object(_) => "an object".to_owned(),
    }
}

/// The beginning of a text, on one line.
pub(super) fn excerpt(text: &str) -> String {
    let mut short: String = text
        .chars()
        .take(EXCERPT_CHARS)
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
