//! Shows the card of a link, any number of times, without spending the link.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use entracte_application::notify::nonce;
use http::HeaderMap;

use crate::authentication::ClientAddress;
use crate::extractors::{JsonBody, JsonResponse, JsonResult};
use crate::reader_language::reader_of;
use crate::routes::links::{card, link};
use crate::server_state::ServerState;
use crate::shapes::link::{OpenLinkShape, OpenedShape};

/// Shows the card of a link, as often as asked; the link stays unspent.
#[utoipa::path(
    post,
    path = "/v1/links/open",
    operation_id = "open_link",
    tag = "links",
    request_body = OpenLinkShape,
    responses((status = 200, body = OpenedShape)),
    extensions(("x-scope" = json!(null)))
)]
pub(crate) async fn open_link(
    State(state): State<Arc<ServerState>>,
    Extension(client): Extension<ClientAddress>,
    headers: HeaderMap,
    JsonBody(open): JsonBody<OpenLinkShape>,
) -> JsonResult<OpenedShape> {
    let link = link(&state, &headers, client.0, &open.secret).await?;
    let card = card(&state, &link, reader_of(&headers)).await?;
    Ok(JsonResponse(OpenedShape {
        card,
        nonce: nonce(&open.secret, &link.digest),
        person: link.person.clone(),
        expires_at: crate::shapes::iso(link.expires_at),
    }))
}
