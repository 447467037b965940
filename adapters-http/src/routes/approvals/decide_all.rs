//! Decides on several cards of a session: all are accepted, or none.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::texts::{RefusalText, saying};
use entracte_application::use_cases::{ApprovalChoice, ApprovalSelection, DecideApprovals, UseCaseError};
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::validation::Decision;

use crate::authentication::{Approve, WorkspaceAccess, WorkspacePrincipal};
use crate::etag::EntityTag;
use crate::extractors::{JsonBody, JsonResponse, JsonResult, PathParams};
use crate::problem::{Problem, ProblemCode};
use crate::routes::approvals::decide::{
    choice, conflict_code, outcome, require_card_unchanged, require_message_scope,
};
use crate::routes::approvals::{ApprovalSubject, find_approval_subject};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::card::{AllDecidedShape, CardDecisionShape, DecidedShape, DecisionsShape};

/// Decides on several cards of a session, each as it was read: all of them, or none.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/decisions",
    operation_id = "decide_all",
    tag = "approvals",
    params(SessionPath),
    request_body = DecisionsShape,
    responses((status = 200, body = AllDecidedShape)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn decide_all(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    PathParams(path): PathParams<SessionPath>,
    JsonBody(all): JsonBody<DecisionsShape>,
) -> JsonResult<AllDecidedShape> {
    Ok(JsonResponse(AllDecidedShape {
        decisions: decide_each(&state, &caller, &path.session(), &all.decisions).await?,
    }))
}

/// Submits decisions on cards of a session: all are accepted, or none.
pub(in crate::routes) async fn decide_each(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    session: &SessionId,
    decisions: &[CardDecisionShape],
) -> Result<Vec<DecidedShape>, Problem> {
    for CardDecisionShape { decision, .. } in decisions {
        require_message_scope(caller, decision)?;
    }
    let workspace = caller.workspace();
    let named = find_decision_targets(state, caller, session, decisions).await?;
    if caller.find_replayed_answer(state).await?.is_some() {
        return outcomes(state, workspace, &named).await;
    }
    require_distinct_calls(&named)?;
    require_cards_unchanged(&named)?;
    let answer = DecideApprovals::new(caller.mail_sender(state), state.ports.store.clone());
    let each: Vec<(ApprovalSelection, ApprovalChoice)> =
        named.iter().map(CardDecisionTarget::decision).collect();
    match answer.run_for_each(workspace, session, caller.author(), &each).await {
        Ok(_) => outcomes(state, workspace, &named).await,
        Err(UseCaseError::Conflict(text)) => {
            Err(already_decided_problem(state, caller, session, decisions, text).await?)
        }
        Err(error) => Err(error.into()),
    }
}

/// A decision with its approval.
struct CardDecisionTarget<'a> {
    decision: &'a CardDecisionShape,
    asked: ApprovalSubject,
}

impl CardDecisionTarget<'_> {
    fn decision(&self) -> (ApprovalSelection, ApprovalChoice) {
        // Without a card only a call can be meant that waits for nobody; the refusal says what became of it.
        let card = Some(self.decision.digest.as_str()).filter(|digest| !digest.is_empty()).map(Digest::new);
        (ApprovalSelection { call: self.asked.call.clone(), card }, choice(self.decision.decision.clone()))
    }
}

async fn find_decision_targets<'a>(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    session: &SessionId,
    decisions: &'a [CardDecisionShape],
) -> Result<Vec<CardDecisionTarget<'a>>, Problem> {
    let (workspace, reader) = (caller.workspace(), caller.reader());
    // The session's existence is checked before the cards are compared.
    if state.ports.store.session(workspace, session).await?.is_none() {
        let named = entracte_application::terminal_text::one_line(session.as_str());
        return Err(Problem::new(ProblemCode::NotFound, saying!("request-no-session", session = named)));
    }
    let mut all = Vec::with_capacity(decisions.len());
    for (at, decision) in decisions.iter().enumerate() {
        let asked = find_approval_subject(state, workspace, &decision.approval, reader).await?;
        if asked.session != *session {
            let says = saying!(
                "refusal-other-session",
                approval = &decision.approval,
                session = asked.session.as_str()
            );
            let path = format!("decisions[{at}].approval");
            return Err(Problem::new(ProblemCode::Invalid, says.clone()).with_field(&path, says));
        }
        all.push(CardDecisionTarget { decision, asked });
    }
    Ok(all)
}

/// Refuses two decisions on one call, even by two ids: a withdrawn card and its successor belong to the same call.
fn require_distinct_calls(all: &[CardDecisionTarget<'_>]) -> Result<(), Problem> {
    let Some(call) = Decision::find_duplicate_call(all.iter().map(|named| &named.asked.call)) else {
        return Ok(());
    };
    let at = all.iter().rposition(|named| named.asked.call == *call).unwrap_or_default();
    let says = saying!("request-call-twice", call = call.as_str());
    Err(Problem::new(ProblemCode::Invalid, says.clone())
        .with_field(&format!("decisions[{at}].approval"), says))
}

/// Requires that every card is the one that was read.
fn require_cards_unchanged(all: &[CardDecisionTarget<'_>]) -> Result<(), Problem> {
    let is_other = |named: &&CardDecisionTarget<'_>| {
        let shown = EntityTag::new(named.decision.digest.clone());
        require_card_unchanged(&named.asked, &named.decision.approval, &shown).is_err()
    };
    let others: Vec<_> = all.iter().filter(is_other).filter_map(|named| named.asked.card.as_ref()).collect();
    if others.is_empty() {
        return Ok(());
    }
    let ids: Vec<&str> = others.iter().map(|card| card.id.as_str()).collect();
    let text = saying!("request-cards-other", approvals = ids.join(", "));
    Err(Problem::new(ProblemCode::Changed, text).with_current(&others))
}

/// The problem for approvals that are decided already or no longer pending, or whose session does not take the decision;
/// nothing was decided.
async fn already_decided_problem(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    session: &SessionId,
    decisions: &[CardDecisionShape],
    text: RefusalText,
) -> Result<Problem, Problem> {
    let named = find_decision_targets(state, caller, session, decisions).await?;
    if let Err(problem) = require_cards_unchanged(&named) {
        return Ok(problem);
    }
    let outcomes = outcomes(state, caller.workspace(), &named).await?;
    let is_decided = outcomes.iter().any(|outcome| outcome.decision.is_some());
    let code = conflict_code(is_decided, named.iter().all(|named| named.asked.card.is_some()));
    Ok(Problem::new(code, text).with_current(&outcomes))
}

async fn outcomes(
    state: &ServerState,
    workspace: &WorkspaceKey,
    all: &[CardDecisionTarget<'_>],
) -> Result<Vec<DecidedShape>, Problem> {
    let mut outcomes = Vec::with_capacity(all.len());
    for named in all {
        outcomes.push(outcome(state, workspace, &named.asked, &named.decision.approval).await?.shape);
    }
    Ok(outcomes)
}
