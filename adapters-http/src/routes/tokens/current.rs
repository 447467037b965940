//! Reads the authenticated person and the token's scopes.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, TokenAccess};
use crate::extractors::{JsonResponse, JsonResult};
use crate::server_state::ServerState;
use crate::shapes::token::{MeShape, TokenShape};

/// Who is asking, and what their token allows.
#[utoipa::path(
    get,
    path = "/v1/me",
    operation_id = "me",
    tag = "tokens",
    responses((status = 200, body = MeShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn me(
    State(_house): State<Arc<ServerState>>,
    TokenAccess(visitor, _): TokenAccess<Read>,
) -> JsonResult<MeShape> {
    Ok(JsonResponse(MeShape { token: TokenShape::new(visitor.token(), visitor.person()) }))
}
