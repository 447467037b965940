//! What became of the occurrences of an automation, the latest first.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{FindAutomation, ReadAutomationHistory};
use entracte_domain::time::Timestamp;

use crate::access::{Access, Read};
use crate::body::{Answer, Json, Path, Query};
use crate::house::House;
use crate::page::{Page, PageQuery, first, last, limit};
use crate::routes::automations::no_automation;
use crate::routes::path::OfAutomation;
use crate::shapes::automation::OccurrenceShape;

/// What became of the occurrences of an automation, the latest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/automations/{a}/occurrences",
    operation_id = "list_occurrences",
    tag = "automations",
    params(OfAutomation, PageQuery),
    responses((status = 200, body = Page<OccurrenceShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_occurrences(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Path(path): Path<OfAutomation>,
    Query(query): Query<PageQuery>,
) -> Answer<Page<OccurrenceShape>> {
    let find = FindAutomation::new(house.ports.store.clone(), house.ports.automations.clone());
    let id = find.past(caller.workspace(), &path.a).await?;
    if id.as_str() != path.a {
        return Err(no_automation(&path.a));
    }
    let list = format!("occurrences {id}");
    let before = last(&list, &query)?.and_then(|key| key.parse().ok()).map(Timestamp);
    let history = ReadAutomationHistory::new(house.ports.store.clone(), house.ports.automations.clone());
    let more = u32::try_from(limit(&query)? + 1).unwrap_or(u32::MAX);
    let past = history.run(caller.workspace(), &id, before, more).await?;
    let page = first(past, &list, &query, |past| past.occurrence.at.0.to_string())?;
    Ok(Json(page.map(|past| OccurrenceShape::from(&past))))
}
