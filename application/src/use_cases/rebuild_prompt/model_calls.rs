//! Which model calls a log tells of, and which of them a person named.

use std::sync::Arc;

use entracte_domain::id::{Digest, ModelCallId, SessionId, WorkspaceKey};
use entracte_domain::session::{Input, JournalNote, LogAppend, SummaryRequest};
use entracte_domain::time::Timestamp;

use super::{RebuildPrompt, UseCaseError};
use crate::journal::JournalEntry;
use crate::texts::saying;

/// One attempt of one round.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelCall {
    /// Its id.
    pub id: ModelCallId,
    /// The session whose log tells of it.
    pub session: SessionId,
    /// The session that sent it: another one where the log was copied from there.
    pub sent_by: SessionId,
    /// The round.
    pub round: u32,
    /// The attempt, from 1.
    pub attempt: u32,
    /// The session's sequence of the entry that started it.
    pub sequence: u64,
    /// When it was started.
    pub at: Timestamp,
    /// SHA-256 (hex) of the bytes that were sent, recorded with the reply; none when there was no reply, or the
    /// provider did not tell.
    pub recorded: Option<Digest>,
    /// What it asked for a summary with; none where it is the call of a round.
    pub asked: Option<SummaryRequest>,
}

/// The model calls that a log tells of, in order.
pub(super) fn attempts(session: &SessionId, entries: &[JournalEntry]) -> Vec<ModelCall> {
    let sent = |(round, attempt), sequence, at| ModelCall {
        id: session.model_call_id(round, attempt),
        session: session.clone(),
        sent_by: session.clone(),
        round,
        attempt,
        sequence,
        at,
        recorded: None,
        asked: None,
    };
    let mut calls: Vec<ModelCall> = Vec::new();
    for entry in entries {
        match &entry.input {
            Input::AiResponseReceived(reply) => {
                let of = |call: &&mut ModelCall| (call.round, call.attempt) == (reply.round, reply.attempt);
                if let Some(call) = calls.iter_mut().rev().find(of) {
                    call.recorded = reply.request.clone();
                }
            }
            // What was sent before the copy was made was sent by the session it was copied from; by which one, a
            // copy of a copy says at its first such entry.
            Input::SessionCopied { from, .. } => {
                let own = |call: &&mut ModelCall| call.sent_by == *session;
                calls.iter_mut().filter(own).for_each(|call| call.sent_by = from.clone());
            }
            // It was not sent.
            Input::BudgetReached { round, attempt, .. } => {
                calls.retain(|call| (call.round, call.attempt) != (*round, *attempt));
            }
            Input::ContextCompacted { round, attempt, asked: Some(asked), .. }
            | Input::CompactionFailed { round, attempt, asked: Some(asked), .. } => {
                let sequence = before(entries, (*round, *attempt)).unwrap_or(entry.sequence - 1);
                let (recorded, asked) = (asked.body.clone(), Some((**asked).clone()));
                let call = sent((*round, *attempt), sequence, entry.at);
                calls.push(ModelCall { recorded, asked, ..call });
            }
            _ => {}
        }
        for appended in &entry.appended {
            if let LogAppend::Note(JournalNote::AttemptStarted { round, attempt }) = appended {
                calls.push(sent((*round, *attempt), entry.sequence, entry.at));
            }
        }
    }
    calls
}

/// The sequence of the entry that ended the attempt before this one, or that began its round: that made it.
fn before(entries: &[JournalEntry], (round, attempt): (u32, u32)) -> Option<u64> {
    if attempt == 1 {
        let begins = |appended: &LogAppend| matches!(appended, LogAppend::Note(JournalNote::RoundStarted { round: begun, .. }) if *begun == round);
        let begun = entries.iter().find(|entry| entry.appended.iter().any(begins));
        return begun.map(|entry| entry.sequence);
    }
    let ended = |entry: &&JournalEntry| match &entry.input {
        Input::BudgetReached { round, attempt, .. }
        | Input::ProviderErrorOccurred { round, attempt, .. }
        | Input::CompactionFailed { round, attempt, .. } => Some((*round, *attempt)),
        _ => None,
    };
    let former = Some((round, attempt.checked_sub(1)?));
    entries.iter().find(|entry| ended(entry) == former).map(|entry| entry.sequence)
}

/// The entries of a session, in order.
pub(super) type SessionEntries = Arc<[JournalEntry]>;

/// The call that was named, and the log that tells of it.
pub(super) async fn find(
    rebuild: &RebuildPrompt,
    workspace: &WorkspaceKey,
    named: &str,
) -> Result<(ModelCall, SessionEntries), UseCaseError> {
    let wanted = ModelCallIdPrefix::read(named)?;
    let mut found = Vec::new();
    let prefix = format!("ses_{}", wanted.stem);
    let mut sessions = rebuild.log.sessions_by_prefix(workspace, &prefix).await?;
    // `k1` is also the beginning of `k10`; who writes a whole id means it.
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

/// Ids that an error lists.
const SHOWN: usize = 5;

/// The id of a model call as far as it was written: `mc_<stem>_<round>_<attempt>`.
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
        self.round.is_none_or(|round| round == call.round)
            && self.attempt.is_none_or(|attempt| attempt == call.attempt)
    }

    /// The id, when it is that of a summary with which no request was kept.
    fn summary(&self, session: &SessionId, entries: &[JournalEntry]) -> Option<ModelCallId> {
        let (named_round, named_attempt) = (self.round?, self.attempt?);
        let is_it = |entry: &JournalEntry| match &entry.input {
            Input::ContextCompacted { round, attempt, asked: None, .. }
            | Input::CompactionFailed { round, attempt, asked: None, .. } => {
                (*round, *attempt) == (named_round, named_attempt)
            }
            _ => false,
        };
        entries.iter().any(is_it).then(|| session.model_call_id(named_round, named_attempt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_may_be_shortened_and_a_wrong_one_is_named() {
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
