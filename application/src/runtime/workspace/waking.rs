//! When a workspace is looked at again, and what is due then.

use entracte_domain::id::SessionId;
use entracte_domain::session::{Input, is_time};
use entracte_domain::time::Timestamp;

use super::{TurnError, Workspace};
use crate::ports::StoreError;
use crate::runtime::draft::{Draft, Drafted};

impl Workspace {
    pub(super) async fn wake_up(&mut self, draft: &mut Draft) -> Result<(), TurnError> {
        for session in self.due_sessions(draft.now).await? {
            self.time_reached(draft, &session).await?;
        }
        self.go_on_by_network(draft).await?;
        self.watch_runs(draft).await
    }

    async fn due_sessions(&self, now: Timestamp) -> Result<Vec<SessionId>, TurnError> {
        Ok(self.services.store.due_in(&self.key, now).await?)
    }

    async fn time_reached(&mut self, draft: &mut Draft, session: &SessionId) -> Result<(), TurnError> {
        match self.draft_session(draft, session).await {
            // Its row said so early: only the watchdog may have something to do.
            Ok(true) if !self.is_time(draft, session) => Ok(()),
            Ok(true) => {
                self.recheck(draft, session).await?;
                self.tell_now(draft, session).await?;
                draft.feed(session, Input::TimeReached, &self.rules)?;
                Ok(())
            }
            Ok(false) => Ok(()),
            // One that cannot be read must not keep the others of its workspace from their deadlines.
            Err(TurnError::Store(StoreError::Inconsistent(why))) if !draft.sessions.contains_key(session) => {
                tracing::error!(%session, why, "the session cannot be read; skipping it");
                Ok(())
            }
            Err(fault) => Err(fault),
        }
    }

    /// Whether a deadline of a drafted session is due.
    fn is_time(&self, draft: &Draft, session: &SessionId) -> bool {
        draft.sessions.get(session).is_some_and(|drafted| {
            let rules = self.rules.of_session(&drafted.facts);
            is_time(&drafted.facts, &drafted.phase, rules, draft.now)
        })
    }

    pub(super) fn note_wake(&mut self, session: &Drafted) {
        let rules = self.rules.of_session(&session.facts);
        let own = entracte_domain::session::wake_at(&session.facts, &session.phase, rules);
        self.wake_at = self.wake_at.into_iter().chain(own).min();
    }

    /// The earliest deadline in the database; memory knows only of what it touched.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn look_at_deadlines(&mut self) -> Result<Option<Timestamp>, TurnError> {
        let now = self.services.clock.now();
        self.wake_at = self.services.store.next_wake(&self.key).await?;
        if self.is_sparing && self.wake_at.is_some_and(|at| at <= now) {
            // The row of a run that was spared hides the others. What comes next anywhere is early enough.
            self.wake_at = self.services.store.agenda(now).await?.next;
        }
        Ok(self.wake_with_tick(now))
    }

    /// The earliest deadline, those of the schedule included.
    pub(super) fn wake_with_tick(&self, now: Timestamp) -> Option<Timestamp> {
        self.wake_at.into_iter().chain(self.next_tick(now)).min()
    }
}
