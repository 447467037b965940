//! Tries an entry of the configuration.

use std::sync::Arc;

use axum::extract::State;
use http::HeaderMap;

use crate::authentication::{Admin, OperatorAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::reader_language::language_of;
use crate::routes::admin::refused;
use crate::routes::config_entries::{entry, section};
use crate::routes::path_params::ConfigEntryPath;
use crate::server_state::ServerState;
use crate::shapes::config_entry::EntryTrialShape;

/// Tries an entry as the file of the server has it, one from elsewhere as it is in force: an MCP server is connected to, the model
/// of an agent is asked, the host of an HTTP tool is connected to, a text gets its vector. An MCP server that is in force is asked
/// over its connection, and no program is started that is not in force yet. An entry is tried once at a time. It costs what its
/// cheapest question costs, and changes nothing here.
#[utoipa::path(
    post,
    path = "/v1/admin/config/{section}/{entry}/check",
    operation_id = "check_config_entry",
    tag = "admin",
    params(ConfigEntryPath),
    responses((status = 200, body = EntryTrialShape)),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn check_config_entry(
    State(state): State<Arc<ServerState>>,
    OperatorAccess(_operator, _): OperatorAccess<Admin>,
    PathParams(path): PathParams<ConfigEntryPath>,
    headers: HeaderMap,
) -> JsonResult<EntryTrialShape> {
    let section = section(&path.section)?;
    let name = entry(&state, section, &path.entry)?.name;
    let tried = state.ports.config_entries.try_entry(section, &name, language_of(&headers)).await;
    Ok(JsonResponse(tried.map_err(refused)?.into()))
}
