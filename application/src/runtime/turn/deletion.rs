//! Deletes a session: its log is removed, and its unfinished calls stay in a record of the workspace.

use std::collections::BTreeMap;

use entracte_domain::id::{CallId, SessionId};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::session::{Phase, SessionFacts, SessionKind, needs_slot};

use crate::codec::decode_call;
use crate::journal::{SessionDeletion, UnfinishedCall};
use crate::mail::{MailAnswer, MailRefusal};
use crate::ports::CallRow;
use crate::retention::RetentionHold;
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
    if is_at_work(drafted) {
        return Err(works(session).into());
    }
    let kind = drafted.facts.kind.word().to_owned();
    let is_blank = is_blank(&drafted.facts);
    // Nobody holds a chat in which nothing was said.
    if !is_blank && let Some(hold) = find_hold(turn, draft, session)? {
        return Err(MailRefusal::held(&hold).into());
    }
    let mut open = list_unfinished_calls(turn, draft, session)?;
    let most = turn.memory.runtime.deletion_calls;
    let more = u32::try_from(open.len().saturating_sub(most)).unwrap_or(u32::MAX);
    open.truncate(most);
    let agents = list_agents(turn, draft, session)?;
    if let Some(busy) = agents.iter().find(|agent| is_copy_at_work(draft, agent)) {
        return Err(works(busy).into());
    }
    agents.iter().for_each(|agent| draft.delete(agent));
    draft.delete(session);
    if draft.is_deleted(session) && !(is_blank && open.is_empty()) {
        let (session, author, at) = (session.clone(), author.to_owned(), draft.now);
        draft.deletions.push(SessionDeletion { session, at, author, kind, open, more });
    }
    Ok(MailAnswer::Done)
}

/// Whether something of the session may be under way outside: also one that waits for a slot, a retry or a task is at
/// work.
fn is_at_work(drafted: &SessionDraft) -> bool {
    let has_tasks = matches!(drafted.phase, Phase::WaitingTask) || !drafted.facts.tasks.is_empty();
    has_tasks || needs_slot(SessionKind::Chat, &drafted.phase)
}

fn works(session: &SessionId) -> MailRefusal {
    MailRefusal::Conflict(saying!("request-session-works", session = session.as_str()))
}

/// Whether a person works in this copy of an agent, which came with a file. Other agents work only while the session above
/// them does.
fn is_copy_at_work(draft: &TurnDraft, agent: &SessionId) -> bool {
    let drafted = draft.sessions.get(agent);
    drafted.is_some_and(|drafted| drafted.facts.agent.is_none() && is_at_work(drafted))
}

/// The hold that keeps a session, if there is one. Only the session above an agent knows its automation.
pub(super) fn find_hold(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
) -> Result<Option<RetentionHold>, TurnStop> {
    if draft.body.holds.is_empty() {
        return Ok(None);
    }
    let root = session.tree_root();
    draft_session(turn, draft, &root)?;
    let facts = [session, &root].map(|id| draft.sessions.get(id).map(|drafted| drafted.facts.clone()));
    let keeps = |hold: &&RetentionHold| facts.iter().flatten().any(|facts| hold.keeps(facts));
    Ok(draft.body.holds.iter().find(keeps).cloned())
}

/// The agents below a session, which belong to it and go with it. A caller stands before its agents.
pub(super) fn list_agents(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
) -> Result<Vec<SessionId>, TurnStop> {
    let (mut callers, mut agents) = (vec![session.clone()], Vec::new());
    while let Some(caller) = callers.pop() {
        for child in list_child_sessions(turn, &caller)? {
            let is_of = |drafted: &SessionDraft| drafted.facts.is_called_by(&caller);
            if draft_session(turn, draft, &child)? && draft.sessions.get(&child).is_some_and(is_of) {
                agents.push(child.clone());
                callers.push(child);
            }
        }
    }
    Ok(agents)
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
