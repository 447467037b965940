//! The network is back: sessions that waited for it go on, each after a moment of its own, so that they do not come all
//! at once. That is kept in memory only; the wait in a session's row stands, and ends by itself.

use entracte_domain::id::SessionId;
use entracte_domain::session::{Input, Phase};

use super::draft::Draft;
use super::workspace::{TurnError, Workspace};

impl Workspace {
    /// A provider can be reached again.
    pub(super) async fn network_back(&mut self, draft: &mut Draft, provider: &str) -> Result<(), TurnError> {
        let placed: Vec<SessionId> = self.seats.keys().cloned().collect();
        for session in placed {
            if !self.draft_session(draft, &session).await? {
                continue;
            }
            let waits = draft.sessions.get(&session).is_some_and(|drafted| {
                matches!(drafted.phase, Phase::WaitingNetworkRetry { .. })
                    && drafted.facts.provider == provider
            });
            if waits {
                let moment = self.services.ids.jitter(self.services.settings.jitter);
                self.going_on.insert(session, draft.now.plus(moment));
            }
        }
        self.go_on_by_network(draft).await
    }

    /// Those whose moment has come go on.
    pub(super) async fn go_on_by_network(&mut self, draft: &mut Draft) -> Result<(), TurnError> {
        let come = self.going_on.iter().filter(|(_, at)| **at <= draft.now);
        let come: Vec<SessionId> = come.map(|(session, _)| session.clone()).collect();
        for session in come {
            self.going_on.remove(&session);
            if self.draft_session(draft, &session).await? {
                // One that has gone on by itself meanwhile ignores it.
                draft.feed(&session, Input::NetworkAvailable, &self.rules)?;
            }
        }
        Ok(())
    }
}
