//! Routes of zones, tools and entries. Changes run like every other action, with their ledger and approvals; requesting
//! them here makes no difference.

pub(crate) mod add_entry;
pub(crate) mod add_tool;
pub(crate) mod add_zone;
pub(crate) mod change_entry;
pub(crate) mod change_tool;
pub(crate) mod change_zone;
pub(crate) mod delete_entry;
pub(crate) mod delete_tool;
pub(crate) mod delete_zone;
pub(crate) mod entries;
pub(crate) mod entry;
mod path_params;
pub(crate) mod stats;
pub(crate) mod tool;
pub(crate) mod tools;
pub(crate) mod zone;
pub(crate) mod zones;

use std::collections::BTreeMap;

use axum::response::{IntoResponse, Response};
use entracte_application::json_value::ExactJson;
use entracte_application::ports::{ResourceFilter, ResourceRow};
use entracte_application::terminal_text::one_line;
use entracte_application::texts::saying;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;
use http::{HeaderMap, StatusCode};

use crate::authentication::WorkspacePrincipal;
use crate::etag::read_if_match;
use crate::pagination::{Page, PageQuery, latest_first, page_of_list};
use crate::problem::{Problem, ProblemCode};
use crate::routes::manual_command::{run_manual_action, status};
use crate::routes::{require_unchanged, response_with_etag};
use crate::server_state::ServerState;
use crate::shapes::command_outcome::ResultShape;
use crate::shapes::data::DataShape;

/// Kinds of rows: zone, tool and entry.
const ZONE: &str = "zone";
const TOOL: &str = "tool";
const ENTRY: &str = "entry";

/// Rows read per query.
const ROWS: u32 = 500;

/// All rows of a kind that match a filter.
async fn rows(
    state: &ServerState,
    workspace: &WorkspaceKey,
    filter: ResourceFilter,
) -> Result<Vec<ResourceRow>, Problem> {
    let mut all = Vec::new();
    loop {
        let offset = u32::try_from(all.len()).unwrap_or(u32::MAX);
        let page = ResourceFilter { limit: Some(ROWS), offset, ..filter.clone() };
        let rows = state.ports.rows.resources(workspace, &page).await?;
        let is_last = rows.len() < ROWS as usize;
        all.extend(rows);
        if is_last {
            return Ok(all);
        }
    }
}

/// A page of zones or tools, by name; of entries, the latest first.
async fn page(
    state: &ServerState,
    workspace: &WorkspaceKey,
    filter: ResourceFilter,
    query: &PageQuery,
) -> Result<Page<DataShape>, Problem> {
    let period = |at: Option<Timestamp>| at.map_or(String::new(), |at| at.0.to_string());
    let (from, until) = (period(filter.from), period(filter.until));
    let parent = filter.parent.clone().unwrap_or_default();
    let list = format!("{} {workspace} {parent} {from} {until}", filter.kind);
    let key = |row: &ResourceRow| match row.at {
        Some(at) => format!("{} {}", latest_first(at), row.id),
        None => format!("{} {}", row.name, row.id),
    };
    let page = page_of_list(rows(state, workspace, filter).await?, &list, query, key)?;
    Ok(page.map(|row| DataShape::from(&row)))
}

/// Reads one row of a kind.
async fn row(
    state: &ServerState,
    workspace: &WorkspaceKey,
    kind: &str,
    id: &str,
) -> Result<ResourceRow, Problem> {
    let found = state.ports.rows.resource(workspace, kind, id).await?;
    found.ok_or_else(|| {
        Problem::new(ProblemCode::NotFound, saying!("refusal-no-data", kind = kind, id = one_line(id)))
    })
}

/// The response with one row of a kind and its entity tag.
async fn row_response(
    state: &ServerState,
    workspace: &WorkspaceKey,
    kind: &str,
    id: &str,
) -> Result<Response, Problem> {
    let shape = DataShape::from(&row(state, workspace, kind, id).await?);
    Ok(response_with_etag(Some(shape.tag()), shape))
}

/// An object of the given members only, by name; omitted ones stay omitted.
fn present_fields<const N: usize>(members: [(&str, Option<JsonValue>); N]) -> JsonValue {
    let given = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    JsonValue::Object(given.collect()).sorted()
}

/// Distinguishes null from a value and from an omitted member.
fn nullable(given: Option<Option<String>>) -> Option<JsonValue> {
    given.map(|given| given.map_or(JsonValue::Null, JsonValue::from))
}

/// Members as they were sent, with all digits.
fn object(members: BTreeMap<String, ExactJson>) -> JsonValue {
    JsonValue::Object(members.into_iter().map(|(name, value)| (name, value.0)).collect())
}

/// Creates a row of a kind by a command.
async fn create_by_command(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    kind: &str,
    command: &str,
    arguments: JsonValue,
) -> Result<Response, Problem> {
    let mut done = run_manual_action(state, caller, command, arguments).await?;
    let result = &done.result.0;
    let first = || result.get("ids").and_then(JsonValue::as_list).and_then(<[JsonValue]>::first);
    let id = result.get("id").and_then(JsonValue::as_text);
    let id = id.or_else(|| first().and_then(JsonValue::as_text)).map(str::to_owned);
    if let Some(id) = id {
        done.data = find_data_shape(state, caller.workspace(), kind, &id).await?;
    }
    Ok(response_with_tag(done, StatusCode::CREATED))
}

/// Changes or deletes by a command the version that was read.
async fn change_by_command(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    headers: &HeaderMap,
    row: &ResourceRow,
    command: &str,
    arguments: JsonValue,
) -> Result<Response, Problem> {
    let read = read_if_match(headers)?;
    let now = DataShape::from(row);
    require_unchanged(&read, Some(now.tag()), &now)?;
    let mut done = run_manual_action(state, caller, command, arguments).await?;
    if done.is_done() {
        done.data = find_data_shape(state, caller.workspace(), &row.kind, &row.id).await?;
    }
    Ok(response_with_tag(done, StatusCode::OK))
}

/// Reads an entry of a tool.
async fn entry_of(
    state: &ServerState,
    workspace: &WorkspaceKey,
    tool: &str,
    entry: &str,
) -> Result<ResourceRow, Problem> {
    let found = row(state, workspace, ENTRY, entry).await?;
    if found.parent.as_deref() == Some(tool) {
        return Ok(found);
    }
    Err(Problem::new(ProblemCode::NotFound, saying!("refusal-other-tool", entry = &found.id)))
}

async fn find_data_shape(
    state: &ServerState,
    workspace: &WorkspaceKey,
    kind: &str,
    id: &str,
) -> Result<Option<DataShape>, Problem> {
    Ok(state.ports.rows.resource(workspace, kind, id).await?.map(|row| DataShape::from(&row)))
}

/// Adds the entity tag of the current row.
fn response_with_tag(done: ResultShape, as_done: StatusCode) -> Response {
    let status = status(&done, as_done);
    (status, response_with_etag(done.data.as_ref().map(DataShape::tag), done)).into_response()
}
