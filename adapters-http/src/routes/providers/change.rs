//! Changes single values of a provider's entry.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;

use crate::authentication::{Admin, OperatorLoginAccess};
use crate::etag::{EntityTag, read_if_match};
use crate::extractors::{PathParams, SecretJsonBody};
use crate::problem::Problem;
use crate::reader_language::language_of;
use crate::routes::admin::refused;
use crate::routes::path_params::ProviderPath;
use crate::routes::providers::{entry, require_entry_unchanged};
use crate::routes::response_with_etag;
use crate::server_state::ServerState;
use crate::shapes::provider_setup::ProviderChangeShape;
use crate::shapes::workspace::ProviderShape;

/// Changes the model, the address or the key of a provider in the configuration file of the server, or makes it that of new
/// sessions. The rest of its entry stays, with its comments. It counts from the next model call on. It takes a person who logged
/// in with a browser.
#[utoipa::path(
    patch,
    path = "/v1/providers/{p}",
    operation_id = "change_provider",
    tag = "providers",
    params(ProviderPath, ("If-Match" = String, Header)),
    request_body = ProviderChangeShape,
    responses((status = 200, body = ProviderShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn change_provider(
    State(state): State<Arc<ServerState>>,
    OperatorLoginAccess(_operator, _): OperatorLoginAccess<Admin>,
    PathParams(path): PathParams<ProviderPath>,
    headers: HeaderMap,
    SecretJsonBody(change): SecretJsonBody<ProviderChangeShape>,
) -> Result<Response, Problem> {
    let operator = &state.ports.operator;
    let there = operator.provider_entry_digest(&path.p).map_err(refused)?;
    let read = require_entry_unchanged(&read_if_match(&headers)?, there.as_ref(), &path.p)?;
    let language = language_of(&headers);
    operator.change_provider(&path.p, change.into(), &read, language).await.map_err(refused)?;
    let now = operator.provider_entry_digest(&path.p).map_err(refused)?;
    let shape = ProviderShape::from(&entry(&state, &path.p)?);
    Ok(response_with_etag(now.map(|tag| EntityTag::new(tag.as_str())), shape))
}
