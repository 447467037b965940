//! Lists the tokens of a workspace, the latest first, never their secrets.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::{AccessReach, Person, TokenRow};
use entracte_application::use_cases::ListTokens;

use crate::authentication::{Admin, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, latest_first, page_of_list};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::token::TokenShape;

/// The tokens of a workspace, the latest first; never their secrets.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/tokens",
    operation_id = "list_tokens",
    tag = "tokens",
    params(WorkspacePath, PageQuery),
    responses((status = 200, body = Page<TokenShape>)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn list_tokens(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<TokenShape>> {
    let here = AccessReach::Workspace(caller.workspace().clone());
    let tokens = ListTokens::new(state.ports.access.clone()).run(&here).await?;
    let list = format!("tokens {}", caller.workspace());
    let key = |(token, _): &(TokenRow, Person)| format!("{} {}", latest_first(token.created_at), token.id);
    Ok(JsonResponse(
        page_of_list(tokens, &list, &query, key)?.map(|(token, person)| TokenShape::new(&token, &person)),
    ))
}
