//! A tool, with its configuration.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use crate::access::{Access, Read};
use crate::body::Path;
use crate::house::House;
use crate::problem::Problem;
use crate::routes::data::{TOOL, shown};
use crate::routes::path::OfTool;
use crate::shapes::data::DataShape;

/// A tool, with its configuration.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/tools/{tool}",
    operation_id = "get_tool",
    tag = "data",
    params(OfTool),
    responses((status = 200, body = DataShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_tool(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Path(path): Path<OfTool>,
) -> Result<Response, Problem> {
    shown(&house, caller.workspace(), TOOL, &path.tool).await
}
