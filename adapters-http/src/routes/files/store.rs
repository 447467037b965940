//! Stores files for a later message.

use std::sync::Arc;

use axum::extract::State;
use http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::embedding_origin::outside_session_problem;
use crate::extractors::{ConversationFilesBody, JsonResponse, QueryParams};
use crate::multipart::{BodyFile, MultipartError};
use crate::problem::{Problem, ProblemCode};
use crate::routes::files::store_bytes;
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::file::{FilePartsShape, FileShape, StoredFilesShape};

/// What the file is called.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FileNameQuery {
    /// The name of a file that says none itself; only its last part is kept. Without it, it is called after its kind.
    name: Option<String>,
}

/// Stores a file, whose bytes are the body, so that a message can name its digest. What it is, is decided by its content:
/// PNG, JPEG, GIF, WebP, PDF or text. Metadata of images are removed, so the digest may be another than that of the body.
/// `form` says what models get in place of an image that is an animation, lies on its side, or is larger than they take.
/// Stored again, it has the same digest. A file that no message names is deleted after a while. Several files are the parts of
/// `multipart/form-data`, whatever their fields are called, in a body with room for one of the largest size: the answer is
/// the first one, with the others in `more`. If one of them is refused, those before it are stored.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/files",
    operation_id = "store_file",
    tag = "files",
    params(WorkspacePath, FileNameQuery),
    request_body(content((String = "application/octet-stream"), (FilePartsShape = "multipart/form-data"))),
    responses((status = 201, body = StoredFilesShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn store_file(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    QueryParams(query): QueryParams<FileNameQuery>,
    ConversationFilesBody(files, _place): ConversationFilesBody,
) -> Result<(StatusCode, JsonResponse<StoredFilesShape>), Problem> {
    // An embedded visitor names no stored files; those that it brings are in its messages.
    if caller.principal().token().embedded.is_some() {
        return Err(outside_session_problem());
    }
    let unnamed = query.name.unwrap_or_default();
    let mut stored = Vec::new();
    for BodyFile { name, bytes } in files {
        let name = name.unwrap_or_else(|| unnamed.clone());
        stored.push(FileShape::from(&store_bytes(&state, &caller, name, bytes.into()).await?));
    }
    let shape = StoredFilesShape::new(stored).ok_or_else(|| {
        // The parser refuses a body without parts.
        Problem::new(ProblemCode::Malformed, MultipartError::Empty.message())
    })?;
    Ok((StatusCode::CREATED, JsonResponse(shape)))
}
