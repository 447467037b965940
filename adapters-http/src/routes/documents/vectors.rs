//! Makes the vectors of documents that are missing.

use std::sync::Arc;

use axum::extract::State;
use http::StatusCode;

use crate::access::{Access, Chat};
use crate::body::Json;
use crate::house::House;
use crate::problem::{Code, Problem};
use crate::routes::path::OfWorkspace;
use crate::shapes::document::VectorsShape;

/// Makes the vectors of documents that are missing, so that these are found by meaning: after the model of embeddings was
/// changed, or where a run was broken off. They are made beside the answer; what is there already stays.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/knowledge/vectors",
    operation_id = "make_vectors",
    tag = "knowledge",
    params(OfWorkspace),
    responses((status = 202, body = VectorsShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn make_vectors(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
) -> Result<(StatusCode, Json<VectorsShape>), Problem> {
    if !super::put::make_vectors(&house, caller.workspace().clone()) {
        let text = "search by meaning is off; the configuration of the server has no [embeddings]";
        return Err(Problem::new(Code::NotApplicable, text));
    }
    Ok((StatusCode::ACCEPTED, Json(VectorsShape { begun: true })))
}
