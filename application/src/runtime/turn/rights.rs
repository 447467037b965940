//! The current rights of a session, and the approval that its waiting calls need under them. The sessions above an
//! agent's session are in the draft already: [`super::rechecks`] puts them there.

use std::sync::Arc;

use entracte_domain::id::SessionId;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{ApprovalRecheck, Input, Phase, RulesChange, SessionFacts, waits_for_plan};

use super::context::{TurnContext, TurnStop};
use super::draft::TurnDraft;
use super::lookups::{lookup_context, recheck_calls};
use crate::planted_bugs::{PlantedBug, is_planted};
use crate::runtime::session_draft::SessionDraft;

/// The facts of a session with its current rights: a right that any drafted session above it lost meanwhile is lost
/// for it too.
pub(super) fn restrict_to_drafted_ancestors(
    draft: &TurnDraft,
    facts: &Arc<SessionFacts>,
) -> Arc<SessionFacts> {
    let mut now = Arc::clone(facts);
    if is_planted(PlantedBug::AnyCommand) && facts.agent.is_some() {
        Arc::make_mut(&mut now).restriction = Restriction::Open;
        return now;
    }
    let mut above = facts.agent.as_ref().map(|agent| &agent.from);
    while let Some(SessionDraft { facts, .. }) = above.and_then(|id| draft.sessions.get(id)) {
        Arc::make_mut(&mut now).restrict_to_ancestor(facts);
        above = facts.agent.as_ref().map(|agent| &agent.from);
    }
    now
}

/// Checks again which approval a session's waiting calls need. Returns `true` if it changed, or a plan is now
/// required first, and the state machine received that.
pub(super) fn recheck_drafted_session(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
) -> Result<bool, TurnStop> {
    let Some(drafted) = draft.sessions.get(session) else { return Ok(false) };
    let rules = turn.memory.rules.rules_for_session(&drafted.facts);
    let waits_for_plan = waits_for_plan(&drafted.facts, &drafted.phase, rules);
    if drafted.phase.batch().is_none() && !waits_for_plan {
        return Ok(false);
    }
    let rechecks = find_drafted_rechecks(turn, draft, &drafted.facts, &drafted.phase)?;
    if rechecks.is_empty() && !waits_for_plan {
        return Ok(false);
    }
    let input = Input::RulesChanged(Box::new(RulesChange { rechecks, ..RulesChange::default() }));
    Ok(draft.apply_input(session, input, turn.memory.rules)?.is_none())
}

/// The changes in the approval that the waiting calls of this phase need.
pub(super) fn find_drafted_rechecks(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    facts: &Arc<SessionFacts>,
    phase: &Phase,
) -> Result<Vec<ApprovalRecheck>, TurnStop> {
    let Some(batch) = phase.batch() else { return Ok(Vec::new()) };
    let facts = &restrict_to_drafted_ancestors(draft, facts);
    let settings = draft.body.settings.with_process_requirements(turn.memory.runtime);
    recheck_calls(turn, lookup_context(draft, facts, &settings), &batch.calls)
}
