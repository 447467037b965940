//! Answers whether a session may use more of a cap.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::texts::saying;
use entracte_application::use_cases::AnswerSpending;
use entracte_domain::dollars::Dollars;
use entracte_domain::spending::SpendingAmount;

use crate::authentication::{Approve, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse, JsonResult, PathParams};
use crate::problem::Problem;
use crate::routes::dollars_of;
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::cost::SpendingAnswerShape;
use crate::shapes::session::AcceptedShape;

/// Lets a session go on that asks at the soft line of a cap, for as much as the question proposes or for less; or stops it
/// as at the cap.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/spending",
    operation_id = "answer_spending",
    tag = "sessions",
    params(SessionPath),
    request_body = SpendingAnswerShape,
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn answer_spending(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    PathParams(path): PathParams<SessionPath>,
    JsonBody(answer): JsonBody<SpendingAnswerShape>,
) -> JsonResult<AcceptedShape> {
    let extra = extra_of(&answer)?;
    let (session, author) = (path.session(), caller.author());
    let answered = AnswerSpending::new(caller.mail_sender(&state));
    let accepted = answered.run(caller.workspace(), &session, author, answer.go_on, extra).await?;
    Ok(JsonResponse(accepted.into()))
}

/// The amount of an answer; `None` if it names none.
fn extra_of(answer: &SpendingAnswerShape) -> Result<Option<SpendingAmount>, Problem> {
    let SpendingAnswerShape { go_on, cost_usd, tokens } = answer;
    if cost_usd.is_none() && tokens.is_none() {
        return Ok(None);
    }
    if !go_on {
        return Err(Problem::invalid_field("go_on", saying!("refusal-stop-amount")));
    }
    let cost = match cost_usd {
        Some(text) => dollars_of("cost_usd", text)?,
        None => Dollars::ZERO,
    };
    Ok(Some(SpendingAmount { tokens: tokens.unwrap_or_default(), cost }))
}
