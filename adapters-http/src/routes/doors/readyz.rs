//! Whether the server can do its work: it owns the database, and the database can be read.

use std::sync::Arc;

use axum::extract::State;

use crate::body::{Answer, Json};
use crate::house::House;
use crate::problem::{Code, Problem};
use crate::routes::doors::HealthShape;

/// Whether the server can do its work: it owns the database, and the database can be read.
#[utoipa::path(
    get,
    path = "/readyz",
    operation_id = "readyz",
    tag = "doors",
    responses((status = 200, body = HealthShape)),
    extensions(("x-scope" = json!(null)))
)]
pub(crate) async fn readyz(State(house): State<Arc<House>>) -> Answer<HealthShape> {
    if house.ends() {
        return Err(Problem::new(Code::ShuttingDown, "the server is about to end"));
    }
    if !(house.ports.owns)() {
        return Err(Problem::new(Code::NotTaken, "another process owns the database now"));
    }
    house.ports.store.workspaces().await?;
    Ok(Json(HealthShape { status: "ready" }))
}
