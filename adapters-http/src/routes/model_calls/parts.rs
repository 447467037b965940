//! What the request of a past model call is made of, in tokens.

use std::sync::Arc;

use axum::extract::State;

use crate::access::{Access, Read};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::routes::model_calls::rebuilt;
use crate::routes::path::OfModelCall;
use crate::shapes::prompt::PartsShape;

/// What the request of a past model call is made of, in tokens.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/model-calls/{mc}/parts",
    operation_id = "get_model_call_parts",
    tag = "model-calls",
    params(OfModelCall),
    responses((status = 200, body = PartsShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_model_call_parts(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Path(path): Path<OfModelCall>,
) -> Answer<PartsShape> {
    Ok(Json((&rebuilt(&house, caller.workspace(), &path.mc).await?).into()))
}
