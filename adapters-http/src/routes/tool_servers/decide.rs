//! Decides which tools of an MCP server ask before they run.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_domain::id::Digest;
use http::HeaderMap;

use crate::authentication::{Admin, WorkspaceAccess, require_operator};
use crate::etag::read_if_match;
use crate::extractors::{JsonBody, PathParams};
use crate::problem::Problem;
use crate::routes::admin::refused;
use crate::routes::path_params::ToolServerPath;
use crate::routes::tool_servers::tool_server;
use crate::routes::{require_unchanged, response_with_etag};
use crate::server_state::ServerState;
use crate::shapes::tool_server::{DecideToolsShape, DecidedToolsShape, ToolServerShape};

/// Decides which tools of an MCP server ask before they run, as they were read. It holds for every workspace, so it is for
/// the operator. Approvals that wait stay as they are.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/tool-servers/{server}/decision",
    operation_id = "decide_tools",
    tag = "commands",
    params(ToolServerPath, ("If-Match" = String, Header)),
    request_body = DecideToolsShape,
    responses((status = 200, body = DecidedToolsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn decide_tools(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    PathParams(path): PathParams<ToolServerPath>,
    headers: HeaderMap,
    JsonBody(decision): JsonBody<DecideToolsShape>,
) -> Result<Response, Problem> {
    require_operator(caller.principal())?;
    let read = read_if_match(&headers)?;
    let shown = ToolServerShape::from(&tool_server(&state, &path.server)?);
    require_unchanged(&read, Some(shown.tag()), &shown)?;
    let (choice, read) = (decision.choice.into(), Digest::new(read.as_str()));
    let language = state.language_for(caller.workspace(), caller.reader()).await?;
    let operator = &state.ports.operator;
    let decided = operator
        .decide_external_tools(&path.server, choice, &decision.tools, &read, language)
        .await
        .map_err(refused)?;
    tracing::info!(
        server = path.server,
        choice = choice.word(),
        author = caller.author(),
        decided = decided.decided.join(", "),
        kept = decided.kept.join(", "),
        "a person decided about tools of an MCP server"
    );
    state.notify_lists_changed();
    let now = ToolServerShape::from(&tool_server(&state, &path.server)?);
    Ok(response_with_etag(Some(now.tag()), DecidedToolsShape::new(decided, now)))
}
