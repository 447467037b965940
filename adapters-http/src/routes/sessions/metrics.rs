//! How a session went so far.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::MeasureSession;

use crate::access::{Access, Read};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::routes::path::OfSession;
use crate::shapes::session::MetricsShape;

/// How a session went so far.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/metrics",
    operation_id = "get_metrics",
    tag = "sessions",
    params(OfSession),
    responses((status = 200, body = MetricsShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_metrics(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Path(path): Path<OfSession>,
) -> Answer<MetricsShape> {
    let measure = MeasureSession::new(house.ports.store.clone(), house.ports.log.clone());
    Ok(Json(measure.run(caller.workspace(), &path.session()).await?.into()))
}
