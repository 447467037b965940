//! Shapes of links to one card.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::card::CardShape;

/// A link that is opened.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenLinkShape {
    /// What stands behind the `#`: `lnk_…`.
    pub secret: String,
}

/// The card of a link.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OpenedShape {
    /// What is asked.
    pub card: CardShape,
    /// To be sent with the decision.
    pub nonce: String,
    /// Whom the decision is by.
    pub person: String,
    /// When the link ends.
    pub expires_at: String,
}

/// What a link may decide.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkChoice {
    /// Exactly what the card shows.
    Approve,
    /// Not at all.
    Reject,
}

/// A decision by a link.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ActShape {
    /// What stands behind the `#`.
    pub secret: String,
    /// What opening the link gave.
    pub nonce: String,
    /// `approve` or `reject`.
    pub decision: LinkChoice,
    /// Why it is rejected, as the model is told.
    pub reason: Option<String>,
}
