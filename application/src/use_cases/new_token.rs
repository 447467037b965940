use entracte_domain::time::Timestamp;

use crate::ports::{AccessReach, EmbedRestriction, TokenKind, TokenScopes};

/// The parameters of a new token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// The owner of the token, author of all actions made with it. Added if no person of that name is known.
    pub person: String,
    /// The workspaces its rights apply to.
    pub reach: AccessReach,
    /// How it is used.
    pub kind: TokenKind,
    /// Its name in lists.
    pub name: String,
    /// Its scopes.
    pub scopes: TokenScopes,
    /// The limits of a token that will be embedded in a page of another site.
    pub embedded: Option<EmbedRestriction>,
    /// When it expires; `None` means never.
    pub expires_at: Option<Timestamp>,
    /// The issuer of the token it replaces, if that was created for another person.
    pub made_by: Option<String>,
}
