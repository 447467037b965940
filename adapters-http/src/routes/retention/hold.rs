//! Holds a workspace, the runs of an automation or a session against the retention policy.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::texts::RefusalText;
use entracte_application::use_cases::{HoldRetention, UseCaseError};

use crate::authentication::{Approve, WorkspaceAccess, WorkspacePrincipal};
use crate::extractors::{JsonBody, JsonResponse, JsonResult, PathParams};
use crate::problem::{Problem, ProblemCode};
use crate::routes::path_params::HoldPath;
use crate::routes::retention::{held_scope, read_retention};
use crate::server_state::ServerState;
use crate::shapes::retention::{NewRetentionHoldShape, RetentionHeldShape, RetentionHoldShape};

/// Holds a workspace, the runs of an automation or a session: nothing of it goes until the hold is released. A person's
/// own hold takes over the reason; what another person holds is refused with that hold. The answer says whether it came
/// too late for a part.
#[utoipa::path(
    put,
    path = "/v1/workspaces/{w}/retention/holds/{held}",
    operation_id = "hold_retention",
    tag = "retention",
    params(HoldPath),
    request_body = NewRetentionHoldShape,
    responses((status = 200, body = RetentionHeldShape)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn hold_retention(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    PathParams(path): PathParams<HoldPath>,
    JsonBody(new): JsonBody<NewRetentionHoldShape>,
) -> JsonResult<RetentionHeldShape> {
    let hold = HoldRetention::new(caller.mail_sender(&state), state.ports.log.clone());
    match hold.run(caller.workspace(), caller.author(), held_scope(&path.held), new.reason).await {
        Ok(partial) => Ok(JsonResponse(RetentionHeldShape { held: path.held, partial })),
        Err(UseCaseError::Conflict(text)) => {
            Err(refused_hold_problem(&state, &caller, &path.held, text).await?)
        }
        Err(error) => Err(error.into()),
    }
}

/// The problem for a hold that was refused, with the hold of another person if there is one.
async fn refused_hold_problem(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    held: &str,
    text: RefusalText,
) -> Result<Problem, Problem> {
    let (scope, author) = (held_scope(held), caller.author());
    let view = read_retention(state).run(caller.workspace()).await?;
    let of_another = view.holds.iter().find(|view| view.hold.scope == scope && view.hold.author != author);
    let Some(hold) = of_another else { return Ok(Problem::new(ProblemCode::Conflict, text)) };
    Ok(Problem::new(ProblemCode::AlreadyHeld, text).with_current(&RetentionHoldShape::from(hold)))
}
