//! Removes what goes by the retention policy now.

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Admin, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::routes::path_params::WorkspacePath;
use crate::routes::retention::run_retention_of;
use crate::server_state::ServerState;
use crate::shapes::retention::RetentionTotalsShape;

/// Removes what goes by the retention policy, in small commits, and answers at the end with what went. A client that
/// leaves ends it after the commit under way; what is left goes with the next run, or when the server looks itself. One
/// that shows how far it is asks for a few commits, and again while there is more.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/retention/run",
    operation_id = "run_retention",
    tag = "retention",
    params(WorkspacePath, RetentionRunQuery),
    responses((status = 200, body = RetentionTotalsShape)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn run_retention(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    QueryParams(query): QueryParams<RetentionRunQuery>,
) -> JsonResult<RetentionTotalsShape> {
    let most = query.commits.unwrap_or(u32::MAX).max(1);
    let run = run_retention_of(&state, &caller).run_commits(caller.workspace(), most, &mut |_| {}).await?;
    Ok(JsonResponse(RetentionTotalsShape::from(&run)))
}

/// How much to remove.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RetentionRunQuery {
    /// The most commits, at least 1; everything that goes unless given.
    commits: Option<u32>,
}
