//! Changes an entry of a tool: done, or waiting for its approval.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;
use serde_json::Value;

use crate::access::{Access, Chat};
use crate::body::{Body, Path};
use crate::house::House;
use crate::problem::Problem;
use crate::routes::data::{change, entry_of, given, nullable};
use crate::routes::path::OfEntry;
use crate::shapes::act::ResultShape;
use crate::shapes::data::EntryEditShape;

/// Changes an entry of a tool: done, or waiting for its approval.
#[utoipa::path(
    patch,
    path = "/v1/workspaces/{w}/tools/{tool}/entries/{e}",
    operation_id = "change_entry",
    tag = "data",
    params(OfEntry, ("If-Match" = String, Header)),
    request_body = EntryEditShape,
    responses((status = 200, body = ResultShape, headers(("ETag" = String))), (status = 202, body = ResultShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn change_entry(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Path(path): Path<OfEntry>,
    headers: HeaderMap,
    Body(edit): Body<EntryEditShape>,
) -> Result<Response, Problem> {
    let entry = entry_of(&house, caller.workspace(), &path.tool, &path.e).await?;
    let arguments = given([
        ("entry_id", Some(entry.id.clone().into())),
        ("data", edit.data.map(Value::Object)),
        ("timestamp", edit.at.map(Value::from)),
        ("name", nullable(edit.name)),
    ]);
    change(&house, &caller, &headers, (entry, "tool_data.update"), arguments).await
}
