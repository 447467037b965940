//! Reads the journal of a session: each input with the entries it added, the latest first.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::codec::CodecError;
use entracte_application::use_cases::{ReadLog, ShowSession, UseCaseError};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams, QueryParams};
use crate::pagination::{
    LIMIT, Page, PageQuery, descending, page_after_cursor, page_limit, page_of_list, read_cursor_key,
};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::entry::EntryShape;

/// The journal of a session: each input with what it brought, the latest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/journal",
    operation_id = "read_journal",
    tag = "sessions",
    params(SessionPath, JournalQuery),
    responses((status = 200, body = Page<EntryShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn read_journal(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
    QueryParams(query): QueryParams<JournalQuery>,
) -> JsonResult<Page<EntryShape>> {
    let (workspace, session) = (caller.workspace(), path.session());
    // The journal of a session whose state cannot be read is what one wants to see.
    ShowSession::new(state.ports.store.clone()).require(workspace, &session).await?;
    let read = ReadLog::new(state.ports.log.clone());
    let list = format!("journal {session} {:?} {:?}", query.since, query.order);
    let (since, page) = (query.since.unwrap_or(0), PageQuery { limit: query.limit, after: query.after });
    let page = match query.order.unwrap_or(JournalOrder::Latest) {
        JournalOrder::Latest => {
            let entries = read.entries(workspace, &session, since).await?;
            page_of_list(entries, &list, &page, |entry| descending(entry.seq))?
        }
        JournalOrder::Earliest => {
            let last = read_cursor_key(&list, &page)?.and_then(|key| key.parse().ok());
            let most = u32::try_from(page_limit(&page)?).unwrap_or(LIMIT).saturating_add(1);
            let entries = read.page(workspace, &session, last.unwrap_or(since), most).await?;
            page_after_cursor(entries, &list, &page, |entry| entry.seq.to_string())?
        }
    };
    let shapes: Result<Vec<EntryShape>, CodecError> = page.items.iter().map(EntryShape::new).collect();
    Ok(JsonResponse(Page { items: shapes.map_err(UseCaseError::from)?, next: page.next }))
}

/// Which entries.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct JournalQuery {
    /// Only those after the one with this `seq`; all unless given.
    since: Option<u64>,
    /// Their order; the latest first unless given.
    #[param(inline)]
    order: Option<JournalOrder>,
    /// At most this many items, 1 to 200; 50 unless given.
    limit: Option<u32>,
    /// The `next` of the page before.
    after: Option<String>,
}

/// The order of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JournalOrder {
    /// The latest first.
    Latest,
    /// The earliest first.
    Earliest,
}
