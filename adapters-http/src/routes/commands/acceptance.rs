//! Reads an MCP server's current offer for a command: whether it must be accepted, and how it differs from the accepted
//! one.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::ports::ExternalToolOffer;
use entracte_application::terminal_text::one_line;
use entracte_application::texts::saying;

use crate::authentication::{Read, WorkspaceAccess, WorkspacePrincipal};
use crate::extractors::PathParams;
use crate::problem::{Problem, ProblemCode};
use crate::routes::admin::refused;
use crate::routes::path_params::CommandPath;
use crate::routes::response_with_etag;
use crate::server_state::ServerState;
use crate::shapes::admin::OfferShape;

/// What an MCP server offers under the name of a command: whether it has to be accepted, and how it differs from what was.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/commands/{n}/acceptance",
    operation_id = "get_acceptance",
    tag = "commands",
    params(CommandPath),
    responses((status = 200, body = OfferShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_acceptance(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<CommandPath>,
) -> Result<Response, Problem> {
    let offer = offered(&state, &caller, &path.n).await?;
    let offer = OfferShape::from(&offer);
    Ok(response_with_etag(offer.tag(), offer))
}

/// The current offer for this command, in the language of the caller.
pub(super) async fn offered(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    name: &str,
) -> Result<ExternalToolOffer, Problem> {
    let language = state.language_for(caller.workspace(), caller.reader()).await?;
    let found = state.ports.operator.external_tool_offer(name, language).await.map_err(refused)?;
    found.ok_or_else(|| {
        let text = saying!("refusal-no-offer", command = one_line(name));
        Problem::new(ProblemCode::NotFound, text)
    })
}
