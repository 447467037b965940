//! Lets a session that rests go on.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::ResumeSession;

use crate::access::{Access, Chat};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::routes::path::OfSession;
use crate::shapes::session::AcceptedShape;

/// Resumes a session that rests.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/resume",
    operation_id = "resume_session",
    tag = "sessions",
    params(OfSession),
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn resume_session(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Path(path): Path<OfSession>,
) -> Answer<AcceptedShape> {
    let resume = ResumeSession::new(caller.sender(&house));
    Ok(Json(resume.run(caller.workspace(), &path.session(), caller.author()).await?.into()))
}
