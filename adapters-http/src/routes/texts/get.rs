//! Reads a shared text as published, an older version of it, or the changes of a proposal.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_domain::value::JsonValue;
use serde::Deserialize;
use serde_json::Value;
use utoipa::IntoParams;

use super::{TEXT, row};
use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{PathParams, QueryParams};
use crate::problem::Problem;
use crate::routes::manual_command::run_manual_query;
use crate::routes::path_params::SharedTextPath;
use crate::routes::response_with_etag;
use crate::server_state::ServerState;
use crate::shapes::data::DataShape;
use crate::shapes::text::TextShape;

/// What of a text.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SharedTextQuery {
    /// An older version, by its number.
    version: Option<u32>,
    /// What this proposal would change.
    proposal: Option<String>,
}

/// A shared text as it is published, an older version of it, or what a proposal would change.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/texts/{text}",
    operation_id = "get_text",
    tag = "texts",
    params(SharedTextPath, SharedTextQuery),
    responses((status = 200, body = TextShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_text(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SharedTextPath>,
    QueryParams(which): QueryParams<SharedTextQuery>,
) -> Result<Response, Problem> {
    let found = row(&state, caller.workspace(), TEXT, &path.text).await?;
    let mut arguments = vec![("key".to_owned(), JsonValue::from(found.id.clone()))];
    arguments.extend(which.proposal.map(|proposal| ("proposal_id".to_owned(), JsonValue::from(proposal))));
    arguments
        .extend(which.version.map(|version| ("version".to_owned(), JsonValue::from(i64::from(version)))));
    let arguments = JsonValue::Object(arguments);
    let answer = run_manual_query(&state, &caller, "shared_texts.get", arguments).await?;
    let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
    Ok(response_with_etag(Some(DataShape::from(&found).tag()), TextShape::read(&answer)))
}
