//! Changes settings of a workspace, all or none.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::use_cases::{ChangeSettings, settings_of};
use http::HeaderMap;

use crate::access::{Access, Admin};
use crate::body::Body;
use crate::etag::{Tag, if_match};
use crate::house::House;
use crate::problem::Problem;
use crate::routes::path::OfWorkspace;
use crate::routes::settings::check_four_eyes;
use crate::routes::{must_match, tagged};
use crate::shapes::workspace::{SettingsEdit, SettingsShape};

/// Changes settings of a workspace, all or none.
#[utoipa::path(
    patch,
    path = "/v1/workspaces/{w}/settings",
    operation_id = "change_settings",
    tag = "settings",
    params(OfWorkspace, ("If-Match" = String, Header)),
    request_body = SettingsEdit,
    responses((status = 200, body = SettingsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn change_settings(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Admin>,
    headers: HeaderMap,
    Body(edit): Body<SettingsEdit>,
) -> Result<Response, Problem> {
    let read = if_match(&headers)?;
    let (store, workspace) = (&*house.ports.store, caller.workspace());
    let settings = settings_of(store, workspace).await?;
    let now = SettingsShape::from(&settings);
    must_match(&read, Some(Tag::of(&now)), &now)?;
    let changes: Vec<_> = edit.settings.into_iter().collect();
    check_four_eyes(&caller, &settings, &changes)?;
    ChangeSettings::new(caller.sender(&house)).run(workspace, caller.author(), changes).await?;
    let shape = SettingsShape::from(&settings_of(store, workspace).await?);
    Ok(tagged(Some(Tag::of(&shape)), shape))
}
