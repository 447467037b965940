//! Lists the tokens of a workspace, the latest first, never their secrets.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::{Person, TokenRow};
use entracte_application::use_cases::ListTokens;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Admin, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, latest_first, page_of_list};
use crate::routes::path_params::WorkspacePath;
use crate::routes::tokens::token_reach;
use crate::server_state::ServerState;
use crate::shapes::token::TokenShape;

/// Which of them.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TokenListQuery {
    /// `true`: those for every workspace, on the machine of the server alone.
    #[serde(default)]
    everywhere: bool,
    /// At most this many items, 1 to 200; 50 unless given.
    limit: Option<u32>,
    /// The `next` of the page before.
    after: Option<String>,
}

/// The tokens of a workspace, the latest first; never their secrets.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/tokens",
    operation_id = "list_tokens",
    tag = "tokens",
    params(WorkspacePath, TokenListQuery),
    responses((status = 200, body = Page<TokenShape>)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn list_tokens(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    QueryParams(query): QueryParams<TokenListQuery>,
) -> JsonResult<Page<TokenShape>> {
    let reach = token_reach(&caller, query.everywhere)?;
    let tokens = ListTokens::new(state.ports.access.clone()).run(&reach).await?;
    let list = format!("tokens {} {}", caller.workspace(), query.everywhere);
    let query = PageQuery { limit: query.limit, after: query.after };
    let key = |(token, _): &(TokenRow, Person)| format!("{} {}", latest_first(token.created_at), token.id);
    Ok(JsonResponse(
        page_of_list(tokens, &list, &query, key)?.map(|(token, person)| TokenShape::new(&token, &person)),
    ))
}
