//! What waits for a person: what is to be done first, the oldest first.

use std::sync::Arc;

use axum::extract::State;

use crate::access::{Access, Read};
use crate::body::{Answer, Json, Query};
use crate::house::House;
use crate::page::{Page, PageQuery, cut};
use crate::routes::approvals::inbox;
use crate::routes::inbox::switched_off;
use crate::routes::path::OfWorkspace;
use crate::shapes::card::{InboxShape, Look};

/// What waits for a person: what has to be done first, then the oldest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/inbox",
    operation_id = "list_inbox",
    tag = "inbox",
    params(OfWorkspace, PageQuery),
    responses((status = 200, body = Page<InboxShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_inbox(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Query(query): Query<PageQuery>,
) -> Answer<Page<InboxShape>> {
    let catalog = (house.ports.catalog)();
    let items = inbox(&house).run(caller.workspace()).await?;
    let look = Look { catalog: &catalog, now: house.ports.clock.now(), items: &items };
    let off = switched_off(&house).run(caller.workspace()).await?;
    let texts = house.texts(caller.workspace()).await?;
    let shapes = items.iter().map(|item| InboxShape::new(item, &look));
    let shapes = shapes.chain(off.iter().map(|off| InboxShape::off(off, texts))).collect();
    let list = format!("inbox {}", caller.workspace());
    let key = |item: &InboxShape| {
        let later = match item {
            InboxShape::Ended { .. } | InboxShape::Task { .. } | InboxShape::Ungranted { .. } => 1,
            InboxShape::Off { .. } => 2,
            _ => 0,
        };
        format!("{later} {} {}", item.asked_at(), item.id())
    };
    Ok(Json(cut(shapes, &list, &query, key)?))
}
