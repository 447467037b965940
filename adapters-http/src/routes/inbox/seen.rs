//! Notes that somebody has seen how a run ended.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::MarkSeen;
use http::StatusCode;

use crate::access::{Access, Approve};
use crate::body::Path;
use crate::house::House;
use crate::problem::Problem;
use crate::routes::path::OfSession;

/// Notes that somebody has seen how a run ended.
#[utoipa::path(
    put,
    path = "/v1/workspaces/{w}/sessions/{s}/seen",
    operation_id = "mark_seen",
    tag = "inbox",
    params(OfSession),
    responses((status = 204)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn mark_seen(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Approve>,
    Path(path): Path<OfSession>,
) -> Result<StatusCode, Problem> {
    let mark = MarkSeen::new(caller.sender(&house));
    mark.run(caller.workspace(), &path.session(), caller.author()).await?;
    Ok(StatusCode::NO_CONTENT)
}
