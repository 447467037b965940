//! Lists the configured providers, without their keys.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, TokenAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, page_of_list};
use crate::routes::providers::visible_shape;
use crate::server_state::ServerState;
use crate::shapes::workspace::ProviderShape;

/// The providers of the configuration, without their keys.
#[utoipa::path(
    get,
    path = "/v1/providers",
    operation_id = "list_providers",
    tag = "providers",
    params(PageQuery),
    responses((status = 200, body = Page<ProviderShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_providers(
    State(state): State<Arc<ServerState>>,
    TokenAccess(visitor, _): TokenAccess<Read>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<ProviderShape>> {
    let entries = state.terms.entries.providers.get();
    let shapes = entries.iter().map(|entry| visible_shape(&visitor, entry)).collect();
    Ok(JsonResponse(page_of_list(shapes, "providers", &query, |shape: &ProviderShape| shape.name.clone())?))
}
