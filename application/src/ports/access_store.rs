//! Access to the server: people, and the tokens that authenticate them.

use async_trait::async_trait;
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;
use entracte_domain::validation::authored_by;

use super::{ReceiptRow, StoreError};

/// The workspaces in which a person or token has rights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessReach {
    /// This workspace only.
    Workspace(WorkspaceKey),
    /// Every workspace of the database; the reach of its operator.
    Everywhere,
}

impl AccessReach {
    /// Whether this reach includes `workspace`.
    pub fn covers(&self, workspace: &WorkspaceKey) -> bool {
        match self {
            Self::Workspace(own) => own == workspace,
            Self::Everywhere => true,
        }
    }

    /// The stored form: the key of the workspace, or `*`, which is not a valid key.
    pub fn word(&self) -> &str {
        match self {
            Self::Workspace(key) => key.as_str(),
            Self::Everywhere => "*",
        }
    }

    /// Parses the stored form.
    pub fn from_word(word: &str) -> Self {
        if word == "*" { Self::Everywhere } else { Self::Workspace(WorkspaceKey::new(word)) }
    }
}

/// A user of the server. The name is the author of all their actions, so it is unique within the reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// `per_…`.
    pub id: String,
    /// The workspaces this person is known in.
    pub reach: AccessReach,
    /// The author recorded for their actions.
    pub name: String,
    /// When the person was added.
    pub created_at: Timestamp,
    /// When all their rights were removed. A person added later under the same name is a different person.
    pub removed_at: Option<Timestamp>,
}

entracte_domain::words! {
    /// How a token is used.
    pub enum TokenKind {
        /// A program sends it with every request.
        Program = "program",
        /// A browser stores it as a cookie, beside a proof that other ports of the machine do not receive.
        Browser = "browser",
        /// A link contains it and logs one browser in, once. It authenticates no other request.
        Link = "link",
        /// An invitation: its person exchanges it once for a token with these rights. It authenticates no other
        /// request.
        Invitation = "invitation",
        /// Another process of the same database uses it to receive live model text of one session. It opens only that
        /// stream and expires after minutes.
        Relay = "relay",
    }
}

entracte_domain::words! {
    /// One kind of right of a token.
    #[derive(PartialOrd, Ord)]
    pub enum TokenScope {
        /// Read everything.
        Read = "read",
        /// Chat: sessions, messages, answers, automations, queries.
        Chat = "chat",
        /// Decide: approvals, unknown outcomes, standing approvals.
        Approve = "approve",
        /// All other scopes, plus settings, tokens and deletion.
        Admin = "admin",
        /// Store and remove one's own secrets.
        Secret = "secret",
    }
}

/// The scopes of a token: exactly the listed ones; `admin` includes all others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenScopes(Vec<TokenScope>);

impl TokenScopes {
    /// Collects the scopes, without duplicates.
    pub fn new(scopes: impl IntoIterator<Item = TokenScope>) -> Self {
        let mut scopes: Vec<TokenScope> = scopes.into_iter().collect();
        scopes.sort();
        scopes.dedup();
        Self(scopes)
    }

    /// Whether these scopes allow an operation that requires `wanted`.
    pub fn allow(&self, wanted: TokenScope) -> bool {
        self.0.contains(&wanted) || self.0.contains(&TokenScope::Admin)
    }

    /// Iterates over the listed scopes.
    pub fn iter(&self) -> impl Iterator<Item = TokenScope> {
        self.0.iter().copied()
    }

    /// The stored form: scope words separated by spaces.
    pub fn words(&self) -> String {
        self.0.iter().map(|scope| scope.word()).collect::<Vec<_>>().join(" ")
    }

    /// Parses the stored form; a word of a later version gives no right.
    pub fn from_words(words: &str) -> Self {
        Self::new(words.split(' ').filter_map(TokenScope::from_word))
    }
}

/// Limits of a token that is embedded in a page of another site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbedRestriction {
    /// The only session the token can access.
    pub session: SessionId,
    /// The origins whose pages may send the token, e.g. `https://shop.example`.
    pub origins: Vec<String>,
}

impl EmbedRestriction {
    /// The stored form of the origins, separated by spaces.
    pub fn words(&self) -> String {
        self.origins.join(" ")
    }

    /// Builds the restriction from its stored parts.
    pub fn from_words(session: String, origins: &str) -> Self {
        let origins = origins.split(' ').filter(|origin| !origin.is_empty());
        Self { session: SessionId::new(session), origins: origins.map(str::to_owned).collect() }
    }
}

/// The stored row of a token; it never contains the secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRow {
    /// The part of the token between `entr_` and the period.
    pub id: String,
    /// The owner of the token: [`Person::id`].
    pub person: String,
    /// The workspaces its rights apply to.
    pub reach: AccessReach,
    /// How the token is used.
    pub kind: TokenKind,
    /// The name its creator gave it.
    pub name: String,
    /// SHA-256 of the secret.
    pub hash: Digest,
    /// SHA-256 of the proof that a browser sends beside its cookie.
    pub proof: Option<Digest>,
    /// The operations it allows.
    pub scopes: TokenScopes,
    /// The limits of a token embedded in a page of another site; `None` for all others.
    pub embedded: Option<EmbedRestriction>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires; `None` means never.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// When it was last used, to the minute.
    pub last_used: Option<Timestamp>,
    /// The author who created it for another person; `None` if it was created on the machine or by its own person.
    pub made_by: Option<String>,
    /// When a login that this link makes expires at the latest: with the login that the link was made from. `None` for
    /// links of the machine, and for all other tokens.
    pub login_until: Option<Timestamp>,
}

