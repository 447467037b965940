//! Whether the server can do its work: it owns the database, and the database can be read and written.

use std::sync::Arc;

use axum::extract::State;
use entracte_domain::time::Millis;

use crate::body::{Answer, Json};
use crate::house::House;
use crate::problem::{Code, Problem};
use crate::routes::doors::ReadyShape;

/// How old the last commit may be before it is tried whether the database can be written.
const FRESH: Millis = Millis::minutes(1);

/// Whether the server can do its work: it owns the database, and the database can be read and written.
#[utoipa::path(
    get,
    path = "/readyz",
    operation_id = "readyz",
    tag = "doors",
    responses((status = 200, body = ReadyShape)),
    extensions(("x-scope" = json!(null)))
)]
pub(crate) async fn readyz(State(house): State<Arc<House>>) -> Answer<ReadyShape> {
    if house.ends() {
        return Err(Problem::new(Code::ShuttingDown, "the server is about to end"));
    }
    let ports = &house.ports;
    if !(ports.owns)() {
        return Err(Problem::new(Code::NotTaken, "another process owns the database now"));
    }
    house.can_work(FRESH).await?;
    let last_commit_seconds = ports.meters.last_commit_age().map(|age| age.0 / 1000);
    Ok(Json(ReadyShape { status: "ready", owner: true, last_commit_seconds }))
}
