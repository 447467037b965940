//! Searches the documents of a workspace with the same search that models use.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::SearchKnowledge;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::routes::documents::problem;
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::document::{FoundShape, KnowledgeShape};

/// What is looked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct KnowledgeSearchQuery {
    /// The words or the question.
    q: String,
    /// At most this many results, up to 50.
    limit: Option<u32>,
}

/// Searches the documents of a workspace, as models do.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/knowledge",
    operation_id = "search_knowledge",
    tag = "documents",
    params(WorkspacePath, KnowledgeSearchQuery),
    responses((status = 200, body = KnowledgeShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn search_knowledge(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<KnowledgeSearchQuery>,
) -> JsonResult<KnowledgeShape> {
    let ports = &state.ports;
    let settings = state.terms.knowledge.clone();
    let (store, clock) = (ports.knowledge.clone(), ports.clock.clone());
    let search = SearchKnowledge::new(store, clock, ports.semantic.clone(), settings);
    let limit = query.limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let found = search.run(caller.workspace(), &query.q, limit).await.map_err(problem)?;
    let results = found.chunks.iter().map(FoundShape::from).collect();
    Ok(JsonResponse(KnowledgeShape {
        results,
        text_only: found.text_only.is_some(),
        text_only_because: found.text_only.map(|error| error.to_string()),
        documents: found.documents,
        left: found.left,
    }))
}
