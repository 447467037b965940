//! Reads the statistics of a tool's entries.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::json_value::ExactJson;
use entracte_domain::value::JsonValue;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams, QueryParams};
use crate::routes::data::path_params::ToolPath;
use crate::routes::data::{TOOL, present_fields, row};
use crate::routes::manual_command::run_manual_query;
use crate::server_state::ServerState;
use crate::shapes::command_outcome::read;

/// Which entries.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DataStatsQuery {
    /// Entries about this period: `-1_WEEK` is last week, `0_DAY` today.
    period: Option<String>,
    /// Entries about this instant or a later one, as RFC 3339.
    from: Option<String>,
    /// Entries about an earlier instant than this.
    until: Option<String>,
    /// Only those with this text in their name.
    name: Option<String>,
    /// Each day as well; true where it is left out.
    per_day: Option<bool>,
}

/// Statistics of the entries of a tool.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/tools/{tool}/stats",
    operation_id = "get_stats",
    tag = "data",
    params(ToolPath, DataStatsQuery),
    responses((status = 200, body = Object)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_stats(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<ToolPath>,
    QueryParams(which): QueryParams<DataStatsQuery>,
) -> JsonResult<ExactJson> {
    let tool = row(&state, caller.workspace(), TOOL, &path.tool).await?;
    let arguments = present_fields([
        ("tool_id", Some(tool.id.into())),
        ("period", which.period.map(JsonValue::from)),
        ("from", which.from.map(JsonValue::from)),
        ("until", which.until.map(JsonValue::from)),
        ("name", which.name.map(JsonValue::from)),
        ("per_day", which.per_day.map(JsonValue::from)),
    ]);
    let counted = run_manual_query(&state, &caller, "tool_data.stats", arguments).await?;
    Ok(JsonResponse(read(counted)))
}
