//! Sets up a provider from a key, a server or a script.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};

use crate::authentication::{Admin, OperatorLoginAccess};
use crate::extractors::{JsonResponse, SecretJsonBody};
use crate::problem::Problem;
use crate::reader_language::language_of;
use crate::routes::admin::refused;
use crate::routes::providers::entry;
use crate::server_state::ServerState;
use crate::shapes::provider_setup::NewProviderShape;
use crate::shapes::workspace::ProviderShape;

/// Asks a new provider, and writes it into the configuration file of the server if it answers; new sessions that name none
/// use it from then on. Nothing is written before. A key is kept in a file beside, which only its owner can read. It takes a
/// person who logged in with a browser: no token hands over a key, or sends the server to another address.
#[utoipa::path(
    post,
    path = "/v1/providers",
    operation_id = "set_up_provider",
    tag = "providers",
    request_body = NewProviderShape,
    responses((status = 201, body = ProviderShape)),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn set_up_provider(
    State(state): State<Arc<ServerState>>,
    OperatorLoginAccess(_operator, _): OperatorLoginAccess<Admin>,
    headers: HeaderMap,
    SecretJsonBody(new): SecretJsonBody<NewProviderShape>,
) -> Result<Response, Problem> {
    let made = state.ports.operator.set_up_provider(new.into(), language_of(&headers)).await;
    let name = made.map_err(refused)?;
    let shape = ProviderShape::from(&entry(&state, &name)?);
    Ok((StatusCode::CREATED, JsonResponse(shape)).into_response())
}
