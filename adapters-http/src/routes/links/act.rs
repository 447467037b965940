//! Decides on the card of a link, once: the commit of the decision spends it.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use entracte_application::notify::nonce;
use entracte_application::use_cases::ApprovalChoice;
use http::HeaderMap;
use subtle::ConstantTimeEq as _;

use crate::access::Client;
use crate::body::{Answer, Body, Json};
use crate::etag::Tag;
use crate::house::House;
use crate::problem::{Code, Problem};
use crate::routes::approvals::decide::{Deciding, decide};
use crate::routes::links::{card, link};
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
pub(crate) async fn act_by_link(
    State(house): State<Arc<House>>,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    Body(act): Body<ActShape>,
) -> Answer<DecidedShape> {
    let link = link(&house, &headers, client.0, &act.secret).await?;
    let expected = nonce(&act.secret, &link.digest);
    if !bool::from(expected.as_bytes().ct_eq(act.nonce.as_bytes())) {
        let says = "open the link first, and send what it gave";
        return Err(Problem::new(Code::Invalid, format!("nonce: {says}")).at("nonce", says));
    }
    card(&house, &link).await?;
    let choice = match act.decision {
        LinkChoice::Approve => ApprovalChoice::Approve,
        LinkChoice::Reject => ApprovalChoice::Reject(act.reason),
    };
    let deciding = Deciding {
        sender: house.ports.mail_sender.clone(),
        workspace: &link.workspace,
        author: link.person.clone(),
        approval: link.approval.as_str(),
        shown: Tag::new(link.digest.as_str()),
        choice,
        link: Some(link.hash.clone()),
    };
    Ok(Json(decide(&house, deciding).await?))
}
