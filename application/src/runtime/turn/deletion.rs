//! Deletes a session: its log is removed, and its unfinished calls stay in a record of the workspace.

use std::collections::BTreeMap;

use entracte_domain::id::{CallId, SessionId};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::session::{Phase, SessionFacts, SessionKind, needs_slot};

use crate::codec::decode_call;
use crate::journal::{SessionDeletion, UnfinishedCall};
use crate::mail::{MailAnswer, MailRefusal};
use crate::ports::CallRow;
use crate::runtime::session_draft::SessionDraft;
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::family::list_child_sessions;
use crate::runtime::turn::placement::draft_session;
use crate::runtime::turn::questions::SessionCallsQuestion;
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::texts::saying;

/// Whether the chat has no messages: its deletion needs no record.
fn is_blank(facts: &SessionFacts) -> bool {
    facts.kind == SessionKind::Chat && facts.counters.rounds_total == 0 && facts.queue.is_empty()
}

/// Deletes a session that is not at work.
pub(crate) fn delete_session(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    author: &str,
) -> Result<MailAnswer, RequestNotApplied> {
    let Some(drafted) = draft.sessions.get(session) else {
        return Err(MailRefusal::no_session(session).into());
    };
    // Also a session waiting for a slot, a retry or a task is at work: something of it may be under way outside.
    let has_tasks = matches!(drafted.phase, Phase::WaitingTask) || !drafted.facts.tasks.is_empty();
    if needs_slot(SessionKind::Chat, &drafted.phase) || has_tasks {
        let works = saying!("request-session-works", session = session.as_str());
        return Err(MailRefusal::Conflict(works).into());
    }
    let kind = drafted.facts.kind.word().to_owned();
    let is_blank = is_blank(&drafted.facts);
    // Nobody holds a chat in which nothing was said.
    let hold = draft.body.holds.iter().find(|hold| !is_blank && hold.keeps(&drafted.facts));
    if let Some(hold) = hold {
        return Err(MailRefusal::held(hold).into());
    }
    let mut open = list_unfinished_calls(turn, draft, session)?;
    let most = turn.memory.runtime.deletion_calls;
    let more = u32::try_from(open.len().saturating_sub(most)).unwrap_or(u32::MAX);
    open.truncate(most);
    delete_agents(turn, draft, session)?;
    draft.delete(session);
    if draft.is_deleted(session) && !(is_blank && open.is_empty()) {
        let (session, author, at) = (session.clone(), author.to_owned(), draft.now);
        draft.deletions.push(SessionDeletion { session, at, author, kind, open, more });
    }
    Ok(MailAnswer::Done)
}

/// The sessions of agents belong to the session that called them, and are deleted with it.
fn delete_agents(turn: &TurnContext<'_>, draft: &mut TurnDraft, session: &SessionId) -> Result<(), TurnStop> {
    let mut from = vec![session.clone()];
    while let Some(caller) = from.pop() {
        for child in list_child_sessions(turn, &caller)? {
            let is_of = |drafted: &SessionDraft| {
                drafted.facts.agent.as_ref().is_some_and(|agent| agent.from == caller)
            };
            if draft_session(turn, draft, &child)? && draft.sessions.get(&child).is_some_and(is_of) {
                draft.delete(&child);
                from.push(child);
            }
        }
    }
    Ok(())
}

/// The calls of a session without an end, or with an unknown one, in the order of their requests.
fn list_unfinished_calls(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    session: &SessionId,
) -> Result<Vec<UnfinishedCall>, TurnStop> {
    let stored = turn.ask(SessionCallsQuestion(session.clone()))?;
    let mut rows: BTreeMap<CallId, CallRow> =
        stored.iter().map(|row| (row.id.clone(), row.clone())).collect();
    let drafted = draft.calls.values().filter(|row| row.session == *session);
    rows.extend(drafted.map(|row| (row.id.clone(), row.clone())));
    let mut rows: Vec<CallRow> = rows.into_values().collect();
    rows.retain(|row| row.finished_at.is_none() || row.state == LedgerState::Unknown);
    rows.sort_by_key(|row| (row.sequence, row.ordinal));
    let mut open = Vec::new();
    for row in &rows {
        open.extend(UnfinishedCall::from_call(&decode_call(row)?));
    }
    Ok(open)
}
