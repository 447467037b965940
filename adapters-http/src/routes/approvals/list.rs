//! The approvals that are asked for, the oldest first.

use std::sync::Arc;

use axum::extract::State;

use crate::access::{Access, Read};
use crate::body::{Answer, Json, Query};
use crate::house::House;
use crate::page::{Page, PageQuery, cut};
use crate::routes::approvals::{card_of, inbox};
use crate::routes::path::OfWorkspace;
use crate::shapes::card::{CardShape, Look};

/// The open approvals, the oldest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/approvals",
    operation_id = "list_approvals",
    tag = "approvals",
    params(OfWorkspace, PageQuery),
    responses((status = 200, body = Page<CardShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_approvals(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Query(query): Query<PageQuery>,
) -> Answer<Page<CardShape>> {
    let catalog = (house.ports.catalog)();
    let items = inbox(&house).run(caller.workspace()).await?;
    let look = Look { catalog: &catalog, now: house.ports.clock.now(), items: &items };
    let cards = items.iter().filter_map(|item| card_of(item, &look)).collect();
    let list = format!("approvals {}", caller.workspace());
    Ok(Json(cut(cards, &list, &query, |card: &CardShape| format!("{} {}", card.asked_at, card.id))?))
}
