//! Lists everything that waits for a person: what needs action first, the oldest first.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::page_of_list;
use crate::routes::admin::refused;
use crate::routes::approvals::{card_context, inbox};
use crate::routes::inbox::search::{InboxPageShape, InboxQuery, count_items};
use crate::routes::inbox::{read_triage, switched_off};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::card::{InboxShape, folded_approvals};
use crate::shapes::triage::ItemTriageShape;

/// What waits for a person, without what who asks snoozes: unknown outcomes and questions first, then the oldest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/inbox",
    operation_id = "list_inbox",
    tag = "inbox",
    params(WorkspacePath, InboxQuery),
    responses((status = 200, body = InboxPageShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_inbox(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<InboxQuery>,
) -> JsonResult<InboxPageShape> {
    let search = query.parse(state.ports.clock.now())?;
    let list = format!("inbox of {} {}", caller.workspace(), search.name());
    let search = search.at_first_page(&list)?.of_reader(&caller.principal().person().name);
    let catalog = state.ports.catalog.get();
    let items = inbox(&state, caller.reader()).run(caller.workspace()).await?;
    let look = card_context(&state, &catalog, &items);
    let off = switched_off(&state).run(caller.workspace()).await?;
    let texts = state.texts_for(caller.workspace(), caller.reader()).await?;
    let triage = read_triage(&state, &caller).await?;
    let shapes = items
        .iter()
        .map(|item| InboxShape::new(item, &look, texts).with_triage(ItemTriageShape::of_item(&triage, item)));
    let servers = state.ports.operator.external_servers().map_err(refused)?;
    let servers = servers.iter().filter(|server| server.is_undecided());
    let mut shapes: Vec<InboxShape> = shapes
        .chain(servers.map(|server| InboxShape::tools(server, &items)))
        .chain(off.iter().map(|off| InboxShape::off(off, texts)))
        .collect();
    let folded = folded_approvals(&shapes);
    let waiting = count_items(shapes.iter().filter(|item| !item.is_snoozed()), &folded);
    let snoozed = count_items(shapes.iter().filter(|item| item.is_snoozed()), &folded);
    shapes.retain(|item| search.matches(item));
    let total = count_items(shapes.iter().filter(|item| search.is_in_part(item)), &folded);
    shapes.retain(|item| search.sends(item));
    let page = page_of_list(shapes, &list, &search.page(), |item| search.place(item))?;
    let (items, marks) = search.split(page.items);
    Ok(JsonResponse(InboxPageShape { items, marks, next: page.next, total, waiting, snoozed }))
}
