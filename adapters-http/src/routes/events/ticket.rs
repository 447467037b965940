//! Issues a ticket for one stream.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::texts::saying;
use entracte_application::use_cases::IssueStreamTicket;
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::authentication::{Read, TokenAccess, is_stream_path};
use crate::extractors::{JsonBody, JsonResponse, JsonResult};
use crate::problem::Problem;
use crate::server_state::ServerState;

/// A ticket for one stream: a browser's EventSource and WebSocket can send no token. It opens the stream of its path, as the
/// token that it was asked for with, again after each break and also after a restart of the server, until it expires or the
/// token is revoked. It opens one stream at a time: a new one ends the one before.
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
    if path.len() > PATH_MAX || !is_stream_path(path) {
        return Err(Problem::invalid_field("path", saying!("refusal-not-stream")));
    }
    let lasts = state.terms.limits.ticket_lasts;
    let (access, clock) = (state.ports.access.clone(), state.ports.clock.clone());
    let issue = IssueStreamTicket::new(access, clock, state.ports.ids.clone());
    let issued = issue.run(&visitor.token().id, path, lasts).await?;
    Ok(JsonResponse(TicketShape { ticket: issued.secret.expose_secret().to_owned(), lasts_ms: lasts.0 }))
}

/// The most bytes of a path: it is stored with the ticket.
const PATH_MAX: usize = 512;

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
    /// For how long it opens its stream, in milliseconds.
    lasts_ms: i64,
}
