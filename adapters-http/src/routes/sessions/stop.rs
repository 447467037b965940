//! Stops a session; with `end` for good.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{EndSession, StopSession};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::access::{Access, Chat};
use crate::body::{Answer, Body, Json, Path};
use crate::house::House;
use crate::routes::path::OfSession;
use crate::shapes::session::AcceptedShape;

/// Stops a session; with `end` for good.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/stop",
    operation_id = "stop_session",
    tag = "sessions",
    params(OfSession),
    request_body = StopShape,
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn stop_session(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Path(path): Path<OfSession>,
    Body(how): Body<StopShape>,
) -> Answer<AcceptedShape> {
    let (workspace, session, sender) = (caller.workspace(), path.session(), caller.sender(&house));
    let stopped = if how.end {
        EndSession::new(sender).run(workspace, &session, caller.author()).await?
    } else {
        StopSession::new(sender).run(workspace, &session, caller.author()).await?
    };
    Ok(Json(stopped.into()))
}

/// How it stops.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StopShape {
    /// Ends it for good; false unless given.
    #[serde(default)]
    end: bool,
}
