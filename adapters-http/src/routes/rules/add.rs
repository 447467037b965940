//! Adds a standing approval, or a rule that refuses a command.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::mail::NewRuleRequest;
use entracte_application::texts::{LocalizedMessage, saying};
use entracte_application::use_cases::AddApprovalRule;
use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::time::Millis;
use entracte_domain::validation::RuleScope;
use http::StatusCode;

use crate::authentication::{Approve, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse};
use crate::problem::{Problem, ProblemCode};
use crate::routes::path_params::WorkspacePath;
use crate::routes::rules::rules;
use crate::server_state::ServerState;
use crate::shapes::rule::{NewRuleShape, RuleShape, into_conditions};

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
    let made = add.run(caller.workspace(), caller.author(), new_rule(new)?).await?;
    let gone = || Problem::new(ProblemCode::Conflict, saying!("refusal-rule-gone"));
    let made = rules(&state).one(caller.workspace(), &made.ok_or_else(gone)?).await?;
    Ok((StatusCode::CREATED, JsonResponse(RuleShape::new(&made, state.ports.clock.now()))))
}

/// # Errors
/// When the rule names several scopes, or the number of all calls twice.
fn new_rule(new: NewRuleShape) -> Result<NewRuleRequest, Problem> {
    let invalid = |text: LocalizedMessage| Err(Problem::new(ProblemCode::Invalid, text));
    let scope = match (new.session, new.automation, new.agent) {
        (None, None, None) => RuleScope::Workspace,
        (Some(session), None, None) => RuleScope::Session(SessionId::new(session)),
        (None, Some(automation), None) => RuleScope::Automation(AutomationId::new(automation)),
        (None, None, Some(agent)) => RuleScope::Agent(agent),
        _ => return invalid(saying!("refusal-rule-scopes")),
    };
    let mut limits = new.limits.into_limits();
    match (new.times, limits.total.calls) {
        (Some(_), Some(_)) => return invalid(saying!("refusal-rule-times-twice")),
        (Some(times), None) => limits.total.calls = Some(times),
        (None, _) => {}
    }
    Ok(NewRuleRequest {
        command: new.command,
        arguments: into_conditions(new.arguments),
        scope,
        denies: new.denies,
        lasts: new.lasts_seconds.map(|seconds| Millis::seconds(seconds.into())),
        limits,
        agents: new.agents,
        people: new.people,
    })
}
