//! Removes what goes by the retention policy. The planner named the steps a moment ago; each is checked again here, and
//! left out if it no longer applies.

use entracte_domain::file::FileReference;
use entracte_domain::id::{CallId, SessionId};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::session::{Input, Phase, SessionFacts};
use entracte_domain::time::Timestamp;

use super::context::{TurnContext, TurnStop};
use super::deletion::{delete_session, find_hold, list_agents};
use super::draft::TurnDraft;
use super::placement::{draft_session, request_sessions_together};
use super::questions::{EntrySpanQuestion, SessionCallsQuestion, SessionsCallsQuestion};
use super::request_not_applied::RequestNotApplied;
use super::tasks::find_task;
use crate::codec::{CallPosition, decode_call, encode_call, encode_entry};
use crate::journal::result_files;
use crate::ports::{
    DeletionRow, DetachedCostsRow, LogRow, ReleasedFileRow, RemovedCallRow, RetentionMarkKind,
    RetentionMarkRow, RewrittenEntryRow, TrimmedLogRow,
};
use crate::retention::{
    EntrySpan, RetentionHold, RetentionKeepReason, RetentionStep, check_agent_removable,
    check_results_removable, check_session_removable,
};
use crate::retention_planner::{redact_call, redact_entry, redact_task};

/// Applies the steps to the draft; returns the positions of those that apply.
pub(super) fn apply_steps(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    steps: &[RetentionStep],
) -> Result<Vec<u32>, TurnStop> {
    request_together(turn, draft, steps)?;
    let mut applied = Vec::new();
    for (position, step) in (0..).zip(steps) {
        if apply_step(turn, draft, step)? {
            applied.push(position);
        }
    }
    Ok(applied)
}

/// Asks for everything that the steps certainly need at once, so that the turn stops twice, not twice a session.
fn request_together(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    steps: &[RetentionStep],
) -> Result<(), TurnStop> {
    let sessions: Vec<SessionId> = steps.iter().map(|step| step.session().clone()).collect();
    request_sessions_together(turn, draft, &sessions)?;
    let is_unread = |session: &SessionId| turn.known(&SessionCallsQuestion(session.clone())).is_none();
    let mut unread: Vec<SessionId> = sessions.into_iter().filter(is_unread).collect();
    unread.dedup();
    if unread.is_empty() {
        return Ok(());
    }
    turn.ask(SessionsCallsQuestion(unread)).map(drop)
}

/// Applies a step; `false` if something keeps what it would remove.
fn apply_step(turn: &TurnContext<'_>, draft: &mut TurnDraft, step: &RetentionStep) -> Result<bool, TurnStop> {
    if !draft_session(turn, draft, step.session())? {
        return Ok(false);
    }
    match step {
        RetentionStep::DeleteSession { session, before } => {
            if !is_tree_removable(turn, draft, session, *before)? {
                return Ok(false);
            }
            delete_by_policy(turn, draft, session)
        }
        RetentionStep::TrimSession { session, before, through } => {
            if !may_begin_to_go(turn, draft, session, *before)? {
                return Ok(false);
            }
            draft.retention.trimmed.push(TrimmedLogRow { session: session.clone(), through: *through });
            Ok(true)
        }
        RetentionStep::DetachCosts { session, before, attempts } => {
            if !may_begin_to_go(turn, draft, session, *before)? {
                return Ok(false);
            }
            let row = DetachedCostsRow { session: session.clone(), attempts: *attempts };
            draft.retention.detached_costs.push(row);
            Ok(true)
        }
        RetentionStep::RemoveResults { session, before, entries } => {
            if !is_removable(turn, draft, session, *before, check_results_removable)? {
                return Ok(false);
            }
            remove_results(turn, draft, session, *entries)?;
            mark(draft, session, RetentionMarkKind::Results, entries.last);
            Ok(true)
        }
        RetentionStep::KeepResults { session, through } => {
            mark(draft, session, RetentionMarkKind::Results, *through);
            Ok(true)
        }
        RetentionStep::RemoveCalls { session, before, calls, last_at } => {
            if !is_removable(turn, draft, session, *before, check_session_removable)? {
                return Ok(false);
            }
            remove_calls(turn, draft, session, calls)?;
            if let Some(through) = last_at {
                mark(draft, session, RetentionMarkKind::Ledger, *through);
            }
            Ok(true)
        }
    }
}

type EligibilityCheck =
    fn(&SessionFacts, &Phase, &[RetentionHold], Timestamp) -> Result<(), RetentionKeepReason>;

fn is_removable(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    before: Timestamp,
    check: EligibilityCheck,
) -> Result<bool, TurnStop> {
    if find_hold(turn, draft, session)?.is_some() {
        return Ok(false);
    }
    Ok(passes(draft, session, before, check))
}

