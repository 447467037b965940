//! Lists the names of the caller's own secrets, never the secrets.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::ManagePersonSecrets;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult};
use crate::routes::path_params::WorkspacePath;
use crate::routes::secrets::holder;
use crate::server_state::ServerState;
use crate::shapes::secret::SecretNamesShape;

/// The names of the caller's own secrets; never the secrets.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/me/secrets",
    operation_id = "list_own_secrets",
    tag = "secrets",
    params(WorkspacePath),
    responses((status = 200, body = SecretNamesShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_own_secrets(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
) -> JsonResult<SecretNamesShape> {
    let holder = holder(&caller);
    let names = ManagePersonSecrets::new(state.ports.person_secrets.clone()).names(&holder)?;
    Ok(JsonResponse(SecretNamesShape { person: holder.person, names }))
}
