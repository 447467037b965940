//! Reads one standing approval or refusal.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::RulePath;
use crate::routes::rules::rule;
use crate::server_state::ServerState;
use crate::shapes::rule::RuleShape;

/// One standing approval or refusal.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/rules/{r}",
    operation_id = "get_rule",
    tag = "rules",
    params(RulePath),
    responses((status = 200, body = RuleShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_rule(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<RulePath>,
) -> JsonResult<RuleShape> {
    let rule = rule(&state, caller.workspace(), &path.r).await?;
    Ok(JsonResponse(RuleShape::new(&rule, state.ports.clock.now())))
}
