//! The card of an approval that is asked for, with all that it is decided by.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use crate::access::{Access, Read};
use crate::body::Path;
use crate::house::House;
use crate::problem::{Code, Problem};
use crate::routes::approvals::asked;
use crate::routes::path::OfApproval;
use crate::routes::tagged;
use crate::shapes::card::CardShape;

/// The card of an open approval, with everything needed to decide on it.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/approvals/{apr}",
    operation_id = "get_approval",
    tag = "approvals",
    params(OfApproval),
    responses((status = 200, body = CardShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_approval(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Path(path): Path<OfApproval>,
) -> Result<Response, Problem> {
    let asked = asked(&house, caller.workspace(), &path.apr).await?;
    let Some(card) = asked.card.filter(|card| card.id == path.apr) else {
        let text = format!("{} waits for nobody any more; see its call: …/calls/{}", path.apr, asked.call);
        return Err(Problem::new(Code::Ended, text));
    };
    Ok(tagged(card.tag(), card))
}
