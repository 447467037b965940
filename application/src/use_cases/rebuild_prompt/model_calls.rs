//! The model calls recorded in a log, and their lookup by id.

use std::sync::Arc;

use entracte_domain::id::{Digest, ModelCallId, RoundAttempt, SessionId, WorkspaceKey};
use entracte_domain::session::{Input, JournalNote, LogAppend, SummaryRequest};
use entracte_domain::time::Timestamp;

use super::{RebuildPrompt, UseCaseError};
use crate::journal::JournalEntry;
use crate::texts::saying;

/// One attempt of one round.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelCall {
    /// Unique id of the model call.
    pub id: ModelCallId,
    /// The session whose log records it.
    pub session: SessionId,
    /// The session that made the call: a different one if the log was copied from it.
    pub sent_by: SessionId,
    /// Its number within the session.
    pub number: RoundAttempt,
    /// The session's sequence of the entry that started it.
    pub sequence: u64,
    /// When it started.
    pub at: Timestamp,
    /// SHA-256 (hex) of the sent bytes, recorded with the reply; `None` if there was no reply, or the provider did not
    /// report it.
    pub recorded: Option<Digest>,
    /// The request for a summary; `None` if it is the call of a round.
    pub asked: Option<SummaryRequest>,
}

/// The model calls recorded in a log, in order.
pub(super) fn attempts(session: &SessionId, entries: &[JournalEntry]) -> Vec<ModelCall> {
    let sent = |number: RoundAttempt, sequence, at| ModelCall {
        id: session.model_call_id(number),
        session: session.clone(),
        sent_by: session.clone(),
        number,
        sequence,
        at,
        recorded: None,
        asked: None,
    };
    let mut calls: Vec<ModelCall> = Vec::new();
    for entry in entries {
        match &entry.input {
            Input::AiResponseReceived(reply) => {
                let of = |call: &&mut ModelCall| call.number == reply.number();
                if let Some(call) = calls.iter_mut().rev().find(of) {
                    call.recorded = reply.request.clone();
                }
            }
            // Calls before a copy was made were made by the original session; the first such entry of a copy of a
            // copy names it.
            Input::SessionCopied { from, .. } => {
                let own = |call: &&mut ModelCall| call.sent_by == *session;
                calls.iter_mut().filter(own).for_each(|call| call.sent_by = from.clone());
            }
            // The request was not sent.
            Input::BudgetReached { round, attempt, .. } | Input::SpendingRefused { round, attempt, .. } => {
                let number = RoundAttempt { round: *round, attempt: *attempt };
                calls.retain(|call| call.number != number);
            }
            Input::ContextCompacted { round, attempt, asked: Some(asked), .. }
            | Input::CompactionFailed { round, attempt, asked: Some(asked), .. } => {
                let number = RoundAttempt { round: *round, attempt: *attempt };
                let sequence = attempt_start(entries, number).unwrap_or(entry.sequence - 1);
                let (recorded, asked) = (asked.body.clone(), Some((**asked).clone()));
                let call = sent(number, sequence, entry.at);
                calls.push(ModelCall { recorded, asked, ..call });
            }
            _ => {}
        }
        for appended in &entry.appended {
            if let LogAppend::Note(JournalNote::AttemptStarted { round, attempt }) = appended {
                let number = RoundAttempt { round: *round, attempt: *attempt };
                calls.push(sent(number, entry.sequence, entry.at));
            }
        }
    }
    calls
}

/// The sequence of the entry that ended the previous attempt or began the round, and so started this attempt.
fn attempt_start(entries: &[JournalEntry], number: RoundAttempt) -> Option<u64> {
    let RoundAttempt { round, attempt } = number;
    if attempt == 1 {
        let begins = |appended: &LogAppend| matches!(appended, LogAppend::Note(JournalNote::RoundStarted { round: begun, .. }) if *begun == round);
        let begun = entries.iter().find(|entry| entry.appended.iter().any(begins));
        return begun.map(|entry| entry.sequence);
    }
    let ended = |entry: &&JournalEntry| match &entry.input {
        Input::BudgetReached { round, attempt, .. }
        | Input::ProviderErrorOccurred { round, attempt, .. }
        | Input::CompactionFailed { round, attempt, .. } => {
            Some(RoundAttempt { round: *round, attempt: *attempt })
        }
        _ => None,
    };
    let former = Some(RoundAttempt { round, attempt: attempt.checked_sub(1)? });
    entries.iter().find(|entry| ended(entry) == former).map(|entry| entry.sequence)
}

/// The entries of a session, in order.
pub(super) type SessionEntries = Arc<[JournalEntry]>;

