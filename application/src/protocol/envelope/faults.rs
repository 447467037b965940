//! Collects the faults of a reply, each with its path, the value found and the value expected.

use entracte_domain::session::FormatFault;
use entracte_domain::value::JsonValue;

use crate::texts::{LocalizedMessage, LocalizedTexts, saying};

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

/// A fault whose language is not known yet.
pub(super) struct EnvelopeFault {
    pub(super) code: String,
    /// Path in the reply, if the fault has one.
    pub(super) place: Option<String>,
    pub(super) text: LocalizedMessage,
}

impl EnvelopeFault {
    /// The fault in the language of `texts`.
    pub(super) fn render(&self, texts: &LocalizedTexts) -> FormatFault {
        FormatFault { code: self.code.clone(), place: self.place.clone(), text: self.text.render(texts) }
    }
}

/// The faults of one reply.
pub(super) struct FormatFaultList {
    kept: Vec<EnvelopeFault>,
    left_out: usize,
}

impl FormatFaultList {
    pub(super) fn new() -> Self {
        Self { kept: Vec::new(), left_out: 0 }
    }

    /// Adds a fault; its text is only built if it is stored.
    pub(super) fn add(&mut self, code: &str, text: impl FnOnce() -> LocalizedMessage) {
        self.add_at(None, code, text);
    }

    /// Adds a fault at a path.
    pub(super) fn add_at(&mut self, path: Option<&str>, code: &str, text: impl FnOnce() -> LocalizedMessage) {
        if self.kept.len() < KEPT {
            let place = path.map(excerpt);
            self.kept.push(EnvelopeFault { code: code.to_owned(), place, text: text() });
        } else {
            self.left_out += 1;
        }
    }

    /// The number of faults, including those not stored.
    pub(super) fn count(&self) -> usize {
        self.kept.len() + self.left_out
    }

    /// Adds the fault that the value at `path` has the wrong type.
    pub(super) fn wrong_type(&mut self, path: &str, expected: LocalizedMessage, value: &JsonValue) {
        self.add_at(Some(path), code::WRONG_TYPE, || {
            saying!("reply-wrong-type", path = path, expected = expected, found = describe_value(value))
        });
    }

    /// Adds the fault that the required `path` is absent.
    pub(super) fn missing(&mut self, path: &str, expected: LocalizedMessage) {
        self.add_at(Some(path), code::MISSING_FIELD, || {
            saying!("reply-missing", path = path, expected = expected)
        });
    }

    /// At most `most` faults; if there are more, the last one says how many were left out.
    pub(super) fn into_list(self, most: usize) -> Vec<EnvelopeFault> {
        let Self { mut kept, left_out } = self;
        let all = kept.len() + left_out;
        if all > most {
            kept.truncate(most.saturating_sub(1));
            let more = all - kept.len();
            let text = saying!("reply-more-faults", count = more);
            kept.push(EnvelopeFault { code: code::MORE.to_owned(), place: None, text });
        }
        kept
    }
}

/// A short description of a value of any size.
pub(super) fn describe_value(value: &JsonValue) -> LocalizedMessage {
    match value {
        JsonValue::Null => saying!("fault-words", words = "null"),
        JsonValue::Bool(truth) => saying!("fault-words", words = truth.to_string()),
        JsonValue::Number(text) => saying!("reply-value-number", value = excerpt(text)),
        JsonValue::Text(text) => saying!("reply-value-text", value = excerpt(text)),
        JsonValue::List(items) => saying!("reply-value-list", count = items.len()),
        JsonValue::Object(_) => saying!("reply-value-object"),
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
