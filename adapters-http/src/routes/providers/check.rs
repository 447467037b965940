//! Checks whether the address, key and model of a provider are valid.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Admin, TokenAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::ProviderPath;
use crate::routes::providers::find_provider;
use crate::server_state::ServerState;
use crate::shapes::workspace::CheckedShape;

/// Asks a provider whether its address, key and model are right. It costs what its cheapest question costs, and changes
/// nothing here.
#[utoipa::path(
    post,
    path = "/v1/providers/{p}/check",
    operation_id = "check_provider",
    tag = "providers",
    params(ProviderPath),
    responses((status = 200, body = CheckedShape)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn check_provider(
    State(state): State<Arc<ServerState>>,
    TokenAccess(_visitor, _): TokenAccess<Admin>,
    PathParams(path): PathParams<ProviderPath>,
) -> JsonResult<CheckedShape> {
    Ok(JsonResponse(find_provider(&state, &path.p)?.check().await.into()))
}
