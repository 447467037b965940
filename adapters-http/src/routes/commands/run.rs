//! Runs one command manually: a query, or an action on the workspace's own data.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use entracte_application::use_cases::RunManualAction;
use entracte_domain::value::JsonValue;
use http::StatusCode;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse, PathParams};
use crate::problem::Problem;
use crate::routes::manual_command::{run_manual_action, run_manual_query, status};
use crate::routes::path_params::CommandPath;
use crate::server_state::ServerState;
use crate::shapes::command_outcome::{ResultShape, RunShape};

/// Runs one command by hand: a query, or an action on the workspace's own data, which may have to wait for its approval.
/// Others run in a session.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/commands/{n}/runs",
    operation_id = "run_command",
    tag = "commands",
    params(CommandPath),
    request_body = RunShape,
    responses((status = 200, body = ResultShape), (status = 202, body = ResultShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn run_command(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<CommandPath>,
    JsonBody(run): JsonBody<RunShape>,
) -> Result<Response, Problem> {
    let arguments = run.arguments.map_or_else(|| JsonValue::Object(Vec::new()), |given| given.0);
    let shape = match state.ports.catalog.get().find(&path.n) {
        Some(known) if RunManualAction::supports_command(known) => {
            run_manual_action(&state, &caller, &known.spec.name, arguments).await?
        }
        Some(_) | None => {
            ResultShape::of_query(&path.n, run_manual_query(&state, &caller, &path.n, arguments).await?)
        }
    };
    Ok((status(&shape, StatusCode::OK), JsonResponse(shape)).into_response())
}
