//! Readiness: the process owns the database, and the database can be read and written.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::texts::saying;
use entracte_domain::time::Millis;

use crate::extractors::{JsonResponse, JsonResult};
use crate::problem::{Problem, ProblemCode};
use crate::routes::unauthenticated::ReadyShape;
use crate::server_state::ServerState;

/// Age of the last commit from which a test write is made.
const FRESH: Millis = Millis::minutes(1);

/// Whether the server can do its work: it owns the database, and the database can be read and written.
#[utoipa::path(
    get,
    path = "/readyz",
    operation_id = "readyz",
    tag = "server",
    responses((status = 200, body = ReadyShape)),
    extensions(("x-scope" = json!(null)))
)]
pub(crate) async fn readyz(State(state): State<Arc<ServerState>>) -> JsonResult<ReadyShape> {
    if state.is_shutting_down() {
        let text = saying!("refusal-ending");
        return Err(Problem::new(ProblemCode::ShuttingDown, text).with_retry_after(5));
    }
    let ports = &state.ports;
    if !(ports.owns)() {
        let text = saying!("refusal-not-owner");
        return Err(Problem::new(ProblemCode::NotTaken, text));
    }
    let limit = state.terms.limits.ready_timeout;
    tokio::select! {
        biased;
        can_work = state.check_database_health(FRESH) => can_work?,
        () = ports.clock.sleep(limit) => return Err(database_timeout_problem(limit)),
    }
    let last_commit_seconds = ports.meters.last_commit_age().map(|age| age.0 / 1000);
    Ok(JsonResponse(ReadyShape { status: "ready", owner: true, last_commit_seconds }))
}

/// The problem for a database that did not respond in time.
fn database_timeout_problem(limit: Millis) -> Problem {
    let text = saying!("refusal-database-slow", milliseconds = limit.0.to_string());
    Problem::new(ProblemCode::DatabaseUnavailable, text)
}
