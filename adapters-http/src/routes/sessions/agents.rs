//! The agents below a session.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::ReadAgentTree;

use crate::access::{Access, Read};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::routes::path::OfSession;
use crate::shapes::agent::{AgentShape, AgentsShape};

/// The agents that a session has called, and those that they called: each before those below it.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/agents",
    operation_id = "list_agents",
    tag = "sessions",
    params(OfSession),
    responses((status = 200, body = AgentsShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_agents(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Path(path): Path<OfSession>,
) -> Answer<AgentsShape> {
    let read = ReadAgentTree::new(house.ports.store.clone(), house.ports.log.clone());
    let nodes = read.run(caller.workspace(), &path.session()).await?;
    Ok(Json(AgentsShape { agents: nodes.iter().map(AgentShape::from).collect() }))
}
