//! Local actions: planned inside the turn and committed with their outcome. They run exactly once and are never
//! in state `started`.

use std::sync::Arc;

use entracte_domain::call::{Call, CallFailure, CallOutcome};
use entracte_domain::id::{CallId, SessionId};
use entracte_domain::session::{Effect, Input, SessionFacts, desired_effects};

use crate::commands::{CallAttempt, request_for};
use crate::ports::ActionPlan;
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::prefix::{append_data_changes_now, append_row_changes};
use crate::runtime::turn::questions::ActionPlanQuestion;
use crate::runtime::turn::rechecks::recheck_session;
use crate::system::sha256;

/// Plans the next local action of the drafted sessions, if there is one. One plan per turn, because the next
/// reads committed rows.
pub(crate) fn plan_next_action(turn: &TurnContext<'_>, draft: &mut TurnDraft) -> Result<(), TurnStop> {
    let Some((session, call)) = next_local(draft) else { return Ok(()) };
    if draft.planned {
        return Ok(());
    }
    if recheck_session(turn, draft, &session)? {
        return Ok(());
    }
    let Some((facts, found)) = drafted_call(draft, &session, &call) else { return Ok(()) };
    let outcome = match plan_local_action(turn, &facts, &found, draft)? {
        Ok(plan) => {
            append_row_changes(turn, draft, plan.changes);
            append_data_changes_now(turn, draft, &session)?;
            CallOutcome::Succeeded {
                digest: sha256(plan.content.as_bytes()),
                content: plan.content,
                files: Vec::new(),
            }
        }
        Err(failure) => CallOutcome::Failed(failure),
    };
    draft.planned = true;
    turn.apply_input(draft, &session, Input::CallFinished { call, attempt: 0, outcome })
}

pub(crate) fn plan_local_action(
    turn: &TurnContext<'_>,
    facts: &SessionFacts,
    call: &Call,
    draft: &TurnDraft,
) -> Result<Result<ActionPlan, CallFailure>, TurnStop> {
    let attempt = CallAttempt { key: call.idempotency_key(&facts.id), number: 0, task: None };
    let locale = draft.body.settings.locale();
    let request =
        request_for(facts, call.principal(), locale, &call.id, call.effective_command(), attempt, draft.now);
    turn.ask(ActionPlanQuestion(Box::new(request))).cloned()
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
            | Effect::AskPolicy { .. }
            | Effect::Compact { .. } => None,
        })
    })
}

fn drafted_call(draft: &TurnDraft, session: &SessionId, call: &CallId) -> Option<(Arc<SessionFacts>, Call)> {
    let drafted = draft.sessions.get(session)?;
    let found = drafted.phase.batch()?.call(call)?;
    Some((drafted.facts.clone(), found.clone()))
}
