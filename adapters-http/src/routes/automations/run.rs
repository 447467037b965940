//! Runs an automation now.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::RunAutomation;
use http::StatusCode;

use crate::access::{Access, Chat};
use crate::body::{Body, Json, Path};
use crate::house::House;
use crate::problem::Problem;
use crate::routes::automations::automation;
use crate::routes::path::OfAutomation;
use crate::shapes::automation::NewRun;
use crate::shapes::session::AcceptedShape;

/// Runs an automation now.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/automations/{a}/runs",
    operation_id = "run_automation",
    tag = "automations",
    params(OfAutomation),
    request_body = NewRun,
    responses((status = 201, body = AcceptedShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn run_automation(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Path(path): Path<OfAutomation>,
    Body(new): Body<NewRun>,
) -> Result<(StatusCode, Json<AcceptedShape>), Problem> {
    let found = automation(&house, caller.workspace(), &path.a).await?;
    let run = RunAutomation::new(caller.sender(&house), house.ports.ids.clone());
    let begun = run.run(caller.workspace(), caller.author(), &found.id, new.event).await?;
    Ok((StatusCode::CREATED, Json(begun.into())))
}
