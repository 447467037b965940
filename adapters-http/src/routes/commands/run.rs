//! Runs one query by hand; actions run in a session, with their approval.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::json::from_serde;
use entracte_application::use_cases::RunCommand;
use serde_json::{Value, json};

use crate::access::{Access, Chat};
use crate::body::{Answer, Body, Json, Path};
use crate::house::House;
use crate::routes::path::OfCommand;
use crate::shapes::workspace::{ResultShape, RunShape};

/// Runs one query by hand; actions run in a session, with their approval.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/commands/{n}/runs",
    operation_id = "run_command",
    tag = "commands",
    params(OfCommand),
    request_body = RunShape,
    responses((status = 200, body = ResultShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn run_command(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Path(path): Path<OfCommand>,
    Body(run): Body<RunShape>,
) -> Answer<ResultShape> {
    let ports = &house.ports;
    let use_case =
        RunCommand::new((ports.catalog)(), ports.store.clone(), ports.clock.clone(), ports.ids.clone());
    let arguments = match run.arguments {
        Value::Null => json!({}),
        given => given,
    };
    let content = use_case.run(caller.workspace(), &path.n, from_serde(&arguments)).await?;
    let result = serde_json::from_str(&content).unwrap_or(Value::String(content));
    Ok(Json(ResultShape { command: path.n, result }))
}
