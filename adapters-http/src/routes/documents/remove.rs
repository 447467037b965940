//! Removes a document, with all that is kept of it.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::RemoveDocument;
use http::StatusCode;

use crate::access::{Access, Chat};
use crate::body::Path;
use crate::house::House;
use crate::problem::Problem;
use crate::routes::documents::problem;
use crate::routes::path::OfDocument;

/// Removes a document, with everything stored of it.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/documents/{d}",
    operation_id = "remove_document",
    tag = "documents",
    params(OfDocument),
    responses((status = 204)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn remove_document(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Path(path): Path<OfDocument>,
) -> Result<StatusCode, Problem> {
    let remove = RemoveDocument::new(house.ports.knowledge.clone());
    remove.run(caller.workspace(), &path.d).await.map_err(problem)?;
    Ok(StatusCode::NO_CONTENT)
}
