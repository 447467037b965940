//! A log entry, without the values of its columns.

use entracte_domain::call::CallOutcome;
use entracte_domain::id::CallId;
use entracte_domain::session::Input as DomainInput;
use serde::{Deserialize, Serialize};

use super::input::InputV1;
use super::leaf::RecurringV1;
use super::message::AroundV1;
use super::note::{self, AppendedV1};
use crate::codec::format_version::FormatVersion1;
use crate::ports::LogRow;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EntryV1 {
    /// Present in JSON only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    v: Option<FormatVersion1>,
    rules: RecurringV1,
    input: InputV1,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    appended: Vec<AppendedV1>,
}

impl From<&crate::journal::JournalEntry> for EntryV1 {
    fn from(entry: &crate::journal::JournalEntry) -> Self {
        let crate::journal::JournalEntry { seq: _, session, sequence, at, rules, input, appended } = entry;
        let around =
            AroundV1 { session, sequence: *sequence, at: *at, answer: answer(input), call: call(input) };
        Self { v: None, rules: rules.into(), input: input.into(), appended: note::of(appended, around) }
    }
}

impl EntryV1 {
    /// Converts to the JSON form.
    pub(crate) fn in_json(self) -> Self {
        Self { v: Some(FormatVersion1), ..self }
    }

    /// Combines the body with the values of the row's columns.
    pub(crate) fn into_domain(self, row: &LogRow) -> crate::journal::JournalEntry {
        let Self { v: _, rules, input, appended } = self;
        let input = DomainInput::from(input);
        let around = AroundV1 {
            session: &row.session,
            sequence: row.sequence,
            at: row.at,
            answer: answer(&input),
            call: call(&input),
        };
        crate::journal::JournalEntry {
            seq: row.seq,
            session: row.session.clone(),
            sequence: row.sequence,
            at: row.at,
            rules: rules.into(),
            appended: note::into_domain(appended, around),
            input,
        }
    }
}

/// The text an input answered, which a message of the entry usually repeats and then omits. Part of the format: the
/// set of inputs with an answer must not change.
fn answer(input: &DomainInput) -> Option<&str> {
    let DomainInput::CallFinished { outcome, .. } = input else { return None };
    match outcome {
        CallOutcome::Succeeded { content, .. }
        | CallOutcome::Accepted { content, .. }
        | CallOutcome::Probed { content, .. } => Some(content),
        CallOutcome::Failed(failure) => Some(&failure.message),
        CallOutcome::TimedOut | CallOutcome::Lost { .. } | CallOutcome::Reported { .. } => None,
    }
}

/// The call an input is about, for the same purpose.
fn call(input: &DomainInput) -> Option<&CallId> {
    let DomainInput::CallFinished { call, .. } = input else { return None };
    Some(call)
}
