//! Lists the next instants of an automation.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{PreviewNextOccurrences, settings_of};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams, QueryParams};
use crate::routes::automations::automation;
use crate::routes::path_params::AutomationPath;
use crate::server_state::ServerState;
use crate::shapes::automation::ComingShape;

/// The next instants of an automation.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/automations/{a}/next",
    operation_id = "next_occurrences",
    tag = "automations",
    params(AutomationPath, NextQuery),
    responses((status = 200, body = ComingShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn next_occurrences(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<AutomationPath>,
    QueryParams(query): QueryParams<NextQuery>,
) -> JsonResult<ComingShape> {
    let found = automation(&state, caller.workspace(), &path.a).await?;
    let next = PreviewNextOccurrences::new(state.ports.calculator.clone(), state.ports.clock.clone());
    let count = query.count.unwrap_or(INSTANTS).min(INSTANTS_MAX);
    let coming = next.run(&found, usize::try_from(count).unwrap_or(usize::MAX));
    let settings = settings_of(&*state.ports.store, caller.workspace()).await?;
    let locale = settings.locale_for(caller.reader());
    Ok(JsonResponse(ComingShape::new(&found.trigger, coming, locale)))
}

/// How many instants.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct NextQuery {
    /// At most this many, up to 1,000; 10 unless given.
    count: Option<u32>,
}

/// Number of listed instants.
const INSTANTS: u32 = 10;
/// The most instants of a list.
const INSTANTS_MAX: u32 = 1_000;
