//! Leaves a session that was opened.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::LeaveSession;
use http::StatusCode;

use crate::access::{Access, Chat};
use crate::body::Path;
use crate::house::House;
use crate::problem::Problem;
use crate::routes::path::OfSession;

/// Closes a session that was opened; it goes on without you.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/sessions/{s}/attachment",
    operation_id = "leave_session",
    tag = "sessions",
    params(OfSession),
    responses((status = 204)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn leave_session(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Path(path): Path<OfSession>,
) -> Result<StatusCode, Problem> {
    let attachment = format!("http-{}", caller.visitor().token().id);
    let leave = LeaveSession::new(caller.sender(&house));
    leave.run(caller.workspace(), &path.session(), caller.author(), attachment).await?;
    Ok(StatusCode::NO_CONTENT)
}
