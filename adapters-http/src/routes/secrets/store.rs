//! Stores a secret of the caller's, replacing the one of the same name. It is never shown again.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::ManagePersonSecrets;
use http::StatusCode;
use secrecy::SecretString;

use crate::authentication::{Secret, WorkspaceAccess};
use crate::extractors::{JsonBody, PathParams};
use crate::problem::Problem;
use crate::routes::path_params::OwnSecretPath;
use crate::routes::secrets::holder;
use crate::server_state::ServerState;
use crate::shapes::secret::NewSecretShape;

/// Stores one of the caller's own secrets, in place of the one of that name. It is never shown again.
#[utoipa::path(
    put,
    path = "/v1/workspaces/{w}/me/secrets/{n}",
    operation_id = "keep_own_secret",
    tag = "secrets",
    params(OwnSecretPath),
    request_body = NewSecretShape,
    responses((status = 204)),
    extensions(("x-scope" = json!("secret")))
)]
pub(crate) async fn store_own_secret(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Secret>,
    PathParams(path): PathParams<OwnSecretPath>,
    JsonBody(new): JsonBody<NewSecretShape>,
) -> Result<StatusCode, Problem> {
    let own = ManagePersonSecrets::new(state.ports.person_secrets.clone());
    own.keep(&holder(&caller), &path.n, SecretString::from(new.secret))?;
    Ok(StatusCode::NO_CONTENT)
}
