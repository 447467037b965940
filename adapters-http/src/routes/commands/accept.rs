//! Accepts the current declaration of an MCP server's tool.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::texts::saying;
use entracte_domain::id::Digest;
use http::HeaderMap;

use crate::authentication::{Admin, WorkspaceAccess, require_operator};
use crate::etag::read_if_match;
use crate::extractors::{JsonBody, JsonResponse, JsonResult, PathParams};
use crate::problem::{Problem, ProblemCode};
use crate::routes::admin::refused;
use crate::routes::commands::acceptance::offered;
use crate::routes::path_params::CommandPath;
use crate::routes::require_unchanged;
use crate::server_state::ServerState;
use crate::shapes::admin::{AcceptShape, OfferShape};

/// Accepts a tool of an MCP server as it is offered now. It holds for every workspace, so it is for the operator.
#[utoipa::path(
    put,
    path = "/v1/workspaces/{w}/commands/{n}/acceptance",
    operation_id = "accept_command",
    tag = "commands",
    params(CommandPath, ("If-Match" = String, Header)),
    request_body = AcceptShape,
    responses((status = 200, body = OfferShape)),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn accept_command(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    PathParams(path): PathParams<CommandPath>,
    headers: HeaderMap,
    JsonBody(accept): JsonBody<AcceptShape>,
) -> JsonResult<OfferShape> {
    require_operator(caller.principal())?;
    let read = read_if_match(&headers)?;
    let offer = offered(&state, &caller, &path.n).await?;
    if offer.offered.is_none() {
        let text = saying!("refusal-offer-accepted");
        return Err(Problem::new(ProblemCode::NotApplicable, text));
    }
    let shown = OfferShape::from(&offer);
    require_unchanged(&read, shown.tag(), &shown)?;
    if offer.loosens && !accept.without_approval {
        return Err(Problem::invalid_field("without_approval", saying!("refusal-offer-loosens")));
    }
    let language = state.language_for(caller.workspace(), caller.reader()).await?;
    let read = Digest::new(read.as_str());
    state.ports.operator.accept_tool_offer(&offer, &read, language).await.map_err(refused)?;
    Ok(JsonResponse(OfferShape::from(&offered(&state, &caller, &path.n).await?)))
}
