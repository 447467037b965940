//! Removes what goes by the retention policy. The planner named the steps a moment ago; each is checked again here, and
//! left out if it no longer applies.

use entracte_domain::id::{CallId, SessionId};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::session::{Phase, SessionFacts};
use entracte_domain::time::Timestamp;

use super::context::{TurnContext, TurnStop};
use super::deletion::delete_session;
use super::draft::TurnDraft;
use super::placement::{draft_session, request_sessions_together};
use super::questions::{EntrySpanQuestion, SessionCallsQuestion, SessionsCallsQuestion};
use super::request_not_applied::RequestNotApplied;
use crate::codec::{CallPosition, decode_call, encode_call, encode_entry};
use crate::ports::{
    LogRow, RemovedCallRow, RetentionMarkKind, RetentionMarkRow, RewrittenEntryRow, TrimmedLogRow,
};
use crate::retention::{
    EntrySpan, RetentionHold, RetentionKeepReason, RetentionStep, check_results_removable,
    check_session_removable,
};
use crate::retention_planner::{redact_call, redact_entry};

/// The author of deletions by policy.
const AUTHOR: &str = "retention";

/// Applies the steps to the draft.
pub(super) fn apply_steps(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    steps: &[RetentionStep],
) -> Result<(), TurnStop> {
    request_together(turn, draft, steps)?;
    steps.iter().try_for_each(|step| apply_step(turn, draft, step))
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

fn apply_step(turn: &TurnContext<'_>, draft: &mut TurnDraft, step: &RetentionStep) -> Result<(), TurnStop> {
    if !draft_session(turn, draft, step.session())? {
        return Ok(());
    }
    match step {
        RetentionStep::DeleteSession { session, before } => {
            if is_removable(draft, session, *before, check_session_removable) {
                delete_by_policy(turn, draft, session)?;
            }
        }
        RetentionStep::TrimSession { session, before, through } => {
            if is_removable(draft, session, *before, check_session_removable) {
                draft.retention.trimmed.push(TrimmedLogRow { session: session.clone(), through: *through });
            }
        }
        RetentionStep::RemoveResults { session, before, entries } => {
            if is_removable(draft, session, *before, check_results_removable) {
                remove_results(turn, draft, session, *entries)?;
                mark(draft, session, RetentionMarkKind::Results, entries.last);
            }
        }
        RetentionStep::KeepResults { session, through } => {
            mark(draft, session, RetentionMarkKind::Results, *through);
        }
        RetentionStep::RemoveCalls { session, before, calls, last_at } => {
            if is_removable(draft, session, *before, check_session_removable) {
                remove_calls(turn, draft, session, calls)?;
                if let Some(through) = last_at {
                    mark(draft, session, RetentionMarkKind::Ledger, *through);
                }
            }
        }
    }
    Ok(())
}

fn is_removable(
    draft: &TurnDraft,
    session: &SessionId,
    before: Timestamp,
    check: fn(&SessionFacts, &Phase, &[RetentionHold], Timestamp) -> Result<(), RetentionKeepReason>,
) -> bool {
    let drafted = draft.sessions.get(session);
    drafted.is_some_and(|drafted| check(&drafted.facts, &drafted.phase, &draft.body.holds, before).is_ok())
}

/// Deletes a session with its agents, as a person would; what their attempts cost stays among the sums.
fn delete_by_policy(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
) -> Result<(), TurnStop> {
    let before = draft.deleted.len();
    match delete_session(turn, draft, session, AUTHOR) {
        Ok(_) => {}
        Err(RequestNotApplied::Refused(_)) => return Ok(()),
        Err(RequestNotApplied::Stop(stop)) => return Err(stop),
    }
    let gone = draft.deleted.iter().skip(before).map(|(session, _)| session.clone());
    draft.retention.kept_costs.extend(gone);
    Ok(())
}

fn remove_results(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    span: EntrySpan,
) -> Result<(), TurnStop> {
    let language = draft.body.settings.language;
    for entry in turn.ask(EntrySpanQuestion { session: session.clone(), span })? {
        if let Some(redacted) = redact_entry(entry, draft.now, language) {
            let LogRow { session, seq, body, .. } = encode_entry(&redacted.entry)?;
            draft.retention.rewritten.push(RewrittenEntryRow { session, seq, body });
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
