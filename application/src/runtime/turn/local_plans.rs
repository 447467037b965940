//! Local actions: planned inside the turn and committed with their outcome. They run exactly once and are never
//! in state `started`.

use std::sync::Arc;

use entracte_domain::call::{Call, CallFailure, CallOutcome};
use entracte_domain::id::{CallId, SessionId};
use entracte_domain::session::{
    ApprovalRecheck, Effect, Input, Phase, RulesChange, SessionFacts, desired_effects, waits_for_plan,
};

use super::{FactRequest, TurnStop, WorkspaceTurn};
use crate::commands::{CallAttempt, request_for};
use crate::ports::ActionPlan;
use crate::runtime::turn_draft::{SessionDraft, TurnDraft};
use crate::system::sha256;
use crate::texts::{LocalizedTexts, say};

impl WorkspaceTurn<'_> {
    /// Plans the next local action of the drafted sessions, if there is one. One plan per turn, because the next
    /// reads committed rows.
    pub(super) fn plan_next(&self, draft: &mut TurnDraft) -> Result<(), TurnStop> {
        let Some((session, call)) = next_local(draft) else { return Ok(()) };
        if draft.planned {
            return Ok(());
        }
        if self.recheck(draft, &session)? {
            return Ok(());
        }
        let Some((facts, found)) = drafted_call(draft, &session, &call) else { return Ok(()) };
        let outcome = match self.plan(&facts, &found, draft)? {
            Ok(plan) => {
                self.change_rows(draft, plan.changes);
                self.append_data_changes_now(draft, &session)?;
                CallOutcome::Succeeded { digest: sha256(plan.content.as_bytes()), content: plan.content }
            }
            Err(failure) => CallOutcome::Failed(failure),
        };
        draft.planned = true;
        self.apply_input(draft, &session, Input::CallFinished { call, attempt: 0, outcome })
    }

    pub(super) fn plan(
        &self,
        facts: &SessionFacts,
        call: &Call,
        draft: &TurnDraft,
    ) -> Result<Result<ActionPlan, CallFailure>, TurnStop> {
        if self.memory.catalog.find(&call.command.name).is_none() {
            let texts = LocalizedTexts::for_language(self.memory.settings.language);
            let message = say!(texts, "command-gone", command = &call.command.name);
            let code = "UNKNOWN_COMMAND".to_owned();
            return Ok(Err(CallFailure { code, message, path: None, retryable: false }));
        }
        let attempt = CallAttempt { key: call.idempotency_key(&facts.id), number: 0, task: None };
        let locale = draft.body.settings.locale();
        let request = request_for(
            facts,
            call.principal(),
            locale,
            &call.id,
            call.effective_command(),
            attempt,
            draft.now,
        );
        self.known.plans.answer_or_request(Box::new(request), FactRequest::Plan).cloned()
    }

    /// Checks again which approval a session's waiting calls need. Returns `true` if it changed, or a plan is now
    /// required first, and the state machine received that.
    pub(super) fn recheck(&self, draft: &mut TurnDraft, session: &SessionId) -> Result<bool, TurnStop> {
        let Some(drafted) = draft.sessions.get(session) else { return Ok(false) };
        let waits_for_plan = waits_for_plan(
            &drafted.facts,
            &drafted.phase,
            self.memory.rules.rules_for_session(&drafted.facts),
        );
        if drafted.phase.batch().is_none() && !waits_for_plan {
            return Ok(false);
        }
        let SessionDraft { facts, phase, .. } = drafted.clone();
        let rechecks = self.rechecks(draft, &facts, &phase)?;
        if rechecks.is_empty() && !waits_for_plan {
            return Ok(false);
        }
        let input = Input::RulesChanged(Box::new(RulesChange { rechecks, ..RulesChange::default() }));
        Ok(draft.apply_input(session, input, self.memory.rules)?.is_none())
    }

    /// The changes in the approval that the waiting calls of this phase need.
    pub(super) fn rechecks(
        &self,
        draft: &mut TurnDraft,
        facts: &Arc<SessionFacts>,
        phase: &Phase,
    ) -> Result<Vec<ApprovalRecheck>, TurnStop> {
        let Some(batch) = phase.batch() else { return Ok(Vec::new()) };
        let facts = &self.restrict_to_current_rights(draft, facts)?;
        let settings = draft.body.settings.with_process_requirements(self.memory.runtime);
        self.recheck_calls(Self::lookup_context(draft, facts, &settings), &batch.calls)
    }
}

/// The next local action of the drafted sessions.
fn next_local(draft: &TurnDraft) -> Option<(SessionId, CallId)> {
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

fn drafted_call(draft: &TurnDraft, session: &SessionId, call: &CallId) -> Option<(Arc<SessionFacts>, Call)> {
    let drafted = draft.sessions.get(session)?;
    let found = drafted.phase.batch()?.call(call)?;
    Some((drafted.facts.clone(), found.clone()))
}
