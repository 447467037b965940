//! The shared texts, by key.

use std::sync::Arc;

use axum::extract::State;
use serde_json::{Value, json};

use crate::access::{Access, Read};
use crate::body::{Answer, Json};
use crate::house::House;
use crate::routes::by_hand::query;
use crate::routes::path::OfWorkspace;
use crate::shapes::text::TextsShape;

/// The shared texts, by key.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/texts",
    operation_id = "list_texts",
    tag = "texts",
    params(OfWorkspace),
    responses((status = 200, body = TextsShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_texts(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
) -> Answer<TextsShape> {
    let listed = query(&house, &caller, "shared_texts.list", json!({ "limit": 500 })).await?;
    let listed: Value = serde_json::from_str(&listed).unwrap_or_default();
    Ok(Json(TextsShape::read(&listed)))
}
