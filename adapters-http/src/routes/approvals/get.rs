//! Reads the card of a pending approval, with all facts to decide by.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::texts::saying;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::{Problem, ProblemCode};
use crate::routes::approvals::find_approval_subject;
use crate::routes::path_params::ApprovalPath;
use crate::routes::response_with_etag;
use crate::server_state::ServerState;
use crate::shapes::card::CardShape;

/// The card of an open approval, with everything needed to decide on it.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/approvals/{apr}",
    operation_id = "get_approval",
    tag = "approvals",
    params(ApprovalPath),
    responses((status = 200, body = CardShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_approval(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<ApprovalPath>,
) -> Result<Response, Problem> {
    let asked = find_approval_subject(&state, caller.workspace(), &path.apr, caller.reader()).await?;
    let Some(card) = asked.card.filter(|card| card.id == path.apr) else {
        let text = saying!("request-approval-ended", approval = &path.apr, call = asked.call.as_str());
        return Err(Problem::new(ProblemCode::Ended, text));
    };
    Ok(response_with_etag(card.tag(), card))
}
