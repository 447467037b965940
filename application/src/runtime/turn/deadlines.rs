//! Handles deadlines that have come.

use entracte_domain::id::SessionId;
use entracte_domain::session::{Input, needs_wake};

use super::{FactRequest, TurnStop, WorkspaceTurn};
use crate::ports::StoreError;
use crate::runtime::error::TurnError;
use crate::runtime::loaded_session::LoadedSession;
use crate::runtime::turn_draft::{SessionDraft, TurnDraft};
use crate::runtime::turn_stages::TurnStage;

impl WorkspaceTurn<'_> {
    /// Handles the sessions whose deadline has come, then those that waited for the network, then the runs.
    pub(super) fn wake_up(&self, draft: &mut TurnDraft) -> Result<(), TurnStop> {
        let due = self.known.due.answer_or_request(draft.now, FactRequest::Due)?;
        self.request_sessions_together(draft, due)?;
        let unseen = self.due_in_memory(due, draft);
        draft.aside.next.extend(due.iter().cloned().chain(unseen).map(TurnStage::TimeReached));
        draft.aside.next.extend([TurnStage::GoOnByNetwork, TurnStage::WatchRuns]);
        self.look_at_tasks(draft)
    }

    /// Sessions in memory whose deadline has come by the current rules, while their rows were written under others
    /// because the workspace's profile changed. Sessions at work are in memory.
    fn due_in_memory(&self, due: &[SessionId], draft: &TurnDraft) -> Vec<SessionId> {
        let is_due = |live: &LoadedSession| {
            let SessionDraft { facts, phase, .. } = &live.session;
            needs_wake(facts, phase, self.memory.rules.rules_for_session(facts), draft.now)
        };
        let in_memory = self.memory.sessions.iter().filter(|(id, live)| !due.contains(id) && is_due(live));
        let mut unseen: Vec<SessionId> = in_memory.map(|(id, _)| id.clone()).collect();
        unseen.sort();
        unseen
    }

    pub(super) fn time_reached(&self, draft: &mut TurnDraft, session: &SessionId) -> Result<(), TurnStop> {
        match self.draft_session(draft, session) {
            // Its row named an earlier time: only the watchdog may have work.
            Ok(true) if !self.is_deadline_due(draft, session) => Ok(()),
            Ok(true) => {
                let (recheck, tell) =
                    (TurnStage::Recheck(session.clone()), TurnStage::TellTime(session.clone()));
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

    pub(super) fn tell_time(&self, draft: &mut TurnDraft, session: &SessionId) -> Result<(), TurnStop> {
        self.append_data_changes_now(draft, session)?;
        self.apply_input(draft, session, Input::TimeReached)
    }

    /// Whether a deadline of a drafted session is due.
    fn is_deadline_due(&self, draft: &TurnDraft, session: &SessionId) -> bool {
        draft.sessions.get(session).is_some_and(|drafted| {
            let rules = self.memory.rules.rules_for_session(&drafted.facts);
            needs_wake(&drafted.facts, &drafted.phase, rules, draft.now)
        })
    }
}
