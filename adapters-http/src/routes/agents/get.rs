//! An agent that sessions may call.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::visible::one_line;

use crate::access::{Access, Read};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::problem::{Code, Problem};
use crate::routes::agents::shape;
use crate::routes::path::OfAgent;
use crate::shapes::agent::DeclaredAgentShape;

/// An agent that sessions may call: what it is told, which commands it may ask for, its limits.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/agents/{agent}",
    operation_id = "get_declared_agent",
    tag = "agents",
    params(OfAgent),
    responses((status = 200, body = DeclaredAgentShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_declared_agent(
    State(house): State<Arc<House>>,
    Access(_caller, _): Access<Read>,
    Path(path): Path<OfAgent>,
) -> Answer<DeclaredAgentShape> {
    let found = house.terms.agents.iter().find(|agent| agent.name == path.agent);
    let found = found.ok_or_else(|| {
        let text = format!("no agent {} is declared; list them: …/agents", one_line(&path.agent));
        Problem::new(Code::NotFound, text)
    })?;
    Ok(Json(shape(&(house.ports.catalog)(), found)))
}
