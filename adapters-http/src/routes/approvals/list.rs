//! Lists the pending approvals, the oldest first.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, page_of_list};
use crate::routes::approvals::{card_of, inbox};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::card::{CardContext, CardShape};

/// The open approvals, the oldest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/approvals",
    operation_id = "list_approvals",
    tag = "approvals",
    params(WorkspacePath, PageQuery),
    responses((status = 200, body = Page<CardShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_approvals(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<CardShape>> {
    let catalog = state.ports.catalog.get();
    let items = inbox(&state).run(caller.workspace()).await?;
    let look = CardContext { catalog: &catalog, now: state.ports.clock.now(), items: &items };
    let cards = items.iter().filter_map(|item| card_of(item, &look)).collect();
    let list = format!("approvals {}", caller.workspace());
    Ok(JsonResponse(page_of_list(cards, &list, &query, |card: &CardShape| {
        format!("{} {}", card.asked_at, card.id)
    })?))
}
