//! Removes an entry of the configuration.

use std::sync::Arc;

use axum::extract::State;
use http::{HeaderMap, StatusCode};

use crate::authentication::{Admin, OperatorLoginAccess};
use crate::etag::read_if_match;
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::reader_language::language_of;
use crate::routes::admin::refused;
use crate::routes::config_entries::{find_entry, require_entry_as_read, section};
use crate::routes::path_params::ConfigEntryPath;
use crate::server_state::ServerState;

/// Removes an entry from the configuration file of the server, with the secrets that were stored for it alone. Calls that run go
/// on; those that are asked for later fail. It takes a person who logged in with a browser.
#[utoipa::path(
    delete,
    path = "/v1/admin/config/{section}/{entry}",
    operation_id = "remove_config_entry",
    tag = "admin",
    params(ConfigEntryPath, ("If-Match" = String, Header)),
    responses((status = 204)),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn remove_config_entry(
    State(state): State<Arc<ServerState>>,
    OperatorLoginAccess(_operator, _): OperatorLoginAccess<Admin>,
    PathParams(path): PathParams<ConfigEntryPath>,
    headers: HeaderMap,
) -> Result<StatusCode, Problem> {
    let section = section(&path.section)?;
    let there = find_entry(&state, section, &path.entry)?;
    let read = require_entry_as_read(&read_if_match(&headers)?, there.as_ref(), &path.entry)?;
    let entries = &state.ports.config_entries;
    entries.remove_entry(section, &path.entry, &read, language_of(&headers)).await.map_err(refused)?;
    state.notify_lists_changed();
    Ok(StatusCode::NO_CONTENT)
}
