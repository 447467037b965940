//! Lists everything that waits for a person: what needs action first, the oldest first.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, page_of_list};
use crate::routes::admin::refused;
use crate::routes::approvals::inbox;
use crate::routes::inbox::switched_off;
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::card::{CardContext, InboxShape};

/// What waits for a person: what has to be done first, then the oldest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/inbox",
    operation_id = "list_inbox",
    tag = "inbox",
    params(WorkspacePath, PageQuery),
    responses((status = 200, body = Page<InboxShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_inbox(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<InboxShape>> {
    let catalog = state.ports.catalog.get();
    let items = inbox(&state).run(caller.workspace()).await?;
    let look = CardContext { catalog: &catalog, now: state.ports.clock.now(), items: &items };
    let off = switched_off(&state).run(caller.workspace()).await?;
    let texts = state.texts_of_workspace(caller.workspace()).await?;
    let shapes = items.iter().map(|item| InboxShape::new(item, &look));
    let servers = state.ports.operator.external_servers().map_err(refused)?;
    let servers = servers.iter().filter(|server| server.is_undecided());
    let shapes = shapes
        .chain(servers.map(|server| InboxShape::tools(server, &items)))
        .chain(off.iter().map(|off| InboxShape::off(off, texts)))
        .collect();
    let list = format!("inbox {}", caller.workspace());
    let key = |item: &InboxShape| {
        let later = match item {
            InboxShape::Ended { .. } | InboxShape::Task { .. } | InboxShape::Ungranted { .. } => 1,
            InboxShape::Off { .. } => 2,
            _ => 0,
        };
        format!("{later} {} {}", item.asked_at(), item.id())
    };
    Ok(JsonResponse(page_of_list(shapes, &list, &query, key)?))
}
