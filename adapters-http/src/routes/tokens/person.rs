//! A person of the workspace.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::ReadPerson;

use crate::access::{Access, Admin};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::routes::path::OfPerson;
use crate::shapes::token::OnePersonShape;

/// A person of the workspace, and whether they have tokens that count.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/people/{person}",
    operation_id = "get_person",
    tag = "tokens",
    params(OfPerson),
    responses((status = 200, body = OnePersonShape)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn get_person(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Admin>,
    Path(path): Path<OfPerson>,
) -> Answer<OnePersonShape> {
    let read = ReadPerson::new(house.ports.access.clone());
    let (person, tokens) = read.run(caller.workspace(), &path.person).await?;
    Ok(Json(OnePersonShape { person: (&person).into(), tokens }))
}
