//! Stores a document, replacing the one of the same name.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use entracte_application::ports::DocumentFormat;
use entracte_application::settings::Language;
use entracte_application::texts::saying;
use entracte_application::use_cases::{AddDocument, AddDocumentOutcome, DocumentUpload, settings_of};
use entracte_domain::id::WorkspaceKey;
use http::StatusCode;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::{FileUploadBody, JsonBody, JsonResponse, PathParams};
use crate::problem::{Problem, ProblemCode};
use crate::routes::documents::problem_of_file;
use crate::routes::path_params::DocumentPath;
use crate::server_state::ServerState;
use crate::shapes::document::{KeptDocumentShape, NewDocumentShape, NewPdfShape, TextFormat};

/// Stores a document, in place of the one of that name; an equal one is left as it is.
#[utoipa::path(
    put,
    path = "/v1/workspaces/{w}/documents/{d}",
    operation_id = "keep_document",
    tag = "documents",
    params(DocumentPath),
    request_body = NewDocumentShape,
    responses((status = 200, body = KeptDocumentShape), (status = 201, body = KeptDocumentShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn store_document_text(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<DocumentPath>,
    JsonBody(new): JsonBody<NewDocumentShape>,
) -> Result<Response, Problem> {
    let kept = DocumentUpload {
        source: new.source.unwrap_or_else(|| path.d.clone()),
        name: path.d,
        format: format(new.format),
        bytes: new.text.into_bytes(),
        author: caller.author(),
        language: Language::default(),
    };
    store_document(&state, caller.workspace(), kept).await
}

/// Stores a PDF, in place of the document of that name; an equal one is left as it is. It is read by a
/// process of its own, which `reader.cpu` and `reader.memory` bound, and only its text is kept. The process ends with
/// the request. A server at which too many documents wait answers 503 with `Retry-After`.
#[utoipa::path(
    put,
    path = "/v1/workspaces/{w}/documents/{d}/pdf",
    operation_id = "keep_pdf",
    tag = "documents",
    params(DocumentPath),
    request_body = NewPdfShape,
    responses((status = 200, body = KeptDocumentShape), (status = 201, body = KeptDocumentShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn store_document_pdf(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<DocumentPath>,
    FileUploadBody(new): FileUploadBody<NewPdfShape>,
) -> Result<Response, Problem> {
    let NewPdfShape { pdf, source } = new;
    let bytes = BASE64.decode(pdf.trim()).map_err(|error| {
        Problem::new(ProblemCode::Invalid, saying!("refusal-pdf-base64", why = error.to_string()))
    })?;
    // It may wait for its turn; one copy of it is enough.
    drop(pdf);
    let kept = DocumentUpload {
        source: source.unwrap_or_else(|| path.d.clone()),
        name: path.d,
        format: DocumentFormat::Pdf,
        bytes,
        author: caller.author(),
        language: Language::default(),
    };
    store_document(&state, caller.workspace(), kept).await
}

/// Stores the document, in the language of the workspace.
async fn store_document(
    state: &ServerState,
    workspace: &WorkspaceKey,
    file: DocumentUpload,
) -> Result<Response, Problem> {
    let ports = &state.ports;
    let settings = settings_of(&*ports.store, workspace).await?;
    let add = AddDocument::new(
        ports.knowledge.clone(),
        ports.converter.clone(),
        ports.clock.clone(),
        ports.ids.clone(),
        state.terms.knowledge.clone(),
    );
    let file = DocumentUpload { language: settings.language, ..file };
    let name = file.name.clone();
    let added = add.run(workspace, file).await.map_err(|error| problem_of_file(&name, error))?;
    make_vectors(state, workspace.clone());
    let (status, outcome) = match &added {
        AddDocumentOutcome::New(_) => (StatusCode::CREATED, "added"),
        AddDocumentOutcome::Replaced(_) => (StatusCode::OK, "replaced"),
        AddDocumentOutcome::Same(_) => (StatusCode::OK, "unchanged"),
    };
    let shape = KeptDocumentShape { outcome, document: added.document().into() };
    Ok((status, JsonResponse(shape)).into_response())
}

/// Computes vectors in the background, without delaying the answer: until they exist, full-text search finds the
/// document, and the next run continues an interrupted one. Returns whether vectors are enabled.
pub(super) fn make_vectors(state: &ServerState, workspace: WorkspaceKey) -> bool {
    let Some(embed) = state.ports.embed.clone() else { return false };
    tokio::spawn(async move {
        if let Err(error) = embed.run(&workspace, &|_| {}).await {
            tracing::warn!(%workspace, %error, "vectors of documents could not be made");
        }
    });
    true
}

const fn format(of: TextFormat) -> DocumentFormat {
    match of {
        TextFormat::Markdown => DocumentFormat::Markdown,
        TextFormat::Text => DocumentFormat::Text,
        TextFormat::Html => DocumentFormat::Html,
        TextFormat::Csv => DocumentFormat::Csv,
        TextFormat::Json => DocumentFormat::Json,
    }
}
