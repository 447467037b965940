//! The sessions of one external caller, and their states.

use entracte_domain::call::CallStatus;
use entracte_domain::id::{CallId, MessageId, SessionId};
use entracte_domain::plan::PlanMode;
use entracte_domain::restriction::{CommandPattern, Restriction};
use entracte_domain::session::{Input, PhaseLabel};

use super::{ExternalCaller, RunExternalCall};
use crate::codec::{decode_entry, decode_snapshot};
use crate::journal::JournalEntry;
use crate::protocol::relay;
use crate::system::sha256;
use crate::use_cases::UseCaseError;

/// The state of a caller's session.
pub(super) enum CallerSessionState {
    /// It accepts no more calls: a person ended it, or selected another model.
    Ended,
    /// It is idle.
    Free,
    /// It does work its caller did not request: a person resumed it.
    Busy,
    /// It has this unanswered call.
    Asked(PendingExternalCall),
}

/// The last requested call, not answered yet.
pub(super) struct PendingExternalCall {
    /// The message that requested it.
    pub(super) text: String,
    /// The number of the entry before it.
    pub(super) after: u64,
    /// Whether it has ended and its answer was not fetched.
    pub(super) is_over: bool,
}

/// The maximum number of entries that are read after the last answer.
const PAGE: u32 = 500;
/// The number of characters of an id after `ses_`.
const ID_CHARS: usize = 16;

/// The id of a caller's session of that mode and number: the same in every process.
pub(super) fn caller_session_id(who: &ExternalCaller, mode: Option<PlanMode>, number: u32) -> SessionId {
    let restriction = match &who.restriction {
        Restriction::Open => Restriction::EVERY.to_owned(),
        Restriction::Only(all) => all.iter().map(CommandPattern::to_string).collect::<Vec<_>>().join(","),
    };
    let mode = mode.map(|mode| format!("\n{}", mode.word())).unwrap_or_default();
    let named = format!("{}\n{}\n{}\n{restriction}\n{number}{mode}", who.workspace, who.name, who.seat);
    let hash = sha256(named.as_bytes());
    let letters: String = hash.as_str().chars().take(ID_CHARS).collect();
    SessionId::new(format!("ses_{letters}"))
}

impl RunExternalCall {
    /// The state of a session; `None` if it does not exist.
    pub(super) async fn caller_session_state(
        &self,
        who: &ExternalCaller,
        id: &SessionId,
    ) -> Result<Option<CallerSessionState>, UseCaseError> {
        let Some(row) = self.store.session(&who.workspace, id).await? else { return Ok(None) };
        let snapshot = decode_snapshot(&row.body)?;
        // A session in which a person selected a real model no longer relays calls.
        if snapshot.phase.end_reason().is_some() || !relay::is_model_of(&snapshot.facts) {
            return Ok(Some(CallerSessionState::Ended));
        }
        let answered = snapshot.facts.read_mark_of(&who.name);
        let rows = self.log.entries_since(&who.workspace, id, answered, PAGE).await?;
        let entries = rows.iter().map(decode_entry).collect::<Result<Vec<_>, _>>()?;
        // The last request: an unfetched answer may have made room for it.
        let asked = entries.iter().rev().find_map(|entry| Some((asks(entry, who)?, entry.seq)));
        let is_idle = snapshot.phase.label() == PhaseLabel::Idle;
        let Some((text, seq)) = asked else {
            return Ok(Some(if is_idle { CallerSessionState::Free } else { CallerSessionState::Busy }));
        };
        let after = seq.saturating_sub(1);
        // An unknown outcome keeps the session until a person has settled it.
        let is_over = is_idle && snapshot.facts.unsettled.is_empty();
        Ok(Some(CallerSessionState::Asked(PendingExternalCall { text, after, is_over })))
    }

    /// The session's entries after this number, at most [`PAGE`].
    pub(super) async fn entries(
        &self,
        who: &ExternalCaller,
        session: &SessionId,
        after: u64,
    ) -> Result<Vec<JournalEntry>, UseCaseError> {
        let rows = self.log.entries(&who.workspace, session, after, PAGE).await?;
        Ok(rows.iter().map(decode_entry).collect::<Result<Vec<_>, _>>()?)
    }
}

/// The message by which this caller requests a call, if the entry contains one.
pub(super) fn asks(entry: &JournalEntry, who: &ExternalCaller) -> Option<String> {
    match &entry.input {
        Input::UserMessageSent(sent) if sent.author == who.name => Some(sent.message.linear_text()),
        _ => None,
    }
}

/// The ledger id of the call that the entry requests.
pub(super) fn call_of(entry: &JournalEntry) -> Option<CallId> {
    match &entry.input {
        Input::AiResponseReceived(reply) if !reply.calls.is_empty() => {
            Some(entry.session.call_id(entry.sequence, 0))
        }
        _ => None,
    }
}

/// The sequence, in its session, of the entry with a user message.
pub(super) fn sequence_of(session: &SessionId, message: &MessageId) -> Option<u64> {
    let (stem, _) = message.as_str().rsplit_once('_')?;
    let sequence = stem.rsplit_once('_')?.1.parse().ok()?;
    (session.message_id(sequence, 0) == *message).then_some(sequence)
}

/// Whether this is the state of a call with unknown outcome.
pub(super) fn is_unknown(state: &str) -> bool {
    state == CallStatus::Unknown.word()
}
