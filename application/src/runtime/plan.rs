//! Local actions: planned inside the turn, and committed with their outcome. Exactly once, never `started`.

use std::panic::AssertUnwindSafe;

use entracte_domain::command::{Call, CallOutcome, Failure};
use entracte_domain::id::{CallId, SessionId};
use entracte_domain::session::{Effect, Input, Phase, Recheck, RulesChange, SessionFacts, desired_effects};
use futures_util::FutureExt;

use super::draft::Draft;
use super::workspace::{Fault, Workspace};
use crate::commands::{Attempt, Setting, request_for};
use crate::failpoints::{Deed, around};
use crate::ports::{Plan, PlanError};
use crate::system::sha256;

impl Workspace {
    /// Plans the next local action of the drafted sessions, if there is one. One plan a turn: the next reads
    /// committed rows.
    pub(super) async fn plan_next(&mut self, draft: &mut Draft) -> Result<(), Fault> {
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
    ) -> Result<Result<Plan, Failure>, Fault> {
        let Some(known) = self.house.catalog.find(&call.command.name) else {
            let message = format!("the command {} is gone", call.command.name);
            return Ok(Err(failure("UNKNOWN_COMMAND", message)));
        };
        let attempt = Attempt { key: call.idempotency_key(&facts.id), number: 0 };
        let locale = draft.body.settings.locale();
        let request = request_for(facts, locale, &call.id, call.effective(), attempt, draft.now);
        let work = known.executor.plan(request, self.house.rows.clone());
        let planned = AssertUnwindSafe(around(Deed::PlanCommand, work)).catch_unwind().await;
        match planned {
            Ok(Ok(plan)) => Ok(Ok(plan)),
            Ok(Err(PlanError::Refused(failure))) => Ok(Err(failure)),
            Ok(Err(PlanError::Store(error))) => Err(error.into()),
            Err(_) => {
                tracing::error!(call = %call.id, command = call.command.name, "the executor panicked while it planned");
                Ok(Err(failure(
                    "EXECUTOR_ERROR",
                    "the command failed inside Entracte; nothing was changed".into(),
                )))
            }
        }
    }

    /// Looks again at the leave that a session's waiting calls need; true when it changed and the machine was
    /// told.
    pub(super) async fn recheck(&self, draft: &mut Draft, session: &SessionId) -> Result<bool, Fault> {
        let Some(drafted) = draft.sessions.get(session) else { return Ok(false) };
        let rechecks = self.rechecks(draft, &drafted.facts, &drafted.phase).await?;
        if rechecks.is_empty() {
            return Ok(false);
        }
        let input = Input::RulesChanged(Box::new(RulesChange { rechecks, ..RulesChange::default() }));
        Ok(draft.feed(session, input, &self.rules)?.is_none())
    }

    /// What changed about the leave that the waiting calls of this phase need.
    pub(super) async fn rechecks(
        &self,
        draft: &Draft,
        facts: &SessionFacts,
        phase: &Phase,
    ) -> Result<Vec<Recheck>, Fault> {
        let Some(batch) = phase.batch() else { return Ok(Vec::new()) };
        let setting = Setting {
            facts,
            settings: &draft.body.settings.under(&self.house.settings),
            rules: &draft.body.rules,
            last_action_at: draft.body.last_action_at,
            ai_request: false,
            now: draft.now,
        };
        Ok(self.pipeline.recheck(setting, &batch.calls).await?)
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
