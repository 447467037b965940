//! Who asks, and what the token allows.

use std::sync::Arc;

use axum::extract::State;

use crate::access::{Entrance, Read};
use crate::body::{Answer, Json};
use crate::house::House;
use crate::shapes::token::{MeShape, TokenShape};

/// Who is asking, and what their token allows.
#[utoipa::path(
    get,
    path = "/v1/me",
    operation_id = "me",
    tag = "tokens",
    responses((status = 200, body = MeShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn me(
    State(_house): State<Arc<House>>,
    Entrance(visitor, _): Entrance<Read>,
) -> Answer<MeShape> {
    Ok(Json(MeShape { token: TokenShape::new(visitor.token(), visitor.person()) }))
}
