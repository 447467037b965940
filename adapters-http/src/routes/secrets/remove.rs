//! Removes a secret of the caller's.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::ManagePersonSecrets;
use http::StatusCode;

use crate::access::{Access, Secret};
use crate::body::Path;
use crate::house::House;
use crate::problem::Problem;
use crate::routes::path::OfOwnSecret;
use crate::routes::secrets::holder;

/// Removes one of the caller's own secrets.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/me/secrets/{n}",
    operation_id = "remove_own_secret",
    tag = "secrets",
    params(OfOwnSecret),
    responses((status = 204)),
    extensions(("x-scope" = json!("secret")))
)]
pub(crate) async fn remove_own_secret(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Secret>,
    Path(path): Path<OfOwnSecret>,
) -> Result<StatusCode, Problem> {
    ManagePersonSecrets::new(house.ports.person_secrets.clone()).forget(&holder(&caller), &path.n)?;
    Ok(StatusCode::NO_CONTENT)
}
