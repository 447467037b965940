//! The exact request of a past model call, written again from what is stored.

use std::sync::Arc;

use axum::extract::State;

use crate::access::{Access, Read};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::routes::model_calls::rebuilt;
use crate::routes::path::OfModelCall;
use crate::shapes::prompt::PromptShape;

/// The exact request of a past model call, rebuilt from what is stored.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/model-calls/{mc}",
    operation_id = "get_model_call",
    tag = "model-calls",
    params(OfModelCall),
    responses((status = 200, body = PromptShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_model_call(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Path(path): Path<OfModelCall>,
) -> Answer<PromptShape> {
    Ok(Json((&rebuilt(&house, caller.workspace(), &path.mc).await?).into()))
}
