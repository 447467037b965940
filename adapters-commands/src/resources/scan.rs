//! Scans rows for conditions that the store cannot filter by. Reads in pages, up to a limit.

use entracte_application::ports::{ActionPlanError, ResourceFilter};
use entracte_application::texts::say;
use entracte_domain::value::JsonValue;

use super::call_context::ResourceCallContext;
use super::decoded_resource::DecodedResource;
use super::refusal::refused;

/// The most rows scanned for one call. Beyond it, the refusal says to narrow the request.
pub(crate) const MOST_ROWS: u32 = 50_000;
/// The number of rows read at a time.
const CHUNK: u32 = 1_000;

/// Calls `visit` for every row that the filter selects, in order.
pub(crate) async fn for_each_row(
    ask: &ResourceCallContext<'_>,
    filter: &ResourceFilter,
    mut visit: impl FnMut(DecodedResource) + Send,
) -> Result<(), ActionPlanError> {
    let total = ask.count_all(filter).await?;
    if total > u64::from(MOST_ROWS) {
        let message = say!(ask.texts, "resources-too-many", total = total, most = MOST_ROWS);
        return Err(refused("TOO_MANY_ROWS", message));
    }
    let mut offset = 0;
    while offset < MOST_ROWS {
        let rows = ask.list(&ResourceFilter { limit: Some(CHUNK), offset, ..filter.clone() }).await?;
        let read = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        rows.into_iter().for_each(&mut visit);
        if read < CHUNK {
            break;
        }
        offset += CHUNK;
    }
    Ok(())
}

/// The rows that `filter` selects and `fits` accepts, in order.
pub(crate) async fn matching(
    ask: &ResourceCallContext<'_>,
    filter: &ResourceFilter,
    fits: impl Fn(&DecodedResource) -> bool + Send + Sync,
) -> Result<Vec<DecodedResource>, ActionPlanError> {
    let mut rows = Vec::new();
    for_each_row(ask, filter, |row| {
        if fits(&row) {
            rows.push(row);
        }
    })
    .await?;
    Ok(rows)
}

/// Whether the row's name contains the argument `name`, ignoring case; `true` without the argument.
pub(crate) fn name_filter(
    ask: &ResourceCallContext<'_>,
    argument: &str,
) -> impl Fn(&DecodedResource) -> bool + Send + Sync + use<> {
    let part = ask.argument(argument).and_then(JsonValue::as_text).map(str::to_lowercase);
    move |row| part.as_ref().is_none_or(|part| row.name().to_lowercase().contains(part))
}