fn passes(draft: &TurnDraft, session: &SessionId, before: Timestamp, check: EligibilityCheck) -> bool {
    let drafted = draft.sessions.get(session);
    drafted.is_some_and(|drafted| check(&drafted.facts, &drafted.phase, &draft.body.holds, before).is_ok())
}

/// Whether a session may go with everything of it: for itself, or as an agent with a session above it that may. In a
/// large tree an agent goes in an earlier commit than the session above it.
fn is_session_removable(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    before: Timestamp,
) -> Result<bool, TurnStop> {
    if find_hold(turn, draft, session)?.is_some() {
        return Ok(false);
    }
    if passes(draft, session, before, check_session_removable) {
        return Ok(true);
    }
    Ok(passes(draft, session, before, check_agent_removable)
        && is_below_removable(turn, draft, session, before)?)
}

/// Whether parts of a session may go before the rest. Its agents went before: nothing would lead to one that stayed.
fn may_begin_to_go(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    before: Timestamp,
) -> Result<bool, TurnStop> {
    Ok(is_session_removable(turn, draft, session, before)? && list_agents(turn, draft, session)?.is_empty())
}

/// Whether a session above an agent may go.
fn is_below_removable(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    agent: &SessionId,
    before: Timestamp,
) -> Result<bool, TurnStop> {
    let mut below = agent.clone();
    while let Some(caller) = below.caller() {
        let is_called = draft.sessions.get(&below).is_some_and(|drafted| drafted.facts.is_called_by(&caller));
        if !is_called || !draft_session(turn, draft, &caller)? {
            return Ok(false);
        }
        if passes(draft, &caller, before, check_session_removable) {
            return Ok(true);
        }
        below = caller;
    }
    Ok(false)
}

/// Whether a session may go with all agents below it.
fn is_tree_removable(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    before: Timestamp,
) -> Result<bool, TurnStop> {
    if !is_session_removable(turn, draft, session, before)? {
        return Ok(false);
    }
    let agents = list_agents(turn, draft, session)?;
    Ok(agents.iter().all(|agent| passes(draft, agent, before, check_agent_removable)))
}

/// Deletes a session with its agents, as a person would; what their attempts cost stays among the sums. `false` if a
/// person could not delete it either.
fn delete_by_policy(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
) -> Result<bool, TurnStop> {
    let before = draft.deleted.len();
    match delete_session(turn, draft, session, DeletionRow::POLICY_AUTHOR) {
        Ok(_) => {}
        Err(RequestNotApplied::Refused(_)) => return Ok(false),
        Err(RequestNotApplied::Stop(stop)) => return Err(stop),
    }
    let gone = draft.deleted.iter().skip(before).map(|(session, _)| session.clone());
    draft.retention.kept_costs.extend(gone);
    Ok(true)
}

fn remove_results(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    span: EntrySpan,
) -> Result<(), TurnStop> {
    let language = draft.body.settings.language;
    for entry in turn.ask(EntrySpanQuestion { session: session.clone(), span })? {
        let Some(redacted) = redact_entry(entry, draft.now, language) else { continue };
        let LogRow { session: of, seq, body, .. } = encode_entry(&redacted.entry)?;
        draft.retention.rewritten.push(RewrittenEntryRow { session: of, seq, body });
        let released = result_files(&entry.input).iter().flat_map(FileReference::stored);
        draft.retention.released.extend(
            released.map(|(digest, _)| ReleasedFileRow { session: session.clone(), digest: digest.clone() }),
        );
        // The entries of a copy name the tasks of the original, which keep what they hold.
        if let Input::TaskFinished { task, .. } = &entry.input
            && let Some(mut task) = find_task(turn, draft, task)?
            && task.session == *session
            && redact_task(&mut task, draft.now, language)
        {
            draft.tasks.insert(task.id.clone(), task);
        }
    }
    let (first, last) = (span.first, span.last);
    for row in turn.ask(SessionCallsQuestion(session.clone()))? {
        if !(first..=last).contains(&row.sequence) {
            continue;
        }
        let mut call = decode_call(row)?;
        if redact_call(&mut call, draft.now, language) {
            let position = CallPosition { session, sequence: row.sequence, ordinal: row.ordinal };
            draft.calls.insert(row.id.clone(), encode_call(&call, position, row.result_seq)?);
        }
    }
    Ok(())
}

fn remove_calls(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    calls: &[CallId],
) -> Result<(), TurnStop> {
    for row in turn.ask(SessionCallsQuestion(session.clone()))? {
        if calls.contains(&row.id) && row.finished_at.is_some() && row.state != LedgerState::Unknown {
            let (session, sequence, ordinal) = row.log_position();
            draft.retention.calls.push(RemovedCallRow { session, sequence, ordinal });
        }
    }
    Ok(())
}

fn mark(draft: &mut TurnDraft, session: &SessionId, kind: RetentionMarkKind, through: u64) {
    draft.retention.marks.push(RetentionMarkRow { session: session.clone(), kind, through });
}
