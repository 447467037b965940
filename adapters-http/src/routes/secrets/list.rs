//! The names of the caller's own secrets; never the secrets.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::ManagePersonSecrets;

use crate::access::{Access, Read};
use crate::body::{Answer, Json};
use crate::house::House;
use crate::routes::path::OfWorkspace;
use crate::routes::secrets::holder;
use crate::shapes::secret::SecretNamesShape;

/// The names of the caller's own secrets; never the secrets.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/me/secrets",
    operation_id = "list_own_secrets",
    tag = "secrets",
    params(OfWorkspace),
    responses((status = 200, body = SecretNamesShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_own_secrets(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
) -> Answer<SecretNamesShape> {
    let names = ManagePersonSecrets::new(house.ports.person_secrets.clone()).names(&holder(&caller))?;
    Ok(Json(SecretNamesShape { names }))
}
