//! Handles deadlines that have come.

use entracte_domain::id::SessionId;
use entracte_domain::session::{Input, needs_wake};

use crate::ports::StoreError;
use crate::runtime::error::TurnError;
use crate::runtime::loaded_session::LoadedSession;
use crate::runtime::session_draft::SessionDraft;
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::placement::{draft_session, request_sessions_together};
use crate::runtime::turn::prefix::append_data_changes_now;
use crate::runtime::turn::questions::DueSessionsQuestion;
use crate::runtime::turn::stage::TurnStage;
use crate::runtime::turn::tasks::queue_due_tasks;

/// Handles the sessions whose deadline has come, then those that waited for the network, then the runs.
pub(crate) fn queue_due_sessions(turn: &TurnContext<'_>, draft: &mut TurnDraft) -> Result<(), TurnStop> {
    let due = turn.ask(DueSessionsQuestion(draft.now))?;
    request_sessions_together(turn, draft, due)?;
    let unseen = list_due_in_memory(turn, due, draft);
    draft.aside.next.extend(due.iter().cloned().chain(unseen).map(TurnStage::TimeReached));
    draft.aside.next.extend([TurnStage::GoOnByNetwork, TurnStage::WatchRuns]);
    queue_due_tasks(turn, draft)
}

/// Sessions in memory whose deadline has come by the current rules, while their rows were written under others
/// because the workspace's profile changed. Sessions at work are in memory.
fn list_due_in_memory(turn: &TurnContext<'_>, due: &[SessionId], draft: &TurnDraft) -> Vec<SessionId> {
    let is_due = |live: &LoadedSession| {
        let SessionDraft { facts, phase, .. } = &live.session;
        needs_wake(facts, phase, turn.memory.rules.rules_for_session(facts), draft.now)
    };
    let in_memory = turn.memory.sessions.iter().filter(|(id, live)| !due.contains(id) && is_due(live));
    let mut unseen: Vec<SessionId> = in_memory.map(|(id, _)| id.clone()).collect();
    unseen.sort();
    unseen
}

pub(crate) fn reach_deadline(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
) -> Result<(), TurnStop> {
    match draft_session(turn, draft, session) {
        // Its row named an earlier time: only the watchdog may have work.
        Ok(true) if !is_deadline_due(turn, draft, session) => Ok(()),
        Ok(true) => {
            let (recheck, tell) = (TurnStage::Recheck(session.clone()), TurnStage::TellTime(session.clone()));
            draft.aside.next.extend([recheck, tell]);
            Ok(())
        }
        Ok(false) => Ok(()),
        // An unreadable session must not block the deadlines of the others in its workspace.
        Err(TurnStop::Fault(TurnError::Store(StoreError::Inconsistent(why))))
            if !draft.sessions.contains_key(session) =>
        {
            tracing::error!(%session, why, "the session cannot be read; skipping it");
            Ok(())
        }
        Err(stop) => Err(stop),
    }
}

pub(crate) fn send_deadline(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
) -> Result<(), TurnStop> {
    append_data_changes_now(turn, draft, session)?;
    turn.apply_input(draft, session, Input::TimeReached)
}

/// Whether a deadline of a drafted session is due.
fn is_deadline_due(turn: &TurnContext<'_>, draft: &TurnDraft, session: &SessionId) -> bool {
    draft.sessions.get(session).is_some_and(|drafted| {
        let rules = turn.memory.rules.rules_for_session(&drafted.facts);
        needs_wake(&drafted.facts, &drafted.phase, rules, draft.now)
    })
}
