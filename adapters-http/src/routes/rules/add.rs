//! Adds a standing approval, or a rule that refuses a command.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::mail::NewRuleRequest;
use entracte_application::texts::saying;
use entracte_application::use_cases::AddApprovalRule;
use entracte_domain::id::SessionId;
use entracte_domain::time::Millis;
use entracte_domain::validation::ArgumentCondition;
use http::StatusCode;

use crate::authentication::{Approve, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse};
use crate::problem::{Problem, ProblemCode};
use crate::routes::path_params::WorkspacePath;
use crate::routes::rules::rules;
use crate::server_state::ServerState;
use crate::shapes::rule::{ConditionShape, NewRuleShape, RuleShape};

/// Adds a standing approval, or a standing refusal.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/rules",
    operation_id = "add_rule",
    tag = "rules",
    params(WorkspacePath),
    request_body = NewRuleShape,
    responses((status = 201, body = RuleShape)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn add_rule(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    JsonBody(new): JsonBody<NewRuleShape>,
) -> Result<(StatusCode, JsonResponse<RuleShape>), Problem> {
    let add = AddApprovalRule::new(caller.mail_sender(&state));
    let made = add.run(caller.workspace(), caller.author(), new_rule(new)).await?;
    let gone = || Problem::new(ProblemCode::Conflict, saying!("refusal-rule-gone"));
    let made = rules(&state).one(caller.workspace(), &made.ok_or_else(gone)?).await?;
    Ok((StatusCode::CREATED, JsonResponse(RuleShape::new(&made, state.ports.clock.now()))))
}

fn new_rule(new: NewRuleShape) -> NewRuleRequest {
    let condition = |(name, shape): (String, ConditionShape)| {
        let condition = match shape {
            ConditionShape::Any => ArgumentCondition::Any,
            ConditionShape::Is(value) => ArgumentCondition::Is(value.0),
        };
        (name, condition)
    };
    NewRuleRequest {
        command: new.command,
        arguments: new.arguments.into_iter().map(condition).collect(),
        session: new.session.map(SessionId::new),
        denies: new.denies,
        lasts: new.lasts_seconds.map(|seconds| Millis::seconds(seconds.into())),
        times: new.times,
        agents: new.agents,
        people: new.people,
    }
}
