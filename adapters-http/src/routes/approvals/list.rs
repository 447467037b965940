//! Lists the pending approvals, those of the session that has waited longest first.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::InboxItem;
use entracte_domain::id::SessionId;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Read, WorkspaceAccess, WorkspacePrincipal};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, encode_cursor, page_limit, page_of_list, read_cursor_key};
use crate::routes::approvals::{card_context, card_of, inbox};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::card::CardShape;

/// The open approvals, those of the session that has waited longest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/approvals",
    operation_id = "list_approvals",
    tag = "approvals",
    params(WorkspacePath, ApprovalQuery),
    responses((status = 200, body = Page<CardShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_approvals(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<ApprovalQuery>,
) -> JsonResult<Page<CardShape>> {
    let ApprovalQuery { session, limit, after } = query;
    let query = PageQuery { limit, after };
    if let Some(session) = session {
        return session_cards(&state, &caller, &SessionId::new(session), &query).await;
    }
    let list = format!("approvals by session {}", caller.workspace());
    let (limit, mut place) = (page_limit(&query)?, read_cursor_key(&list, &query)?);
    let (inbox, catalog) = (inbox(&state, caller.reader()), state.ports.catalog.get());
    // One card more shows that another page follows.
    let mut cards: Vec<(CardShape, String)> = Vec::new();
    while cards.len() <= limit {
        let page = inbox.asking_page(caller.workspace(), place.as_deref(), limit + 1).await?;
        let (items, places): (Vec<InboxItem>, Vec<String>) = page.items.into_iter().unzip();
        let look = card_context(&state, &catalog, &items);
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

/// The open approvals of a session, in the order of their reply.
async fn session_cards(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    session: &SessionId,
    query: &PageQuery,
) -> JsonResult<Page<CardShape>> {
    let workspace = caller.workspace();
    let items = inbox(state, caller.reader()).read_session_items(workspace, session).await?;
    let catalog = state.ports.catalog.get();
    let look = card_context(state, &catalog, &items);
    let cards: Vec<(usize, CardShape)> =
        items.iter().filter_map(|item| card_of(item, &look)).enumerate().collect();
    let list = format!("approvals of {workspace} {session}");
    let page = page_of_list(cards, &list, query, |(place, _)| format!("{place:08}"))?;
    Ok(JsonResponse(page.map(|(_, card)| card)))
}

/// Which approvals.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ApprovalQuery {
    /// Only those of this session.
    session: Option<String>,
    /// At most this many items, 1 to 200; 50 unless given.
    limit: Option<u32>,
    /// The `next` of the page before.
    after: Option<String>,
}
