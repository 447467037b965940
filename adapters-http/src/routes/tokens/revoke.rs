//! Revokes a token of the workspace.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::AccessReach;
use entracte_application::use_cases::RevokeToken;
use http::StatusCode;

use crate::access::{Access, Admin};
use crate::body::Path;
use crate::house::House;
use crate::problem::Problem;
use crate::routes::path::OfToken;

/// Revokes a token of the workspace.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/tokens/{t}",
    operation_id = "revoke_token",
    tag = "tokens",
    params(OfToken),
    responses((status = 204)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn revoke_token(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Admin>,
    Path(path): Path<OfToken>,
) -> Result<StatusCode, Problem> {
    let here = AccessReach::Workspace(caller.workspace().clone());
    let revoke = RevokeToken::new(house.ports.access.clone(), house.ports.clock.clone());
    revoke.run(&here, &path.t).await?;
    Ok(StatusCode::NO_CONTENT)
}
