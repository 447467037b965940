//! Reads one command of the catalog.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::terminal_text::one_line;
use entracte_application::texts::saying;
use entracte_application::use_cases::settings_or_first_of;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::problem::{Problem, ProblemCode};
use crate::routes::path_params::CommandPath;
use crate::server_state::ServerState;
use crate::shapes::command::CommandShape;

/// One command of the catalog.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/commands/{n}",
    operation_id = "get_command",
    tag = "commands",
    params(CommandPath),
    responses((status = 200, body = CommandShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_command(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<CommandPath>,
) -> JsonResult<CommandShape> {
    let (ports, workspace) = (&state.ports, caller.workspace());
    let prompts = settings_or_first_of(&*ports.store, workspace, &state.terms.runtime).await?.language;
    let catalog = ports.catalog.get();
    let known = catalog.find(&path.n).ok_or_else(|| {
        Problem::new(ProblemCode::NotFound, saying!("request-no-command", command = one_line(&path.n)))
    })?;
    Ok(JsonResponse(CommandShape::new(&known.spec, caller.reader().in_workspace(prompts), prompts)))
}
