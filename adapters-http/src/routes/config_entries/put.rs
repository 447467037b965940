//! Writes an entry of the configuration.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use entracte_application::texts::saying;
use http::{HeaderMap, StatusCode, header};

use crate::authentication::{Admin, OperatorLoginAccess};
use crate::etag::read_if_match;
use crate::extractors::{PathParams, SecretJsonBody};
use crate::problem::{Problem, ProblemCode};
use crate::reader_language::language_of;
use crate::routes::admin::refused;
use crate::routes::config_entries::{find_entry, require_entry_as_read, section, tag_of};
use crate::routes::path_params::ConfigEntryPath;
use crate::routes::response_with_etag;
use crate::server_state::ServerState;
use crate::shapes::config_entry::{ConfigEntryEditShape, WrittenEntryShape};

/// Writes an entry into the configuration file of the server, with exactly these settings. A new one needs
/// `If-None-Match: *`, one that is there its tag as `If-Match`. Comments stay, and the order. A secret is kept in a file beside,
/// which only its owner can read, and goes to no address but the one that it was given for. What would start a program is set on
/// the machine of the server. It takes a person who logged in with a browser.
#[utoipa::path(
    put,
    path = "/v1/admin/config/{section}/{entry}",
    operation_id = "put_config_entry",
    tag = "admin",
    params(
        ConfigEntryPath,
        ("If-Match" = Option<String>, Header),
        ("If-None-Match" = Option<String>, Header)
    ),
    request_body = ConfigEntryEditShape,
    responses(
        (status = 200, body = WrittenEntryShape, headers(("ETag" = String))),
        (status = 201, body = WrittenEntryShape, headers(("ETag" = String)))
    ),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn put_config_entry(
    State(state): State<Arc<ServerState>>,
    OperatorLoginAccess(_operator, _): OperatorLoginAccess<Admin>,
    PathParams(path): PathParams<ConfigEntryPath>,
    headers: HeaderMap,
    SecretJsonBody(edit): SecretJsonBody<ConfigEntryEditShape>,
) -> Result<Response, Problem> {
    let section = section(&path.section)?;
    let is_new = headers.get(header::IF_NONE_MATCH).is_some_and(|value| value == "*");
    let there = find_entry(&state, section, &path.entry)?;
    let read = match is_new {
        true if there.is_some() => {
            let text = saying!("refusal-entry-there");
            return Err(Problem::new(ProblemCode::Changed, text));
        }
        true => None,
        false => Some(require_entry_as_read(&read_if_match(&headers)?, there.as_ref(), &path.entry)?),
    };
    let entries = &state.ports.config_entries;
    let written = entries.put_entry(section, &path.entry, edit.into(), read, language_of(&headers)).await;
    let shape = WrittenEntryShape::new(path.entry.clone(), written.map_err(refused)?);
    state.notify_lists_changed();
    let now = find_entry(&state, section, &path.entry)?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, response_with_etag(tag_of(now.as_ref()), shape)).into_response())
}