/// The call with that id, and the log that records it.
pub(super) async fn find(
    rebuild: &RebuildPrompt,
    workspace: &WorkspaceKey,
    named: &str,
) -> Result<(ModelCall, SessionEntries), UseCaseError> {
    let wanted = ModelCallIdPrefix::read(named)?;
    let (mut found, mut begin_late) = (Vec::new(), Vec::new());
    let prefix = format!("ses_{}", wanted.stem);
    let mut sessions = rebuild.log.sessions_by_prefix(workspace, &prefix).await?;
    // `k1` is also a prefix of `k10`; a complete id is taken literally.
    if sessions.iter().any(|session| session.stem() == wanted.stem) {
        sessions.retain(|session| session.stem() == wanted.stem);
    }
    for session in sessions {
        let entries: SessionEntries = rebuild.entries(workspace, &session).await?.into();
        if let Some(summary) = wanted.summary(&session, &entries) {
            let made = saying!("model-call-summary", call = summary.to_string(), session = session.as_str());
            return Err(UseCaseError::NotApplicable(made.into()));
        }
        let calls = attempts(&session, &entries).into_iter().filter(|call| wanted.fits(call));
        found.extend(calls.map(|call| (call, entries.clone())));
        if entries.first().is_some_and(|first| first.sequence > 1) {
            begin_late.push((session, entries));
        }
    }
    for (session, entries) in &begin_late {
        let is_meant = match found.as_slice() {
            // The call may be among the entries that are gone.
            [] => true,
            [(call, _)] => call.session == *session,
            _ => false,
        };
        if is_meant {
            rebuild.reject_going(workspace, session, entries).await?;
        }
    }
    expect_single_match(named, found)
}

fn expect_single_match(
    named: &str,
    mut found: Vec<(ModelCall, SessionEntries)>,
) -> Result<(ModelCall, SessionEntries), UseCaseError> {
    let list: Vec<String> = found.iter().map(|(call, _)| call.id.to_string()).collect();
    match (found.pop(), list.len()) {
        (None, _) => Err(UseCaseError::NotFound(saying!("model-call-none", given = named).into())),
        (Some(only), 1) => Ok(only),
        (Some((last, _)), count) => {
            let shown = list.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
            let (more, last) = (count.saturating_sub(SHOWN), last.id.to_string());
            let several =
                saying!("model-call-several", given = named, shown = shown, more = more, last = last);
            Err(UseCaseError::Invalid(several.into()))
        }
    }
}

/// The maximum number of ids in an error.
const SHOWN: usize = 5;

/// The given prefix of a model call's id: `mc_<stem>_<round>_<attempt>`.
struct ModelCallIdPrefix<'a> {
    stem: &'a str,
    round: Option<u32>,
    attempt: Option<u32>,
}

impl<'a> ModelCallIdPrefix<'a> {
    fn read(named: &'a str) -> Result<Self, UseCaseError> {
        let wrong = || UseCaseError::Invalid(saying!("model-call-id", given = named).into());
        let mut parts = named.strip_prefix("mc_").unwrap_or(named).split('_');
        let stem = parts.next().filter(|stem| !stem.is_empty()).ok_or_else(wrong)?;
        let mut number = || match parts.next() {
            None | Some("") => Ok(None),
            Some(text) => text.parse().map(Some).map_err(|_| wrong()),
        };
        let (round, attempt) = (number()?, number()?);
        match parts.next() {
            None => Ok(Self { stem, round, attempt }),
            Some(_) => Err(wrong()),
        }
    }

    fn fits(&self, call: &ModelCall) -> bool {
        self.round.is_none_or(|round| round == call.number.round)
            && self.attempt.is_none_or(|attempt| attempt == call.number.attempt)
    }

    /// The id, if it is that of a summary without a stored request.
    fn summary(&self, session: &SessionId, entries: &[JournalEntry]) -> Option<ModelCallId> {
        let named = RoundAttempt { round: self.round?, attempt: self.attempt? };
        let is_it = |entry: &JournalEntry| match &entry.input {
            Input::ContextCompacted { round, attempt, asked: None, .. }
            | Input::CompactionFailed { round, attempt, asked: None, .. } => {
                named == RoundAttempt { round: *round, attempt: *attempt }
            }
            _ => false,
        };
        entries.iter().any(is_it).then(|| session.model_call_id(named))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_call_is_found_by_prefix() {
        let read = |named| {
            ModelCallIdPrefix::read(named).map(|named| (named.stem.to_owned(), named.round, named.attempt))
        };
        assert_eq!(read("mc_01k_3_1").unwrap(), ("01k".into(), Some(3), Some(1)));
        assert_eq!(read("01k_3").unwrap(), ("01k".into(), Some(3), None));
        assert_eq!(read("mc_01k_").unwrap(), ("01k".into(), None, None));
        for wrong in ["", "mc_", "mc_01k_x", "mc_01k_3_1_9", "mc_01k_-1"] {
            let error = read(wrong).unwrap_err();
            assert!(matches!(&error, UseCaseError::Invalid(text) if text.contains(wrong)), "{error}");
        }
    }
}
