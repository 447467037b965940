//! Renames an automation, or switches it on or off.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::use_cases::{AutomationEdit, EditAutomation};
use http::HeaderMap;

use crate::access::{Access, Chat};
use crate::body::{Body, Path};
use crate::etag::if_match;
use crate::house::House;
use crate::problem::Problem;
use crate::routes::automations::{automation, sheet};
use crate::routes::path::OfAutomation;
use crate::routes::{must_match, tagged};
use crate::shapes::automation::{AutomationEditShape, AutomationShape, tag};

/// Renames an automation, or switches it on or off.
#[utoipa::path(
    patch,
    path = "/v1/workspaces/{w}/automations/{a}",
    operation_id = "change_automation",
    tag = "automations",
    params(OfAutomation, ("If-Match" = String, Header)),
    request_body = AutomationEditShape,
    responses((status = 200, body = AutomationShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn change_automation(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Path(path): Path<OfAutomation>,
    headers: HeaderMap,
    Body(edit): Body<AutomationEditShape>,
) -> Result<Response, Problem> {
    let read = if_match(&headers)?;
    let (ports, workspace) = (&house.ports, caller.workspace());
    let found = automation(&house, workspace, &path.a).await?;
    must_match(&read, Some(tag(&found)), &sheet(&house, workspace, found.clone()).await?)?;
    let use_case = EditAutomation::new(
        ports.mail_sender.clone(),
        ports.ids.clone(),
        ports.store.clone(),
        ports.log.clone(),
    );
    let edit = AutomationEdit { name: edit.name, enabled: edit.enabled, ..AutomationEdit::default() };
    use_case.run(workspace, caller.author(), &found, edit).await?;
    let now = automation(&house, workspace, &path.a).await?;
    let tag = tag(&now);
    Ok(tagged(Some(tag), sheet(&house, workspace, now).await?))
}
