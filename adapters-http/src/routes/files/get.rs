//! Reads a file by its digest.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use entracte_application::use_cases::{FileContent, ReadFile};
use entracte_domain::file::{FileKind, FileReference};
use entracte_domain::id::{Digest, SessionId};
use http::{HeaderValue, header};

use crate::authentication::{Read, WorkspaceAccess};
use crate::embedding_origin::outside_session_problem;
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::path_params::{FilePath, SessionFilePath};
use crate::server_state::ServerState;

/// The bytes of a file. A browser shows an image and saves anything else; nothing is ever a page.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/files/{digest}",
    operation_id = "get_file",
    tag = "files",
    params(FilePath),
    responses((status = 200, body = String, content_type = "application/octet-stream")),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_file(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<FilePath>,
) -> Result<Response, Problem> {
    if caller.principal().token().embedded.is_some() {
        return Err(outside_session_problem());
    }
    let read = ReadFile::new(state.ports.files.clone());
    let found = read.run(caller.workspace(), &Digest::new(path.digest)).await?;
    Ok(file_response(found))
}

/// The bytes of a file that a session names. A page of another site reads those of its session here. A browser shows an
/// image and saves anything else; nothing is ever a page.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/files/{digest}",
    operation_id = "get_session_file",
    tag = "files",
    params(SessionFilePath),
    responses((status = 200, body = String, content_type = "application/octet-stream")),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_session_file(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionFilePath>,
) -> Result<Response, Problem> {
    let read = ReadFile::new(state.ports.files.clone());
    let (session, digest) = (SessionId::new(path.s), Digest::new(path.digest));
    Ok(file_response(read.run_in_session(caller.workspace(), &session, &digest).await?))
}

fn file_response(found: FileContent) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(content_type(&found.file))),
        (header::CONTENT_DISPOSITION, disposition(&found.file)),
    ];
    (headers, found.bytes).into_response()
}

/// The `Content-Type` of the response: a type that browsers only show or save; `application/octet-stream` for any other
/// stored type.
fn content_type(file: &FileReference) -> &'static str {
    match file.media_type.as_str() {
        "image/png" => "image/png",
        "image/jpeg" => "image/jpeg",
        "image/gif" => "image/gif",
        "image/webp" => "image/webp",
        "application/pdf" => "application/pdf",
        "text/plain" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Images are shown; anything else is saved under its name.
fn disposition(file: &FileReference) -> HeaderValue {
    let how = match file.kind() {
        FileKind::Image => "inline",
        FileKind::Pdf | FileKind::Other => "attachment",
    };
    let name: String = url::form_urlencoded::byte_serialize(file.name.as_bytes()).collect();
    let line = format!("{how}; filename*=UTF-8''{}", name.replace('+', "%20"));
    HeaderValue::from_str(&line).unwrap_or(HeaderValue::from_static("attachment"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(media_type: &str, name: &str) -> FileReference {
        FileReference {
            digest: Digest::new("d1"),
            media_type: media_type.into(),
            name: name.into(),
            bytes: 1,
            dimensions: None,
            pages: None,
            model_form: None,
        }
    }

    /// Input: files of all kinds, one of which a row calls a page; expected: no content type is one that runs, and only
    /// images are shown in place.
    #[test]
    fn file_is_never_served_as_a_page() {
        for media_type in ["text/html", "image/svg+xml", "application/xhtml+xml", "audio/wav"] {
            assert_eq!(content_type(&file(media_type, "a")), "application/octet-stream");
        }
        let shown = disposition(&file("image/png", "été \"1\".png"));
        assert_eq!(shown, "inline; filename*=UTF-8''%C3%A9t%C3%A9%20%221%22.png");
        assert_eq!(disposition(&file("text/plain", "a.txt")), "attachment; filename*=UTF-8''a.txt");
    }
}
