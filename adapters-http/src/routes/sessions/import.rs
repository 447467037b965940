//! Creates a session from an exported one.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::texts::saying;
use entracte_application::use_cases::{ImportSession, StoreExportFiles};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::authentication::{Admin, WorkspaceAccess};
use crate::extractors::{JsonResponse, QueryParams, SessionFileBody};
use crate::problem::{Problem, ProblemCode};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;

/// How it is imported.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SessionImportQuery {
    /// Under a new id, not the one in the file; false unless given.
    #[serde(default)]
    as_new: bool,
}

/// Creates a session from an exported file, which is the body.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/imports",
    operation_id = "import_session",
    tag = "sessions",
    params(WorkspacePath, SessionImportQuery),
    request_body(content = Object, content_type = "application/json"),
    responses((status = 201, body = ImportedShape)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn import_session(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    QueryParams(query): QueryParams<SessionImportQuery>,
    SessionFileBody(bytes, _place): SessionFileBody,
) -> Result<(StatusCode, JsonResponse<ImportedShape>), Problem> {
    let text = String::from_utf8(bytes.into());
    let text = text.map_err(|_| Problem::new(ProblemCode::Malformed, saying!("refusal-file-not-utf8")))?;
    let ports = &state.ports;
    let store = StoreExportFiles::new(ports.files.clone(), ports.clock.clone(), ports.images.clone());
    let (author, limits) = (caller.author(), &state.terms.runtime.files);
    let stored = store.run(caller.workspace(), &author, text, limits).await?;
    let import = ImportSession::new(caller.mail_sender(&state), state.ports.ids.clone());
    let made = import.run(caller.workspace(), author, stored.document, query.as_new).await?;
    let shape = ImportedShape {
        session: made.session.to_string(),
        from: made.from.to_string(),
        entries: made.entries,
        agents: made.agents,
        files: stored.files,
        missing_files: stored.missing_files,
    };
    Ok((StatusCode::CREATED, JsonResponse(shape)))
}

/// A session that was imported.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ImportedShape {
    /// It.
    session: String,
    /// The one in the file.
    from: String,
    /// The entries that the file has, without those of agents.
    entries: u64,
    /// The agents that the file has; each became a session below this one.
    agents: u64,
    /// The files of its conversation that the file has.
    files: u64,
    /// The files that the session names, of which neither the file nor the workspace has the bytes.
    missing_files: u64,
}
