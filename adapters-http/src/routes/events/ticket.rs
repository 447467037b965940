//! Issues a ticket for one stream.

use std::sync::Arc;

use axum::extract::State;
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::authentication::{Read, TokenAccess, is_stream_path};
use crate::extractors::{JsonBody, JsonResponse, JsonResult};
use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;

/// A ticket for one stream: browsers can send no token with one. It counts once, on its path, as the token that it was asked
/// for with.
#[utoipa::path(
    post,
    path = "/v1/tickets",
    operation_id = "create_ticket",
    tag = "events",
    request_body = NewTicket,
    responses((status = 200, body = TicketShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn create_ticket(
    State(state): State<Arc<ServerState>>,
    TokenAccess(visitor, _): TokenAccess<Read>,
    JsonBody(new): JsonBody<NewTicket>,
) -> JsonResult<TicketShape> {
    // The client knows the path including the base path.
    let path = new.path.strip_prefix(state.terms.base_path.as_str()).unwrap_or(&new.path);
    if !is_stream_path(path) {
        let says = "not the path of a stream, such as /v1/workspaces/ann:home/events";
        return Err(Problem::new(ProblemCode::Invalid, format!("path: {says}")).with_field("path", says));
    }
    let ticket = state.issue_ticket(&visitor.token().id, path);
    let lasts_ms = state.terms.limits.ticket_lasts.0;
    Ok(JsonResponse(TicketShape { ticket: ticket.expose_secret().to_owned(), lasts_ms }))
}

/// What a ticket is asked for with.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTicket {
    /// The path of the stream, without the query.
    path: String,
}

/// A ticket: `?ticket=` of its stream.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct TicketShape {
    /// The ticket.
    ticket: String,
    /// For how long it counts, in milliseconds.
    lasts_ms: i64,
}
