//! Discards a proposal.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use super::with_proposal;
use crate::access::{Access, Chat};
use crate::body::Path;
use crate::house::House;
use crate::problem::Problem;
use crate::routes::path::OfProposal;
use crate::shapes::act::ResultShape;

/// Discards a proposal.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/texts/{text}/proposals/{prp}",
    operation_id = "discard_proposal",
    tag = "texts",
    params(OfProposal),
    responses((status = 200, body = ResultShape), (status = 202, body = ResultShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn discard_proposal(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Path(path): Path<OfProposal>,
) -> Result<Response, Problem> {
    with_proposal(&house, &caller, &path, "shared_texts.discard").await
}
