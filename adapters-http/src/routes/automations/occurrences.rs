//! Lists the occurrences of an automation, the latest first.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{FindAutomation, ReadAutomationHistory};
use entracte_domain::time::Timestamp;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams, QueryParams};
use crate::pagination::{Page, PageQuery, page_after_cursor, page_limit, read_cursor_key};
use crate::routes::automations::no_automation;
use crate::routes::instant_of;
use crate::routes::path_params::AutomationPath;
use crate::server_state::ServerState;
use crate::shapes::automation::OccurrenceShape;

/// What became of the occurrences of an automation, the latest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/automations/{a}/occurrences",
    operation_id = "list_occurrences",
    tag = "automations",
    params(AutomationPath, OccurrenceQuery),
    responses((status = 200, body = Page<OccurrenceShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_occurrences(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<AutomationPath>,
    QueryParams(query): QueryParams<OccurrenceQuery>,
) -> JsonResult<Page<OccurrenceShape>> {
    let find = FindAutomation::new(state.ports.store.clone(), state.ports.automations.clone());
    let id = find.find_deleted(caller.workspace(), &path.a).await?;
    if id.as_str() != path.a {
        return Err(no_automation(&path.a));
    }
    let list = format!("occurrences {id} {:?}", query.before);
    let page = PageQuery { limit: query.limit, after: query.after };
    let before = instant_of("before", query.before)?;
    let last = read_cursor_key(&list, &page)?.and_then(|key| key.parse().ok()).map(Timestamp);
    let history = ReadAutomationHistory::new(state.ports.store.clone(), state.ports.automations.clone());
    let more = u32::try_from(page_limit(&page)? + 1).unwrap_or(u32::MAX);
    let past = history.run(caller.workspace(), &id, last.or(before), more).await?;
    let page = page_after_cursor(past, &list, &page, |past| past.occurrence.at.0.to_string())?;
    Ok(JsonResponse(page.map(|past| OccurrenceShape::from(&past))))
}

/// Which occurrences.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct OccurrenceQuery {
    /// Those of before this instant, as RFC 3339; all unless given.
    before: Option<String>,
    /// At most this many items, 1 to 200; 50 unless given.
    limit: Option<u32>,
    /// The `next` of the page before.
    after: Option<String>,
}
