//! Decides on the card of a link, once: the commit of the decision spends the link.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use entracte_application::notify::nonce;
use entracte_application::texts::saying;
use entracte_application::use_cases::ApprovalChoice;
use http::HeaderMap;
use subtle::ConstantTimeEq as _;

use crate::authentication::{ClientAddress, ScopedMailSender};
use crate::etag::EntityTag;
use crate::extractors::{JsonBody, JsonResponse, JsonResult};
use crate::problem::Problem;
use crate::reader_language::reader_of;
use crate::routes::approvals::decide::{CardDecision, submit_decision};
use crate::routes::links::{card, link};
use crate::server_state::ServerState;
use crate::shapes::card::DecidedShape;
use crate::shapes::link::{ActShape, LinkChoice};

/// Decides on the card of a link, once: the commit of the decision spends it.
#[utoipa::path(
    post,
    path = "/v1/links/act",
    operation_id = "act_by_link",
    tag = "links",
    request_body = ActShape,
    responses((status = 200, body = DecidedShape)),
    extensions(("x-scope" = json!(null)))
)]
pub(crate) async fn decide_by_link(
    State(state): State<Arc<ServerState>>,
    Extension(client): Extension<ClientAddress>,
    headers: HeaderMap,
    JsonBody(act): JsonBody<ActShape>,
) -> JsonResult<DecidedShape> {
    let link = link(&state, &headers, client.0, &act.secret).await?;
    let expected = nonce(&act.secret, &link.digest);
    if !bool::from(expected.as_bytes().ct_eq(act.nonce.as_bytes())) {
        return Err(Problem::invalid_field("nonce", saying!("refusal-link-unopened")));
    }
    let reader = reader_of(&headers);
    card(&state, &link, reader).await?;
    let choice = match act.decision {
        LinkChoice::Approve => ApprovalChoice::Approve,
        LinkChoice::Reject => ApprovalChoice::Reject(act.reason),
    };
    let deciding = CardDecision {
        // The link itself is the permission to approve.
        sender: ScopedMailSender::wrap(&state, true, reader),
        workspace: &link.workspace,
        author: link.person.clone(),
        reader,
        approval: link.approval.as_str(),
        shown: EntityTag::new(link.digest.as_str()),
        choice,
        link: Some(link.hash.clone()),
    };
    Ok(JsonResponse(submit_decision(&state, deciding).await?))
}
