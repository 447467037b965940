//! The workspace's own data. It is changed by the actions of a session, with their approvals; here it is read.

pub(crate) mod entries;
pub(crate) mod entry;
pub(crate) mod tool;
pub(crate) mod tools;
pub(crate) mod zone;
pub(crate) mod zones;

use axum::response::Response;
use entracte_application::ports::{Resource, ResourceFilter};
use entracte_application::visible::one_line;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use crate::house::House;
use crate::page::{Page, PageQuery, cut, latest_first};
use crate::problem::{Code, Problem};
use crate::routes::tagged;
use crate::shapes::data::DataShape;

/// A zone, a tool, an entry.
const ZONE: &str = "zone";
const TOOL: &str = "tool";
const ENTRY: &str = "entry";

/// Rows read at once.
const ROWS: u32 = 500;

/// All rows of a kind that a filter leaves.
async fn rows(
    house: &House,
    workspace: &WorkspaceKey,
    filter: ResourceFilter,
) -> Result<Vec<Resource>, Problem> {
    let mut all = Vec::new();
    loop {
        let offset = u32::try_from(all.len()).unwrap_or(u32::MAX);
        let page = ResourceFilter { limit: Some(ROWS), offset, ..filter.clone() };
        let rows = house.ports.rows.resources(workspace, &page).await?;
        let is_last = rows.len() < ROWS as usize;
        all.extend(rows);
        if is_last {
            return Ok(all);
        }
    }
}

/// A page of zones or tools, by name; of entries, the latest first.
async fn page(
    house: &House,
    workspace: &WorkspaceKey,
    filter: ResourceFilter,
    query: &PageQuery,
) -> Result<Page<DataShape>, Problem> {
    let period = |at: Option<Timestamp>| at.map_or(String::new(), |at| at.0.to_string());
    let (from, until) = (period(filter.from), period(filter.until));
    let parent = filter.parent.clone().unwrap_or_default();
    let list = format!("{} {workspace} {parent} {from} {until}", filter.kind);
    let key = |row: &Resource| match row.at {
        Some(at) => format!("{} {}", latest_first(at), row.id),
        None => format!("{} {}", row.name, row.id),
    };
    let page = cut(rows(house, workspace, filter).await?, &list, query, key)?;
    Ok(page.map(|row| DataShape::from(&row)))
}

/// One row of a kind.
async fn row(house: &House, workspace: &WorkspaceKey, kind: &str, id: &str) -> Result<Resource, Problem> {
    let found = house.ports.rows.resource(workspace, kind, id).await?;
    found.ok_or_else(|| Problem::new(Code::NotFound, format!("there is no {kind} {}", one_line(id))))
}

/// One row of a kind, with its tag.
async fn shown(house: &House, workspace: &WorkspaceKey, kind: &str, id: &str) -> Result<Response, Problem> {
    let shape = DataShape::from(&row(house, workspace, kind, id).await?);
    Ok(tagged(Some(shape.tag()), shape))
}