impl TokenRow {
    /// The author recorded for what `person` does with this token.
    pub fn author(&self, person: &Person) -> String {
        authored_by(&person.name, self.made_by.as_deref())
    }
}

/// The most stream tickets of one token; a new one replaces the oldest.
pub const STREAM_TICKETS_MAX: usize = 32;

/// The stored row of a ticket, which opens one stream as its token, for clients that can send no header; it never
/// contains the secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamTicketRow {
    /// SHA-256 of the secret.
    pub hash: Digest,
    /// The id of the token it stands for.
    pub token: String,
    /// The path of the stream, without a base path and a query.
    pub path: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// Stores people and tokens. Any process may write them, also beside the owner: session state does not depend on them.
///
/// ```
/// use std::sync::Arc;
///
/// use entracte_application::ports::{AccessReach, AccessStore, StoreError};
/// use entracte_domain::id::WorkspaceKey;
///
/// /// Counts the unrevoked tokens of a workspace.
/// async fn open(access: Arc<dyn AccessStore>, workspace: WorkspaceKey) -> Result<usize, StoreError> {
///     let tokens = access.tokens(&AccessReach::Workspace(workspace)).await?;
///     Ok(tokens.iter().filter(|(token, _)| token.revoked_at.is_none()).count())
/// }
/// ```
///
/// # Errors
/// [`StoreError::Unavailable`] when the store cannot be used now, [`StoreError::Inconsistent`] when a row cannot be
/// read or a value to be stored breaks a constraint. A missing row is not an error: the result is `None`, an empty
/// list, `false` or 0. A failed write has written nothing, unless a server was lost during it: a retry then finds the
/// existing rows ([`replace_token`](Self::replace_token) then reports that another caller replaced it: one link too
/// few, never one too many).
///
/// # Cancel safety
/// A write whose future is dropped has written everything or nothing; reads leave nothing behind.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait AccessStore: Send + Sync {
    /// Adds a person. If an active person of that name exists in the same reach, returns that one and adds nothing. If
    /// the existing person was removed, the new one gets a numbered name: `eve (2)`.
    async fn add_person(&self, person: Person) -> Result<Person, StoreError>;

    /// Records that all rights of a person were removed; the first removal time is preserved.
    async fn remove_person(&self, id: &str, at: Timestamp) -> Result<(), StoreError>;

    /// The people of exactly this reach, by name; only the operator may list those of every workspace.
    async fn people(&self, reach: &AccessReach) -> Result<Vec<Person>, StoreError>;

    /// Adds a token of an existing person. An existing token of the same id stays unchanged. Adding a relay token also
    /// deletes the relay tokens that had expired when it was created.
    async fn add_token(&self, token: TokenRow) -> Result<(), StoreError>;

    /// Adds a token like [`AccessStore::add_token`], with a receipt in a workspace, and deletes receipts created there
    /// before `before`. If a receipt exists under that key, returns it and adds nothing.
    async fn add_token_once(
        &self,
        token: TokenRow,
        workspace: WorkspaceKey,
        receipt: ReceiptRow,
        before: Timestamp,
    ) -> Result<Option<ReceiptRow>, StoreError>;

    /// The token of an id and its person, including revoked and expired tokens: the caller verifies the secret next.
    async fn token(&self, id: &str) -> Result<Option<(TokenRow, Person)>, StoreError>;

    /// The tokens of a workspace, or all of them, latest first.
    async fn tokens(&self, reach: &AccessReach) -> Result<Vec<(TokenRow, Person)>, StoreError>;

    /// Revokes a token of a workspace, or any token if the reach is every workspace; returns whether it exists. The
    /// first revocation time is preserved.
    async fn revoke(&self, reach: &AccessReach, id: &str, at: Timestamp) -> Result<bool, StoreError>;

    /// Atomically replaces a valid token by a new token of an existing person: the old one is revoked at the creation
    /// time of the new one, and both changes are written or neither. Returns whether it did; of several concurrent
    /// callers exactly one gets `true`.
    async fn replace_token(&self, id: &str, token: TokenRow) -> Result<bool, StoreError>;

    /// Records that a token was used at `at`.
    async fn record_token_use(&self, id: &str, at: Timestamp) -> Result<(), StoreError>;

    /// Adds a stream ticket of an existing token. Deletes the tickets that had expired when it was created, and the
    /// oldest ones of the token beyond [`STREAM_TICKETS_MAX`].
    async fn add_stream_ticket(&self, ticket: StreamTicketRow) -> Result<(), StoreError>;

    /// The stream ticket of a hash, also if it has expired: the caller checks the time, the path and the token.
    async fn stream_ticket(&self, hash: &Digest) -> Result<Option<StreamTicketRow>, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn admin_allows_all_other_scopes_only_themselves() {
        let admin = TokenScopes::new([TokenScope::Admin]);
        assert!(TokenScope::ALL.into_iter().all(|scope| admin.allow(scope)));
        let approve = TokenScopes::from_words("approve");
        let allowed: Vec<TokenScope> =
            TokenScope::ALL.into_iter().filter(|scope| approve.allow(*scope)).collect();
        assert_eq!(allowed, vec![TokenScope::Approve]);
        assert_eq!(TokenScopes::from_words("chat read chat").words(), "read chat");
        assert_eq!(TokenScopes::from_words("everything"), TokenScopes::default());
    }

    #[test]
    fn reach_round_trips_and_covers_its_workspace() {
        let home = WorkspaceKey::new("ann:home");
        for reach in [AccessReach::Everywhere, AccessReach::Workspace(home.clone())] {
            assert_eq!(AccessReach::from_word(reach.word()), reach);
            assert!(reach.covers(&home));
        }
        assert!(!AccessReach::Workspace(home).covers(&WorkspaceKey::new("eve:other")));
    }
}
