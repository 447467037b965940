//! Records what a model call of unknown usage used.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::terminal_text::one_line;
use entracte_application::texts::saying;
use entracte_application::use_cases::SettleUsage;
use entracte_domain::id::ModelCallId;
use entracte_domain::spending::SpendingAmount;

use crate::authentication::{Approve, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse, JsonResult, PathParams};
use crate::problem::{Problem, ProblemCode};
use crate::routes::dollars_of;
use crate::routes::path_params::ModelCallPath;
use crate::server_state::ServerState;
use crate::shapes::cost::UsageSettlementShape;
use crate::shapes::session::AcceptedShape;

/// Says what a model call used whose usage is not known: it was stopped, or lost. What it reserved of caps is settled.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/model-calls/{mc}/settlement",
    operation_id = "settle_model_call",
    tag = "model-calls",
    params(ModelCallPath),
    request_body = UsageSettlementShape,
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn settle_model_call(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    PathParams(path): PathParams<ModelCallPath>,
    JsonBody(found): JsonBody<UsageSettlementShape>,
) -> JsonResult<AcceptedShape> {
    let Some((session, number)) = ModelCallId::new(path.mc.as_str()).attempt() else {
        let text = saying!("request-no-model-call", call = one_line(&path.mc));
        return Err(Problem::new(ProblemCode::NotFound, text));
    };
    let amount = SpendingAmount { tokens: found.tokens, cost: dollars_of("cost_usd", &found.cost_usd)? };
    let settle = SettleUsage::new(caller.mail_sender(&state));
    Ok(JsonResponse(settle.run(caller.workspace(), &session, caller.author(), number, amount).await?.into()))
}
