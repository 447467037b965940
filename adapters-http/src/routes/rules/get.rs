//! One standing approval or refusal.

use std::sync::Arc;

use axum::extract::State;

use crate::access::{Access, Read};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::routes::path::OfRule;
use crate::routes::rules::rule;
use crate::shapes::rule::RuleShape;

/// One standing approval or refusal.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/rules/{r}",
    operation_id = "get_rule",
    tag = "rules",
    params(OfRule),
    responses((status = 200, body = RuleShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_rule(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Path(path): Path<OfRule>,
) -> Answer<RuleShape> {
    let rule = rule(&house, caller.workspace(), &path.r).await?;
    Ok(Json(RuleShape::new(&rule, house.ports.clock.now())))
}
