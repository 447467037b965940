//! What a start finds of a process that died: nothing is guessed, each effect that was under way becomes an
//! input like any other, and the machine decides.

use entracte_domain::command::CallOutcome;
use entracte_domain::id::SessionId;
use entracte_domain::session::failure::{FailureClass, ModelFailure};
use entracte_domain::session::{Effect, Input, desired_effects};
use entracte_domain::time::{Millis, Timestamp};

use super::draft::Draft;
use super::workspace::{Fault, Workspace};
use crate::planted::{Bug, is_planted};

impl Workspace {
    /// Takes in what a dead process, or a task that died, left under way in a drafted session.
    pub(super) async fn recover(&self, draft: &mut Draft, session: &SessionId) -> Result<(), Fault> {
        if is_planted(Bug::RepeatedAction) {
            return Ok(());
        }
        self.recheck(draft, session).await?;
        let Some(drafted) = draft.sessions.get(session) else { return Ok(()) };
        let started = self.house.started_at;
        let found = desired_effects(&drafted.facts, &drafted.phase, draft.now);
        for effect in found {
            if let Some(input) = lost(effect, started) {
                tracing::info!(%session, input = input.label(), "found work of a process that died");
                draft.feed(session, input, &self.rules)?;
            }
        }
        Ok(())
    }
}

/// The loss of an effect; none for local plans, which are part of a commit and cannot be lost.
fn lost(effect: Effect, started: Timestamp) -> Option<Input> {
    match effect {
        Effect::CallModel { round, attempt, .. } => Some(Input::ProviderErrorOccurred {
            round,
            attempt,
            failure: ModelFailure {
                class: FailureClass::Lost,
                message: "Entracte stopped during the model call.".into(),
                retry_after: None,
                jitter: Millis(0),
                found_by_start: Some(started),
            },
            usage: None,
        }),
        Effect::RunCall { call, attempt } | Effect::AskCall { call, attempt } => Some(Input::CallFinished {
            call,
            attempt,
            outcome: CallOutcome::Lost { found_by_start: Some(started) },
        }),
        Effect::Compact { round, attempt } => Some(Input::CompactionFailed {
            round,
            attempt,
            message: "Entracte stopped while it summed the conversation up.".into(),
        }),
        Effect::PlanCall { .. } => None,
    }
}
