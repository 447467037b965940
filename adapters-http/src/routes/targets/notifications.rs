//! What the targets of a workspace were told, the latest first.

use std::sync::Arc;

use axum::extract::State;

use crate::access::{Access, Read};
use crate::body::{Answer, Json, Query};
use crate::house::House;
use crate::page::{Page, PageQuery, cut, latest_first};
use crate::routes::path::OfWorkspace;
use crate::routes::targets::reader;
use crate::shapes::target::NotificationShape;

/// The notifications that the targets of a workspace were sent, the latest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/notifications",
    operation_id = "list_notifications",
    tag = "targets",
    params(OfWorkspace, PageQuery),
    responses((status = 200, body = Page<NotificationShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_notifications(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Query(query): Query<PageQuery>,
) -> Answer<Page<NotificationShape>> {
    let rows = reader(&house).notifications(caller.workspace()).await?;
    let list = format!("notifications {}", caller.workspace());
    let page = cut(rows, &list, &query, |row| format!("{} {}", latest_first(row.created_at), row.id))?;
    Ok(Json(page.map(|row| NotificationShape::from(&row))))
}
