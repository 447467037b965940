//! Resumes sessions that waited for the network once it is back, each after a random delay, so that they do not
//! all start together. The delays are in memory only; the wait in a session's row remains and ends by its own
//! deadline.

use std::collections::BTreeMap;

use entracte_domain::id::SessionId;
use entracte_domain::session::{Input, Phase};
use entracte_domain::time::Timestamp;

use super::{TurnStop, WorkspaceTurn};
use crate::runtime::turn_draft::TurnDraft;
use crate::runtime::turn_stages::TurnStage;

impl WorkspaceTurn<'_> {
    /// Handles a provider that is reachable again.
    pub(super) fn network_back(&self, draft: &mut TurnDraft, provider: &str) -> Result<(), TurnStop> {
        let placed: Vec<SessionId> = self.memory.seats.keys().cloned().collect();
        self.request_sessions_together(draft, &placed)?;
        let looks = placed.into_iter().map(|session| TurnStage::NetworkBack(session, provider.to_owned()));
        draft.aside.next.extend(looks.chain([TurnStage::GoOnByNetwork]));
        Ok(())
    }

    /// Schedules a session that waited for this provider to resume after a short delay.
    pub(super) fn schedule_network_resume(
        &self,
        draft: &mut TurnDraft,
        session: &SessionId,
        provider: &str,
    ) -> Result<(), TurnStop> {
        if !self.draft_session(draft, session)? {
            return Ok(());
        }
        let waits = draft.sessions.get(session).is_some_and(|drafted| {
            matches!(drafted.phase, Phase::WaitingNetworkRetry { .. }) && drafted.facts.provider == provider
        });
        if waits {
            let moment = draft.now.plus(self.jitter(draft)?);
            self.going_on(draft).insert(session.clone(), moment);
        }
        Ok(())
    }

    /// Resumes the sessions whose delay is over.
    pub(super) fn resume_due_after_network(&self, draft: &mut TurnDraft) -> Result<(), TurnStop> {
        let all = draft.aside.going_on.as_ref().unwrap_or(self.memory.going_on);
        let come = all.iter().filter(|(_, at)| **at <= draft.now);
        let come: Vec<SessionId> = come.map(|(session, _)| session.clone()).collect();
        self.request_sessions_together(draft, &come)?;
        draft.aside.next.extend(come.into_iter().map(TurnStage::GoOn));
        Ok(())
    }

    pub(super) fn resume_session(&self, draft: &mut TurnDraft, session: &SessionId) -> Result<(), TurnStop> {
        let is_there = self.draft_session(draft, session)?;
        self.going_on(draft).remove(session);
        // A session that has resumed by itself meanwhile ignores it.
        if is_there { self.apply_input(draft, session, Input::NetworkAvailable) } else { Ok(()) }
    }

    fn going_on<'d>(&self, draft: &'d mut TurnDraft) -> &'d mut BTreeMap<SessionId, Timestamp> {
        draft.aside.going_on.get_or_insert_with(|| self.memory.going_on.clone())
    }
}
