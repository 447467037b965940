use entracte_domain::time::Timestamp;

use crate::ports::{AccessReach, EmbedRestriction, TokenKind, TokenScopes};

/// A token to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// Whose it is: the author of all that is done with it. Added where nobody of that name is known.
    pub person: String,
    /// How far its rights go.
    pub reach: AccessReach,
    /// What it is for.
    pub kind: TokenKind,
    /// What it is called in lists.
    pub name: String,
    /// What it allows.
    pub scopes: TokenScopes,
    /// What it is held to, where it will stand in a page of another site.
    pub embedded: Option<EmbedRestriction>,
    /// From when on it counts no more; none: never.
    pub expires_at: Option<Timestamp>,
    /// The author who vouches for it, where it takes the place of one that somebody made for another person.
    pub made_by: Option<String>,
}
