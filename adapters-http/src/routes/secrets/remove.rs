//! Removes a secret of the caller's.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::ManagePersonSecrets;
use http::StatusCode;

use crate::authentication::{Secret, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::path_params::OwnSecretPath;
use crate::routes::secrets::holder;
use crate::server_state::ServerState;

/// Removes one of the caller's own secrets.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/me/secrets/{n}",
    operation_id = "remove_own_secret",
    tag = "secrets",
    params(OwnSecretPath),
    responses((status = 204)),
    extensions(("x-scope" = json!("secret")))
)]
pub(crate) async fn remove_own_secret(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Secret>,
    PathParams(path): PathParams<OwnSecretPath>,
) -> Result<StatusCode, Problem> {
    ManagePersonSecrets::new(state.ports.person_secrets.clone()).forget(&holder(&caller), &path.n)?;
    Ok(StatusCode::NO_CONTENT)
}
