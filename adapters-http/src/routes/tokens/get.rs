//! A token of the workspace; never its secret.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::AccessReach;
use entracte_application::use_cases::ListTokens;
use entracte_application::visible::one_line;

use crate::access::{Access, Admin};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::problem::{Code, Problem};
use crate::routes::path::OfToken;
use crate::shapes::token::TokenShape;

/// A token of the workspace; never its secret.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/tokens/{t}",
    operation_id = "get_token",
    tag = "tokens",
    params(OfToken),
    responses((status = 200, body = TokenShape)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn get_token(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Admin>,
    Path(path): Path<OfToken>,
) -> Answer<TokenShape> {
    let here = AccessReach::Workspace(caller.workspace().clone());
    let tokens = ListTokens::new(house.ports.access.clone()).run(&here).await?;
    let found = tokens.iter().find(|(token, _)| token.id == path.t);
    let (token, person) = found.ok_or_else(|| {
        let text = format!("there is no token {}; list them: …/tokens", one_line(&path.t));
        Problem::new(Code::NotFound, text)
    })?;
    Ok(Json(TokenShape::new(token, person)))
}
