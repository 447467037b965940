//! Paginated lists: every page gives the total number of rows, and whether more follow.

use entracte_application::ports::{ResourceFilter, StoreError};
use entracte_domain::value::JsonValue;
use serde_json::{Value as Json, json};

use super::call_context::ResourceCallContext;
use super::decoded_resource::DecodedResource;
use crate::json::number;

/// Page sizes of a list.
#[derive(Clone, Copy)]
pub(crate) struct PageSizeLimits {
    /// The default size.
    pub(crate) usual: u32,
    /// The maximum size.
    pub(crate) most: u32,
}

/// The page sizes of most lists.
pub(crate) const ROWS: PageSizeLimits = PageSizeLimits { usual: 100, most: 500 };

/// One page of rows.
pub(crate) struct ResourcePage {
    /// The rows of this page.
    pub(crate) rows: Vec<DecodedResource>,
    /// The number of rows on all pages.
    pub(crate) total: u64,
    /// Whether rows follow this page.
    pub(crate) more: bool,
}

/// Adds the schemas of the arguments `limit` and `offset` to `properties`.
pub(crate) fn arguments(size: PageSizeLimits, mut properties: Json) -> Json {
    let limit = format!("How many at most; {} when absent.", size.usual);
    properties["limit"] =
        json!({"type": "integer", "minimum": 1, "maximum": size.most, "description": limit});
    let offset = "Leave out the first that many.";
    properties["offset"] =
        json!({"type": "integer", "minimum": 0, "maximum": u32::MAX, "description": offset});
    properties
}

/// The page selected by `limit` and `offset`, from the first row on.
pub(crate) async fn first_page(
    ask: &ResourceCallContext<'_>,
    filter: ResourceFilter,
    size: PageSizeLimits,
) -> Result<ResourcePage, StoreError> {
    let total = ask.count_all(&filter).await?;
    let limit = ask.number("limit", size.usual, size.most);
    let offset = ask.number("offset", 0, u32::MAX);
    let rows = ask.list(&ResourceFilter { limit: Some(limit), offset, ..filter }).await?;
    let shown = u64::from(offset).saturating_add(u64::try_from(rows.len()).unwrap_or(u64::MAX));
    Ok(ResourcePage { more: !rows.is_empty() && shown < total, rows, total })
}

/// The page selected by `limit` and `offset`, counted backwards from the last row.
#[cfg(feature = "resources")]
pub(crate) async fn last_page(
    ask: &ResourceCallContext<'_>,
    filter: ResourceFilter,
    size: PageSizeLimits,
) -> Result<ResourcePage, StoreError> {
    let total = ask.count_all(&filter).await?;
    let left = total.saturating_sub(u64::from(ask.number("offset", 0, u32::MAX)));
    let limit = u64::from(ask.number("limit", size.usual, size.most)).min(left);
    let before = left - limit;
    let (limit, offset) = (u32::try_from(limit).ok(), u32::try_from(before).unwrap_or(u32::MAX));
    let mut rows = match limit {
        Some(0) => Vec::new(),
        limit => ask.list(&ResourceFilter { limit, offset, ..filter }).await?,
    };
    rows.reverse();
    Ok(ResourcePage { more: before > 0, rows, total })
}

/// The page selected by `limit` and `offset` of rows that were already loaded.
#[cfg(feature = "resources")]
pub(crate) fn page_of_rows(
    ask: &ResourceCallContext<'_>,
    rows: Vec<DecodedResource>,
    size: PageSizeLimits,
) -> ResourcePage {
    let total = u64::try_from(rows.len()).unwrap_or(u64::MAX);
    let place = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let (limit, offset) = (ask.number("limit", size.usual, size.most), ask.number("offset", 0, u32::MAX));
    let left = rows.len().saturating_sub(place(offset));
    let rows: Vec<DecodedResource> = rows.into_iter().skip(place(offset)).take(place(limit)).collect();
    ResourcePage { more: left > rows.len(), rows, total }
}

impl ResourcePage {
    /// The page for the model. The counts come before the rows under `name`, because a long answer may be truncated
    /// for display. Rows beyond [`MOST_BYTES`] are left to the next page.
    pub(crate) fn value(&self, name: &str, show: impl Fn(&DecodedResource) -> JsonValue) -> JsonValue {
        let (mut shown, mut bytes) = (Vec::new(), 0);
        for row in self.rows.iter().map(show) {
            bytes += row.to_json().len();
            if bytes > MOST_BYTES && !shown.is_empty() {
                break;
            }
            shown.push(row);
        }
        let more = self.more || shown.len() < self.rows.len();
        let (total, more) = (number(self.total), JsonValue::from(more));
        JsonValue::from([("total", total), ("more", more), (name, JsonValue::List(shown))])
    }
}

/// The most bytes of the rows of a page; a single row may be longer.
const MOST_BYTES: usize = 100_000;
