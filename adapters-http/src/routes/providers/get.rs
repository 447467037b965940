//! Reads one configured provider, without its key.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use crate::authentication::{Read, TokenAccess};
use crate::etag::EntityTag;
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::admin::refused;
use crate::routes::path_params::ProviderPath;
use crate::routes::providers::{entry, visible_shape};
use crate::routes::response_with_etag;
use crate::server_state::ServerState;
use crate::shapes::workspace::ProviderShape;

/// One provider of the configuration, without its key, as it is in force. Its tag is that of its entry in the configuration file
/// of the server, as the file is now; one that comes from elsewhere has none.
#[utoipa::path(
    get,
    path = "/v1/providers/{p}",
    operation_id = "get_provider",
    tag = "providers",
    params(ProviderPath),
    responses((status = 200, body = ProviderShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_provider(
    State(state): State<Arc<ServerState>>,
    TokenAccess(visitor, _): TokenAccess<Read>,
    PathParams(path): PathParams<ProviderPath>,
) -> Result<Response, Problem> {
    let shape = visible_shape(&visitor, &entry(&state, &path.p)?);
    let tag = state.ports.operator.provider_entry_digest(&path.p).map_err(refused)?;
    Ok(response_with_etag(tag.map(|tag| EntityTag::new(tag.as_str())), shape))
}
