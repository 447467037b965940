//! Reads a document with a part of its text.

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams, QueryParams};
use crate::routes::documents::{problem, reader};
use crate::routes::path_params::DocumentPath;
use crate::server_state::ServerState;
use crate::shapes::document::DocumentTextShape;

/// Default number of characters of a part.
const LENGTH: u32 = 20_000;
/// Largest number of characters of a part.
const LENGTH_MAX: u32 = 200_000;

/// Which part.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DocumentPartQuery {
    /// Where the part begins, in bytes; 0 unless given.
    from: Option<u64>,
    /// At most this many characters, up to 200,000; 20,000 unless given.
    length: Option<u32>,
}

/// A document with some of its text.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/documents/{d}",
    operation_id = "get_document",
    tag = "documents",
    params(DocumentPath, DocumentPartQuery),
    responses((status = 200, body = DocumentTextShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_document(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<DocumentPath>,
    QueryParams(query): QueryParams<DocumentPartQuery>,
) -> JsonResult<DocumentTextShape> {
    let length = query.length.unwrap_or(LENGTH).min(LENGTH_MAX);
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let part = reader(&state).text(caller.workspace(), &path.d, query.from.unwrap_or(0), length).await;
    Ok(JsonResponse(part.map_err(problem)?.into()))
}
