//! Lists the pending approvals, those of the session that has waited longest first.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::InboxItem;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, encode_cursor, page_limit, read_cursor_key};
use crate::routes::approvals::{card_of, inbox};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::card::{CardContext, CardShape};

/// The open approvals, those of the session that has waited longest first.
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
    let list = format!("approvals by session {}", caller.workspace());
    let (limit, mut place) = (page_limit(&query)?, read_cursor_key(&list, &query)?);
    let (inbox, catalog) = (inbox(&state), state.ports.catalog.get());
    // One card more shows that another page follows.
    let mut cards: Vec<(CardShape, String)> = Vec::new();
    while cards.len() <= limit {
        let page = inbox.asking_page(caller.workspace(), place.as_deref(), limit + 1).await?;
        let (items, places): (Vec<InboxItem>, Vec<String>) = page.items.into_iter().unzip();
        let look = CardContext { catalog: &catalog, now: state.ports.clock.now(), items: &items };
        let found = items.iter().zip(&places);
        cards.extend(found.filter_map(|(item, place)| Some((card_of(item, &look)?, place.clone()))));
        if !page.is_more {
            break;
        }
        place = places.into_iter().next_back();
    }
    let is_more = cards.len() > limit;
    cards.truncate(limit);
    let next = cards.last().filter(|_| is_more).map(|(_, place)| encode_cursor(&list, place));
    Ok(JsonResponse(Page { items: cards.into_iter().map(|(card, _)| card).collect(), next }))
}
