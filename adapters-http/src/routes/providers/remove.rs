//! Removes a provider's entry from the configuration.

use std::sync::Arc;

use axum::extract::State;
use http::{HeaderMap, StatusCode};

use crate::authentication::{Admin, OperatorAccess};
use crate::etag::read_if_match;
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::reader_language::language_of;
use crate::routes::admin::refused;
use crate::routes::path_params::ProviderPath;
use crate::routes::providers::require_entry_unchanged;
use crate::server_state::ServerState;

/// Removes the entry of a provider from the configuration file of the server, with a key that was stored for it by these routes. No
/// model call begins with it any more; those that run go on. The default one stays until another is named, and one that comes from
/// another place is changed there.
#[utoipa::path(
    delete,
    path = "/v1/providers/{p}",
    operation_id = "remove_provider",
    tag = "providers",
    params(ProviderPath, ("If-Match" = String, Header)),
    responses((status = 204)),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn remove_provider(
    State(state): State<Arc<ServerState>>,
    OperatorAccess(_operator, _): OperatorAccess<Admin>,
    PathParams(path): PathParams<ProviderPath>,
    headers: HeaderMap,
) -> Result<StatusCode, Problem> {
    let operator = &state.ports.operator;
    let there = operator.provider_entry_digest(&path.p).map_err(refused)?;
    let read = require_entry_unchanged(&read_if_match(&headers)?, there.as_ref(), &path.p)?;
    operator.remove_provider(&path.p, &read, language_of(&headers)).await.map_err(refused)?;
    Ok(StatusCode::NO_CONTENT)
}
