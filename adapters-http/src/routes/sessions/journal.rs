//! Reads the journal of a session: each input with the entries it added, the latest first.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::codec::{CodecError, encode_entry_as_json};
use entracte_application::journal::JournalEntry;
use entracte_application::use_cases::{ReadLog, ShowSession, UseCaseError};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams, QueryParams};
use crate::pagination::{Page, PageQuery, descending, page_of_list};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::iso;

/// The journal of a session: each input with what it brought, the latest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/journal",
    operation_id = "read_journal",
    tag = "sessions",
    params(SessionPath, PageQuery),
    responses((status = 200, body = Page<EntryShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn read_journal(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<EntryShape>> {
    let (workspace, session) = (caller.workspace(), path.session());
    ShowSession::new(state.ports.store.clone()).run(workspace, &session).await?;
    let entries = ReadLog::new(state.ports.log.clone()).entries(workspace, &session, 0).await?;
    let page = page_of_list(entries, &format!("journal {session}"), &query, |entry| descending(entry.seq))?;
    let shapes: Result<Vec<EntryShape>, UseCaseError> = page.items.iter().map(EntryShape::new).collect();
    Ok(JsonResponse(Page { items: shapes?, next: page.next }))
}

/// An entry of the journal.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EntryShape {
    /// Its number in the workspace.
    seq: u64,
    /// Its number in the session.
    sequence: u64,
    /// When.
    at: String,
    /// What happened.
    label: &'static str,
    /// As it is stored.
    entry: Value,
}

impl EntryShape {
    fn new(entry: &JournalEntry) -> Result<Self, UseCaseError> {
        let json = encode_entry_as_json(entry)?;
        let stored = serde_json::from_slice(&json);
        let malformed =
            |error: serde_json::Error| CodecError::Malformed { what: "log entry", detail: error.to_string() };
        Ok(Self {
            seq: entry.seq,
            sequence: entry.sequence,
            at: iso(entry.at),
            label: entry.input.label(),
            entry: stored.map_err(malformed)?,
        })
    }
}
