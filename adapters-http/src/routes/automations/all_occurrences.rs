//! Lists the occurrences of all automations, the latest first.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{OccurrenceView, ReadAutomationHistory};
use entracte_domain::time::{Millis, Timestamp};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, descending, page_limit, page_of_list, read_cursor_key};
use crate::problem::Problem;
use crate::routes::instant_of;
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::automation::OccurrenceShape;

/// Default time span of the list.
const NIGHT: Millis = Millis::hours(24);

/// What became of the occurrences of all automations of a workspace that were not deleted, the latest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/occurrences",
    operation_id = "list_all_occurrences",
    tag = "automations",
    params(WorkspacePath, PastOccurrenceQuery),
    responses((status = 200, body = Page<OccurrenceShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_all_occurrences(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<PastOccurrenceQuery>,
) -> JsonResult<Page<OccurrenceShape>> {
    let (ports, workspace) = (&state.ports, caller.workspace());
    let list = format!("occurrences of all {workspace} {:?} {:?}", query.since, query.before);
    let page = PageQuery { limit: query.limit, after: query.after };
    let since = instant_of("since", query.since)?;
    let since = since.unwrap_or_else(|| ports.clock.now().plus(Millis(-NIGHT.0)));
    let before = instant_of("before", query.before)?;
    // Several automations may be due at the instant where the previous page ended.
    let last = read_cursor_key(&list, &page)?.as_deref().and_then(instant_of_key);
    let before = last.map(|at| Timestamp(at.0 + 1)).or(before);
    let automations = ports.automations.automations(workspace).await.map_err(Problem::from)?.len();
    let most = u32::try_from(page_limit(&page)? + automations + 1).unwrap_or(u32::MAX);
    let history = ReadAutomationHistory::new(ports.store.clone(), ports.automations.clone());
    let past = history.run_for_all(workspace, since, before, most).await?;
    let key = |(_, past): &(String, _)| key_of(past);
    let shape = |(name, past): (String, OccurrenceView)| OccurrenceShape {
        name: Some(name),
        ..OccurrenceShape::from(&past)
    };
    Ok(JsonResponse(page_of_list(past, &list, &page, key)?.map(shape)))
}

/// The pagination key: an automation has at most one occurrence at an instant.
fn key_of(past: &OccurrenceView) -> String {
    let at = u64::try_from(past.occurrence.at.0).unwrap_or(0);
    format!("{} {}", descending(at), past.occurrence.automation)
}

fn instant_of_key(key: &str) -> Option<Timestamp> {
    let turned: u64 = key.split_once(' ')?.0.parse().ok()?;
    i64::try_from(u64::MAX - turned).ok().map(Timestamp)
}

/// Which occurrences.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PastOccurrenceQuery {
    /// Those that were decided from this instant on, as RFC 3339; the last 24 hours unless given.
    since: Option<String>,
    /// Those of before this instant, as RFC 3339; all unless given.
    before: Option<String>,
    /// At most this many items, 1 to 200; 50 unless given.
    limit: Option<u32>,
    /// The `next` of the page before.
    after: Option<String>,
}
