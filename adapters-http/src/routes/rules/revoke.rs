//! Takes a standing approval or a refusal back.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::RevokeApprovalRule;
use http::StatusCode;

use crate::access::{Access, Approve};
use crate::body::Path;
use crate::house::House;
use crate::problem::Problem;
use crate::routes::path::OfRule;
use crate::routes::rules::rule;

/// Revokes a standing approval or a standing refusal.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/rules/{r}",
    operation_id = "revoke_rule",
    tag = "rules",
    params(OfRule),
    responses((status = 204)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn revoke_rule(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Approve>,
    Path(path): Path<OfRule>,
) -> Result<StatusCode, Problem> {
    let rule = rule(&house, caller.workspace(), &path.r).await?;
    let revoke = RevokeApprovalRule::new(caller.sender(&house));
    revoke.run(caller.workspace(), caller.author(), rule.id).await?;
    Ok(StatusCode::NO_CONTENT)
}
