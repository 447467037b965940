//! Accepts a tool of an MCP server as it is offered now.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::settings_of;
use entracte_domain::id::Digest;
use http::HeaderMap;

use crate::access::{Admin, WorkspaceAccess, operates};
use crate::body::{JsonBody, JsonResponse, JsonResult, PathParams};
use crate::etag::if_match;
use crate::house::ServerState;
use crate::problem::{Problem, ProblemCode};
use crate::routes::admin::refused;
use crate::routes::commands::acceptance::offered;
use crate::routes::must_match;
use crate::routes::path::CommandPath;
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
    State(house): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    PathParams(path): PathParams<CommandPath>,
    headers: HeaderMap,
    JsonBody(accept): JsonBody<AcceptShape>,
) -> JsonResult<OfferShape> {
    operates(caller.visitor())?;
    let read = if_match(&headers)?;
    let offer = offered(&house, caller.workspace(), &path.n).await?;
    if offer.offered.is_none() {
        let text = "it was accepted as it is offered; there is nothing to accept";
        return Err(Problem::new(ProblemCode::NotApplicable, text));
    }
    must_match(&read, OfferShape::tag(&offer), &OfferShape::from(&offer))?;
    if offer.loosens && !accept.without_approval {
        let says = "it would need no approval any more; say that you want that: true";
        return Err(Problem::new(ProblemCode::Invalid, format!("without_approval: {says}"))
            .at("without_approval", says));
    }
    let language = settings_of(&*house.ports.store, caller.workspace()).await?.language;
    let read = Digest::new(read.as_str());
    house.ports.operator.accept_tool_offer(&offer, &read, language).await.map_err(refused)?;
    Ok(JsonResponse(OfferShape::from(&offered(&house, caller.workspace(), &path.n).await?)))
}
