//! Lists the standing approvals and refusals of a workspace, the latest first.

use std::sync::Arc;

use axum::extract::State;
use entracte_domain::validation::StandingApprovalRule;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, latest_first, page_of_list};
use crate::routes::path_params::WorkspacePath;
use crate::routes::rules::rules;
use crate::server_state::ServerState;
use crate::shapes::rule::RuleShape;

/// The standing approvals and refusals of a workspace, the latest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/rules",
    operation_id = "list_rules",
    tag = "rules",
    params(WorkspacePath, RuleQuery),
    responses((status = 200, body = Page<RuleShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_rules(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<RuleQuery>,
) -> JsonResult<Page<RuleShape>> {
    let all = query.all.unwrap_or(false);
    let rules = rules(&state).run(caller.workspace(), all).await?;
    let list = format!("rules {} {all}", caller.workspace());
    let page = PageQuery { limit: query.limit, after: query.after };
    let key = |rule: &StandingApprovalRule| format!("{} {}", latest_first(rule.expires.armed_at), rule.id);
    let now = state.ports.clock.now();
    Ok(JsonResponse(page_of_list(rules, &list, &page, key)?.map(|rule| RuleShape::new(&rule, now))))
}

/// Which rules.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RuleQuery {
    /// Expired and revoked ones too; false unless given.
    all: Option<bool>,
    /// At most this many items, 1 to 200; 50 unless given.
    limit: Option<u32>,
    /// The `next` of the page before.
    after: Option<String>,
}
