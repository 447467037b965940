//! Local actions: planned inside the turn, and committed with their outcome. Exactly once, never `started`.

use std::panic::AssertUnwindSafe;

use entracte_domain::call::{Call, CallOutcome, Failure};
use entracte_domain::id::{CallId, SessionId};
use entracte_domain::session::{Effect, Input, Phase, Recheck, RulesChange, SessionFacts, desired_effects};
use futures_util::FutureExt;

use super::draft::Draft;
use super::workspace::{TurnError, Workspace};
use crate::commands::{Attempt, Setting, request_for};
use crate::failpoints::{Operation, around};
use crate::ports::{Plan, PlanError};
use crate::settings::WorkspaceSettings;
use crate::system::sha256;

impl Workspace {
    /// Plans the next local action of the drafted sessions, if there is one. One plan a turn: the next reads
    /// committed rows.
    pub(super) async fn plan_next(&mut self, draft: &mut Draft) -> Result<(), TurnError> {
        let Some((session, call)) = next_local(draft) else { return Ok(()) };
        if draft.planned {
            return Ok(());
        }
        if self.recheck(draft, &session).await? {
            return Ok(());
        }
        let Some((facts, found)) = drafted_call(draft, &session, &call) else { return Ok(()) };
        let outcome = match self.plan(&facts, &found, draft).await? {
            Ok(plan) => {
                self.change_rows(draft, plan.changes);
                self.tell_now(draft, &session).await?;
                CallOutcome::Succeeded { digest: sha256(plan.content.as_bytes()), content: plan.content }
            }
            Err(failure) => CallOutcome::Failed(failure),
        };
        draft.planned = true;
        draft.feed(&session, Input::CallFinished { call, attempt: 0, outcome }, &self.rules)?;
        Ok(())
    }

    pub(super) async fn plan(
        &self,
        facts: &SessionFacts,
        call: &Call,
        draft: &Draft,
    ) -> Result<Result<Plan, Failure>, TurnError> {
        let Some(known) = self.services.catalog.find(&call.command.name) else {
            let message = format!("the command {} no longer exists", call.command.name);
            return Ok(Err(failure("UNKNOWN_COMMAND", message)));
        };
        let attempt = Attempt { key: call.idempotency_key(&facts.id), number: 0 };
        let locale = draft.body.settings.locale();
        let request = request_for(facts, locale, &call.id, call.effective(), attempt, draft.now);
        let work = known.executor.plan(request, self.services.rows.clone());
        let planned = AssertUnwindSafe(around(Operation::PlanCommand, work)).catch_unwind().await;
        match planned {
            Ok(Ok(plan)) => Ok(Ok(plan)),
            Ok(Err(PlanError::Refused(failure))) => Ok(Err(failure)),
            Ok(Err(PlanError::Store(error))) => Err(error.into()),
            Err(_) => {
                tracing::error!(call = %call.id, command = call.command.name, "the executor panicked while it planned");
                Ok(Err(failure(
                    "EXECUTOR_ERROR",
                    "the command failed because of an error inside Entracte; nothing was changed".into(),
                )))
            }
        }
    }

    /// Looks again at the approval that a session's waiting calls need; true when it changed and the machine was
    /// told.
    pub(super) async fn recheck(&self, draft: &mut Draft, session: &SessionId) -> Result<bool, TurnError> {
        let Some(drafted) = draft.sessions.get(session) else { return Ok(false) };
        let rechecks = self.rechecks(draft, &drafted.facts, &drafted.phase).await?;
        if rechecks.is_empty() {
            return Ok(false);
        }
        let input = Input::RulesChanged(Box::new(RulesChange { rechecks, ..RulesChange::default() }));
        Ok(draft.feed(session, input, &self.rules)?.is_none())
    }

    /// What changed about the approval that the waiting calls of this phase need.
    pub(super) async fn rechecks(
        &self,
        draft: &Draft,
        facts: &SessionFacts,
        phase: &Phase,
    ) -> Result<Vec<Recheck>, TurnError> {
        let Some(batch) = phase.batch() else { return Ok(Vec::new()) };
        let settings = draft.body.settings.under(&self.services.settings);
        Ok(self.pipeline.recheck(self.looking(draft, facts, &settings), &batch.calls).await?)
    }

    /// For whom, and under what, something is looked up.
    pub(super) fn looking<'a>(
        &self,
        draft: &'a Draft,
        facts: &'a SessionFacts,
        settings: &'a WorkspaceSettings,
    ) -> Setting<'a> {
        Setting {
            facts,
            settings,
            rules: &draft.body.rules,
            last_action_at: draft.body.last_action_at,
            ai_request: false,
            now: draft.now,
        }
    }
}

/// The next local action of the drafted sessions.
fn next_local(draft: &Draft) -> Option<(SessionId, CallId)> {
    draft.sessions.iter().find_map(|(session, drafted)| {
        let effects = desired_effects(&drafted.facts, &drafted.phase, draft.now);
        effects.into_iter().find_map(|effect| match effect {
            Effect::PlanCall { call } => Some((session.clone(), call)),
            Effect::CallModel { .. }
            | Effect::RunCall { .. }
            | Effect::AskCall { .. }
            | Effect::Compact { .. } => None,
        })
    })
}

fn drafted_call(draft: &Draft, session: &SessionId, call: &CallId) -> Option<(SessionFacts, Call)> {
    let drafted = draft.sessions.get(session)?;
    let found = drafted.phase.batch()?.call(call)?;
    Some((drafted.facts.clone(), found.clone()))
}

fn failure(code: &str, message: String) -> Failure {
    Failure { code: code.to_owned(), message, path: None, retryable: false }
}
