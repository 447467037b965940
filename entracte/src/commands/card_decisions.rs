//! Requests that decide on cards as they were shown.

use std::collections::BTreeMap;

use entracte_adapters_http::api_transport::ApiRequest;
use entracte_adapters_http::shapes::card::{CardDecisionShape, CardShape, DecisionShape, DecisionsShape};

use crate::api_client::{ApiClient, post};

/// The cards of each session, whose decisions are sent together.
pub(super) fn cards_by_session(cards: &[CardShape]) -> BTreeMap<&str, Vec<&CardShape>> {
    let mut sessions: BTreeMap<&str, Vec<&CardShape>> = BTreeMap::new();
    for card in cards {
        sessions.entry(&card.session).or_default().push(card);
    }
    sessions
}

/// An approval and the digest of its card, which a decision is bound to.
pub(super) fn bound(card: &CardShape) -> (&str, Option<&str>) {
    (&card.id, card.digest.as_deref())
}

/// The same decision on several approvals of a session, each with the digest of its card: all are decided, or none.
pub(super) fn decide_together<'c>(
    api: &ApiClient<'_>,
    session: &str,
    cards: impl IntoIterator<Item = (&'c str, Option<&'c str>)>,
    decision: &DecisionShape,
) -> ApiRequest {
    let of_card = |(approval, digest): (&str, Option<&str>)| CardDecisionShape {
        approval: approval.to_owned(),
        digest: digest.unwrap_or_default().to_owned(),
        decision: decision.clone(),
    };
    let decisions = DecisionsShape { decisions: cards.into_iter().map(of_card).collect() };
    post(&api.path(&["sessions", session, "decisions"]), &decisions)
}

/// A decision on one card.
pub(super) fn decide_one(api: &ApiClient<'_>, card: &CardShape, decision: &DecisionShape) -> ApiRequest {
    let tag = card.tag().map(|tag| tag.quoted()).unwrap_or_default();
    post(&api.path(&["approvals", &card.id, "decision"]), decision).with_if_match(tag)
}
