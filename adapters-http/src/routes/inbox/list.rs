//! Lists everything that waits for a person: what needs action first, the oldest first.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::texts::LocalizedTexts;
use entracte_application::use_cases::{InboxItem, InboxTriage};

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::page_of_list;
use crate::routes::admin::refused;
use crate::routes::approvals::{card_context, inbox};
use crate::routes::inbox::contents::{InboxContents, InboxEntry};
use crate::routes::inbox::search::{InboxPageShape, InboxQuery, count_items};
use crate::routes::inbox::{read_triage, switched_off};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::card::{CardContext, InboxShape, folded_approvals};
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
    let (reader, workspace) = (inbox(&state, caller.reader()), caller.workspace());
    let triage = read_triage(&state, &caller).await?;
    let contents = InboxContents::read(&reader, workspace, &search, &triage).await?;
    let catalog = state.ports.catalog.get();
    let look = card_context(&state, &catalog, &contents.items);
    let off = switched_off(&state).run(workspace).await?;
    let texts = state.texts_for(workspace, caller.reader()).await?;
    let servers = state.ports.operator.external_servers().map_err(refused)?;
    let servers = servers.iter().filter(|server| server.is_undecided());
    let mut shapes: Vec<InboxShape> = contents
        .items
        .iter()
        .map(|item| shape(item, &look, texts, &triage))
        .chain(servers.map(|server| InboxShape::tools(server, contents.approvals_of_server(server))))
        .chain(off.iter().map(|off| InboxShape::off(off, texts)))
        .collect();
    let folded = folded_approvals(&shapes);
    let of_rows = contents.rows.iter().filter(|row| !folded.contains(&row.item)).count();
    let waiting = count_items(shapes.iter().filter(|item| !item.is_snoozed()), &folded) + of_rows;
    let snoozed = count_items(shapes.iter().filter(|item| item.is_snoozed()), &folded);
    shapes.retain(|item| search.matches(item));
    let total = count_items(shapes.iter().filter(|item| search.is_in_part(item)), &folded) + of_rows;
    shapes.retain(|item| search.sends(item));
    let rows = contents.rows.into_iter().filter(|row| search.sends_row(row)).map(InboxEntry::Row);
    let entries = shapes.into_iter().map(|shape| InboxEntry::Read(Box::new(shape))).chain(rows).collect();
    let page = page_of_list(entries, &list, &search.page(), |entry: &InboxEntry| entry.place(&search))?;
    let sessions = page.items.iter().filter_map(InboxEntry::unread_session).cloned().collect();
    let items = reader.items_of_sessions(workspace, &sessions).await?;
    let look = card_context(&state, &catalog, &items);
    // An item that no longer waits is left out.
    let sent = page.items.into_iter().filter_map(|entry| match entry {
        InboxEntry::Read(shape) => Some(*shape),
        InboxEntry::Row(row) => items
            .iter()
            .find(|item| item.session == row.session && item.id() == row.item)
            .map(|item| shape(item, &look, texts, &triage)),
    });
    let (items, marks) = search.split(sent.collect());
    Ok(JsonResponse(InboxPageShape { items, marks, next: page.next, total, waiting, snoozed }))
}

/// The shape of an item, with what people noted about it.
fn shape(
    item: &InboxItem,
    look: &CardContext<'_>,
    texts: &LocalizedTexts,
    triage: &InboxTriage,
) -> InboxShape {
    InboxShape::new(item, look, texts).with_triage(ItemTriageShape::of_item(triage, item))
}
