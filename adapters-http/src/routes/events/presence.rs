//! Says that the person is there: the words of models are sent while somebody is.

use std::sync::Arc;

use axum::extract::State;

use crate::access::{Access, Read};
use crate::body::{Answer, Json};
use crate::house::House;
use crate::routes::path::OfWorkspace;
use serde::Serialize;
use utoipa::ToSchema;

/// Says that the person is present: the words of models are streamed while somebody is. Nothing else depends on it.
#[utoipa::path(
    put,
    path = "/v1/workspaces/{w}/presence",
    operation_id = "say_present",
    tag = "events",
    params(OfWorkspace),
    responses((status = 200, body = PresenceShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn say_present(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
) -> Answer<PresenceShape> {
    let lasts = house.terms.limits.presence_lasts;
    let now = house.ports.clock.monotonic();
    house.audience.note(caller.workspace(), &caller.visitor().person().id, now, lasts);
    Ok(Json(PresenceShape { lasts_ms: lasts.0 }))
}

/// That somebody counts as present.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct PresenceShape {
    /// For how long, in milliseconds, unless they say so again.
    lasts_ms: i64,
}
