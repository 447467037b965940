//! Decides on exactly the card whose digest is sent as If-Match.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::{MailSender, TokenScope};
use entracte_application::texts::{ReaderLanguage, RefusalText, saying};
use entracte_application::use_cases::{
    ApprovalChoice, ApprovalSelection, DecideApprovals, ReadCalls, UseCaseError,
};
use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::Millis;
use http::HeaderMap;

use crate::authentication::{Approve, WorkspaceAccess, WorkspacePrincipal};
use crate::etag::{EntityTag, read_if_match};
use crate::extractors::{JsonBody, JsonResponse, JsonResult, PathParams};
use crate::problem::{Problem, ProblemCode};
use crate::routes::approvals::{ApprovalSubject, find_approval_subject};
use crate::routes::path_params::ApprovalPath;
use crate::server_state::ServerState;
use crate::shapes::call::DecisionCommentShape;
use crate::shapes::card::{DecidedShape, DecisionShape};

/// Decides on exactly the card whose digest is sent as If-Match.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/approvals/{apr}/decision",
    operation_id = "decide_approval",
    tag = "approvals",
    params(ApprovalPath, ("If-Match" = String, Header)),
    request_body = DecisionShape,
    responses((status = 200, body = DecidedShape)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn decide_approval(
    State(server_state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    PathParams(path): PathParams<ApprovalPath>,
    headers: HeaderMap,
    JsonBody(decision): JsonBody<DecisionShape>,
) -> JsonResult<DecidedShape> {
    let shown = read_if_match(&headers)?;
    require_message_scope(&caller, &decision)?;
    if caller.find_replayed_answer(&server_state).await?.is_some() {
        let (workspace, apr) = (caller.workspace(), &path.apr);
        let asked = find_approval_subject(&server_state, workspace, apr, caller.reader()).await?;
        return Ok(JsonResponse(outcome(&server_state, workspace, &asked, apr).await?.shape));
    }
    let deciding = CardDecision {
        sender: caller.mail_sender(&server_state),
        workspace: caller.workspace(),
        author: caller.author(),
        reader: caller.reader(),
        approval: &path.apr,
        shown,
        choice: choice(decision),
        link: None,
    };
    Ok(JsonResponse(submit_decision(&server_state, deciding).await?))
}

/// A decision on one card.
pub(crate) struct CardDecision<'a> {
    /// Sends mail to the owner of the database.
    pub(crate) sender: Arc<dyn MailSender>,
    /// Workspace of the approval.
    pub(crate) workspace: &'a WorkspaceKey,
    /// Author of the decision.
    pub(crate) author: String,
    /// The language of the author.
    pub(crate) reader: ReaderLanguage,
    /// Id of the approval.
    pub(crate) approval: &'a str,
    /// Digest of the card that was shown.
    pub(crate) shown: EntityTag,
    /// The decision.
    pub(crate) choice: ApprovalChoice,
    /// The link that the decision spends, if any.
    pub(crate) link: Option<Digest>,
}

/// Submits a decision; a conflict reports the current state.
pub(crate) async fn submit_decision(
    server_state: &ServerState,
    deciding: CardDecision<'_>,
) -> Result<DecidedShape, Problem> {
    let CardDecision { sender, workspace, author, reader, approval, shown, choice, link } = deciding;
    let asked = find_approval_subject(server_state, workspace, approval, reader).await?;
    require_card_unchanged(&asked, approval, &shown)?;
    let answer = DecideApprovals::new(sender, server_state.ports.store.clone());
    let answer = match link {
        Some(link) => answer.with_link_authorization(link),
        None => answer,
    };
    let was_decided = asked.card.is_none();
    let of = [ApprovalSelection { call: asked.call.clone(), card: Some(Digest::new(shown.as_str())) }];
    match answer.run_for_selection(workspace, &asked.session, author.clone(), &of, &choice).await {
        Ok(_) => {
            let found = outcome(server_state, workspace, &asked, approval).await?;
            require_own_decision(found, &author, was_decided.then_some(&shown))
        }
        Err(UseCaseError::Conflict(text)) => {
            let asked = find_approval_subject(server_state, workspace, approval, reader).await?;
            Err(already_decided_problem(server_state, workspace, &asked, approval, &shown, text).await?)
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) fn choice(decision: DecisionShape) -> ApprovalChoice {
    match decision {
        DecisionShape::Approve => ApprovalChoice::Approve,
        DecisionShape::Edit { arguments } => ApprovalChoice::ApproveEdited(arguments.0),
        DecisionShape::Always { in_session, lasts_seconds, agents, width } => ApprovalChoice::Always {
            in_session,
            lasts: lasts_seconds.map(|seconds| Millis::seconds(seconds.into())),
            agents,
            width: width.map(|width| Box::new(width.into_width())),
        },
        DecisionShape::Reject { reason } => ApprovalChoice::Reject(reason),
        DecisionShape::Answer { text } => ApprovalChoice::Answer(text),
    }
}

/// Requires the scope `chat` for words in place of a decision: they are a message of the person.
///
/// # Errors
/// If the decision is such words, and the token may not send messages.
pub(super) fn require_message_scope(
    caller: &WorkspacePrincipal,
    decision: &DecisionShape,
) -> Result<(), Problem> {
    let is_message = match decision {
        DecisionShape::Answer { .. } => true,
        DecisionShape::Approve
        | DecisionShape::Edit { .. }
        | DecisionShape::Always { .. }
        | DecisionShape::Reject { .. } => false,
    };
    if !is_message || caller.principal().scopes().allow(TokenScope::Chat) {
        return Ok(());
    }
    Err(Problem::new(ProblemCode::ScopeMissing, saying!("request-words-scope")))
}

/// Requires that the shown card is still pending. Otherwise the problem contains the new card, and nothing is decided.
pub(super) fn require_card_unchanged(
    asked: &ApprovalSubject,
    named: &str,
    shown: &EntityTag,
) -> Result<(), Problem> {
    let Some(card) =
        asked.card.as_ref().filter(|card| card.id != named || card.tag().as_ref() != Some(shown))
    else {
        return Ok(());
    };
    let text = saying!("request-card-other", approval = &card.id);
    Err(Problem::new(ProblemCode::Changed, text).with_current(card))
}

/// The problem for an approval that is decided already or no longer pending; or that still waits, and whose session does not
/// take the decision, such as words in place of it.
async fn already_decided_problem(
    server_state: &ServerState,
    workspace: &WorkspaceKey,
    asked: &ApprovalSubject,
    named: &str,
    shown: &EntityTag,
    text: RefusalText,
) -> Result<Problem, Problem> {
    if let Err(problem) = require_card_unchanged(asked, named, shown) {
        return Ok(problem);
    }
    let outcome = outcome(server_state, workspace, asked, named).await?.shape;
    let code = conflict_code(outcome.decision.is_some(), asked.card.is_some());
    Ok(Problem::new(code, text).with_current(&outcome))
}

/// The code for a conflict about approvals, some of which were decided before, or all of which still wait.
pub(super) fn conflict_code(is_decided: bool, all_wait: bool) -> ProblemCode {
    if is_decided {
        ProblemCode::AlreadyDecided
    } else if all_wait {
        ProblemCode::Conflict
    } else {
        ProblemCode::Ended
    }
}

/// Requires that a decision is this person's: one who gives the same answer later learns who decided. `again` is the card
/// that was sent for a call which was decided before; an answer about another card is none.
fn require_own_decision(
    found: DecisionOutcome,
    author: &str,
    again: Option<&EntityTag>,
) -> Result<DecidedShape, Problem> {
    let DecisionOutcome { shape, card } = found;
    let is_other_card =
        again.zip(card.as_ref()).is_some_and(|(shown, decided)| shown.as_str() != decided.as_str());
    let (code, text) = match shape.decided_by.as_deref() {
        Some(by) if by != author => (ProblemCode::AlreadyDecided, saying!("request-decided-by", person = by)),
        _ if is_other_card => (ProblemCode::Changed, saying!("request-decided-other")),
        _ => return Ok(shape),
    };
    Err(Problem::new(code, text).with_current(&shape))
}

/// What became of an approval: the answer of the API, and the digest of the card that the decision is bound to.
pub(in crate::routes) struct DecisionOutcome {
    pub(in crate::routes) shape: DecidedShape,
    card: Option<Digest>,
}

/// The decision on a call, and the current state of the call.
pub(in crate::routes) async fn outcome(
    server_state: &ServerState,
    workspace: &WorkspaceKey,
    asked: &ApprovalSubject,
    named: &str,
) -> Result<DecisionOutcome, Problem> {
    let read = ReadCalls::new(server_state.ports.store.clone(), server_state.ports.log.clone());
    let calls = read.run(workspace, &asked.session).await?;
    let view = calls.into_iter().find(|view| view.call.id == asked.call);
    let decided = view.as_ref().and_then(|view| view.decided.clone());
    let card = view.as_ref().and_then(|view| view.call.card.clone());
    let shape = DecidedShape {
        id: named.to_owned(),
        call: asked.call.to_string(),
        decision: decided.as_ref().map(|decided| decided.what.into()),
        decided_by: decided.as_ref().and_then(|decided| decided.by.clone()),
        comments: DecisionCommentShape::of_decision(decided.as_ref()),
        rule: decided.and_then(|decided| decided.rule),
        state: view.map(|view| view.state).unwrap_or_default(),
    };
    Ok(DecisionOutcome { shape, card })
}
