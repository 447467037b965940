//! One setting of a workspace.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use crate::access::{Access, Read};
use crate::body::Path;
use crate::etag::Tag;
use crate::house::House;
use crate::problem::Problem;
use crate::routes::path::OfSetting;
use crate::routes::settings::setting;
use crate::routes::tagged;
use crate::shapes::workspace::SettingShape;

/// One setting of a workspace.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/settings/{key}",
    operation_id = "get_setting",
    tag = "settings",
    params(OfSetting),
    responses((status = 200, body = SettingShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_setting(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Path(path): Path<OfSetting>,
) -> Result<Response, Problem> {
    let shape = setting(&house, caller.workspace(), &path.key).await?;
    Ok(tagged(Some(Tag::of(&shape)), shape))
}
