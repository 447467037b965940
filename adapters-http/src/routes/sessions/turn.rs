//! Reads a turn of a session: what came of it since an entry.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{FollowTurn, ReadQueue, UseCaseError};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams, QueryParams};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::turn::{TurnReading, TurnShape};

/// A turn of a session: what came of it since an entry of its log, what waits for a person, and whether it rests. Whoever
/// follows a session reads it when a stream says that the session stands otherwise.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/turn",
    operation_id = "get_turn",
    tag = "sessions",
    params(SessionPath, TurnQuery),
    responses((status = 200, body = TurnShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_turn(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
    QueryParams(query): QueryParams<TurnQuery>,
) -> JsonResult<TurnShape> {
    let (ports, workspace, session) = (&state.ports, caller.workspace(), path.session());
    let (store, log, clock) = (ports.store.clone(), ports.log.clone(), ports.clock.clone());
    let catalog = ports.catalog.get();
    let follow = FollowTurn::new(store.clone(), log, ports.rows.clone(), catalog.clone(), clock.clone())
        .for_reader(caller.reader());
    let begun = match &query.client_key {
        Some(key) => {
            ports.log.entry_by_client_key(workspace, &session, key).await.map_err(UseCaseError::from)?
        }
        None => None,
    };
    let after = match begun.map(|row| row.seq.saturating_sub(1)).or(query.after) {
        Some(after) => after,
        None => follow.last_entry_number(workspace, &session).await?,
    };
    let update = follow.read_update(workspace, &session, after).await?;
    let mut turn = follow.view(workspace, &session, after).await?;
    if query.ignore_halt.unwrap_or(false) {
        turn.halted = None;
    }
    let now = clock.now();
    let place = ReadQueue::new(store, clock).place(workspace, &session).await?;
    // A decision may have been committed between the two reads.
    let is_same = turn.session.facts.sequence == update.session.facts.sequence;
    let reading = TurnReading { after, last: update.last, rests: update.rests && is_same, now };
    Ok(JsonResponse(TurnShape::new(&turn, place.as_ref(), &catalog, reading)))
}

/// Since when.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TurnQuery {
    /// The turn has the entries after the one with this `seq`; those after the last one of the workspace unless given.
    after: Option<u64>,
    /// The turn begins with the message that was sent under this key, if there is one.
    client_key: Option<String>,
    /// That a person stopped or interrupted it is left out, as for that person; false unless given.
    ignore_halt: Option<bool>,
}
