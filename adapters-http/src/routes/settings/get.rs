//! The settings of a workspace.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::use_cases::settings_of;

use crate::access::{Access, Read};
use crate::etag::Tag;
use crate::house::House;
use crate::problem::Problem;
use crate::routes::path::OfWorkspace;
use crate::routes::tagged;
use crate::shapes::workspace::SettingsShape;

/// The settings of a workspace.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/settings",
    operation_id = "get_settings",
    tag = "settings",
    params(OfWorkspace),
    responses((status = 200, body = SettingsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_settings(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
) -> Result<Response, Problem> {
    let shape = SettingsShape::from(&settings_of(&*house.ports.store, caller.workspace()).await?);
    Ok(tagged(Some(Tag::of(&shape)), shape))
}
