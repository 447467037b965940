//! Revokes a standing approval or refusal.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::RevokeApprovalRule;
use http::StatusCode;

use crate::authentication::{Approve, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::path_params::RulePath;
use crate::routes::rules::rule;
use crate::server_state::ServerState;

/// Revokes a standing approval or a standing refusal.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/rules/{r}",
    operation_id = "revoke_rule",
    tag = "rules",
    params(RulePath),
    responses((status = 204)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn revoke_rule(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    PathParams(path): PathParams<RulePath>,
) -> Result<StatusCode, Problem> {
    let rule = rule(&state, caller.workspace(), &path.r).await?;
    let revoke = RevokeApprovalRule::new(caller.mail_sender(&state));
    revoke.run(caller.workspace(), caller.author(), rule.id).await?;
    Ok(StatusCode::NO_CONTENT)
}
