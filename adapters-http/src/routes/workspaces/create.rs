//! Creates a workspace with these settings; an existing one is a conflict.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::texts::saying;
use entracte_application::use_cases::{ChangeSettings, settings_of};
use entracte_domain::id::WorkspaceKey;
use http::StatusCode;

use crate::authentication::{Admin, NewWorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse};
use crate::problem::{Problem, ProblemCode};
use crate::routes::path_params::WorkspacePath;
use crate::routes::settings_shape;
use crate::server_state::ServerState;
use crate::shapes::workspace::{SettingsEdit, SettingsShape};

/// Creates a workspace with these settings; one that exists is a conflict.
#[utoipa::path(
    put,
    path = "/v1/workspaces/{w}",
    operation_id = "make_workspace",
    tag = "workspaces",
    params(WorkspacePath),
    request_body = SettingsEdit,
    responses((status = 201, body = SettingsShape)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn make_workspace(
    State(state): State<Arc<ServerState>>,
    NewWorkspaceAccess(caller, _): NewWorkspaceAccess<Admin>,
    JsonBody(edit): JsonBody<SettingsEdit>,
) -> Result<(StatusCode, JsonResponse<SettingsShape>), Problem> {
    check_key(caller.workspace())?;
    let change = ChangeSettings::new(caller.mail_sender(&state));
    let changes = edit.settings.into_iter().collect();
    change.create_workspace(&*state.ports.store, caller.workspace(), caller.author(), changes).await?;
    let settings = settings_of(&*state.ports.store, caller.workspace()).await?;
    Ok((StatusCode::CREATED, JsonResponse(settings_shape(&state, &settings, caller.reader()))))
}

/// Most characters of a workspace key.
const KEY_MAX: usize = 100;

/// Checks the form `user:collection`.
fn check_key(key: &WorkspaceKey) -> Result<(), Problem> {
    let is_half =
        |half: &str| !half.is_empty() && half.chars().all(|c| !c.is_control() && !c.is_whitespace());
    let text = key.as_str();
    let halves = text.split_once(':').filter(|(user, rest)| is_half(user) && is_half(rest));
    if halves.is_some() && text.chars().count() <= KEY_MAX {
        return Ok(());
    }
    let says = saying!("refusal-workspace-key", most = KEY_MAX);
    Err(Problem::new(ProblemCode::Invalid, says.clone()).with_field("w", says))
}
