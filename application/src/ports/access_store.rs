//! Who may use the server: people, and the tokens that prove who they are.

use async_trait::async_trait;
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;
use entracte_domain::validation::authored_by;

use super::{ReceiptRow, StoreError};

/// How far somebody's rights go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessReach {
    /// One workspace, and nothing of any other.
    Workspace(WorkspaceKey),
    /// Every workspace of the database: its operator.
    Everywhere,
}

impl AccessReach {
    /// Whether a workspace is in it.
    pub fn covers(&self, workspace: &WorkspaceKey) -> bool {
        match self {
            Self::Workspace(own) => own == workspace,
            Self::Everywhere => true,
        }
    }

    /// As it is stored: the key of the workspace, or `*`, which is no key.
    pub fn word(&self) -> &str {
        match self {
            Self::Workspace(key) => key.as_str(),
            Self::Everywhere => "*",
        }
    }

    /// Of the stored word.
    pub fn from_word(word: &str) -> Self {
        if word == "*" { Self::Everywhere } else { Self::Workspace(WorkspaceKey::new(word)) }
    }
}

/// Somebody who uses the server. Their name is the author of all that they do, so it is one person's in its reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// `per_…`.
    pub id: String,
    /// Where they are known.
    pub reach: AccessReach,
    /// The author of what they do.
    pub name: String,
    /// When they were added.
    pub created_at: Timestamp,
    /// When all rights were taken from them. Whoever is added under their name afterwards is somebody else.
    pub removed_at: Option<Timestamp>,
}

entracte_domain::words! {
    /// What a token is for.
    pub enum TokenKind {
        /// A program sends it with every request.
        Program = "program",
        /// A browser keeps it as a cookie, beside a proof that other ports of the machine do not get.
        Browser = "browser",
        /// A link has it, which logs one browser in, once. No request is made with it.
        Link = "link",
        /// An invitation: its person exchanges it for a token with these rights, once. No request is made with it.
        Invitation = "invitation",
        /// Another process of the same database has it, to hear in one session what models say. It opens that stream, for minutes,
        /// and nothing else.
        Relay = "relay",
    }
}

entracte_domain::words! {
    /// One kind of right.
    #[derive(PartialOrd, Ord)]
    pub enum TokenScope {
        /// See everything.
        Read = "read",
        /// Talk: sessions, messages, answers, automations, queries.
        Chat = "chat",
        /// Decide: approvals, unknown outcomes, standing approvals.
        Approve = "approve",
        /// All of it, and settings, tokens and deletion.
        Admin = "admin",
        /// Keep and remove secrets of one's own.
        Secret = "secret",
    }
}

/// The rights of a token: what it names, and no more; `admin` is all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenScopes(Vec<TokenScope>);

impl TokenScopes {
    /// Of these, each once.
    pub fn new(scopes: impl IntoIterator<Item = TokenScope>) -> Self {
        let mut scopes: Vec<TokenScope> = scopes.into_iter().collect();
        scopes.sort();
        scopes.dedup();
        Self(scopes)
    }

    /// Whether they allow what needs `wanted`.
    pub fn allow(&self, wanted: TokenScope) -> bool {
        self.0.contains(&wanted) || self.0.contains(&TokenScope::Admin)
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = TokenScope> {
        self.0.iter().copied()
    }

    /// As they are stored: words with spaces between them.
    pub fn words(&self) -> String {
        self.0.iter().map(|scope| scope.word()).collect::<Vec<_>>().join(" ")
    }

    /// Of the stored words; a word of a later version gives no right.
    pub fn from_words(words: &str) -> Self {
        Self::new(words.split(' ').filter_map(TokenScope::from_word))
    }
}

/// What a token is held to that stands in a page of another site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbedRestriction {
    /// The one session that it is of.
    pub session: SessionId,
    /// The origins whose pages may send it: `https://shop.example`.
    pub origins: Vec<String>,
}

impl EmbedRestriction {
    /// Its origins as they are stored: with spaces between them.
    pub fn words(&self) -> String {
        self.origins.join(" ")
    }

    /// Of what is stored.
    pub fn from_words(session: String, origins: &str) -> Self {
        let origins = origins.split(' ').filter(|origin| !origin.is_empty());
        Self { session: SessionId::new(session), origins: origins.map(str::to_owned).collect() }
    }
}

/// A token as it is stored: never its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRow {
    /// What stands between `entr_` and the point.
    pub id: String,
    /// Whose it is: [`Person::id`].
    pub person: String,
    /// How far its rights go.
    pub reach: AccessReach,
    /// What it is for.
    pub kind: TokenKind,
    /// What somebody called it.
    pub name: String,
    /// SHA-256 of its secret.
    pub hash: Digest,
    /// SHA-256 of the proof that a browser sends beside its cookie.
    pub proof: Option<Digest>,
    /// What it allows.
    pub scopes: TokenScopes,
    /// What it is held to, where it stands in a page of another site.
    pub embedded: Option<EmbedRestriction>,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it counts no more; none: never.
    pub expires_at: Option<Timestamp>,
    /// When somebody revoked it.
    pub revoked_at: Option<Timestamp>,
    /// When it was used last, to the minute.
    pub last_used: Option<Timestamp>,
    /// The author who made it for somebody else; none where it was made on the machine, or by its own person.
    pub made_by: Option<String>,
}

impl TokenRow {
    /// The author of what its person does with it.
    pub fn author(&self, person: &Person) -> String {
        authored_by(&person.name, self.made_by.as_deref())
    }
}

/// Keeps people and tokens. Any process may write them, also beside the owner: nothing of a session depends on them.
///
/// ```
/// use std::sync::Arc;
///
/// use entracte_application::ports::{AccessStore, Reach, StoreError};
/// use entracte_domain::id::WorkspaceKey;
///
/// /// How many tokens of a workspace nobody revoked.
/// async fn open(access: Arc<dyn AccessStore>, workspace: WorkspaceKey) -> Result<usize, StoreError> {
///     let tokens = access.tokens(&Reach::Workspace(workspace)).await?;
///     Ok(tokens.iter().filter(|(token, _)| token.revoked_at.is_none()).count())
/// }
/// ```
///
/// # Errors
/// [`StoreError::Unavailable`] when the store cannot be used now, [`StoreError::Inconsistent`] when a row of it
/// cannot be read or what is to be kept breaks a rule of it. What is not there is no error: it is none, an empty
/// list, `false` or 0. What writes has written nothing then, unless a server was lost in the middle of it: asked
/// again, it finds what is there already ([`exchange`](Self::exchange) then says that somebody else did it: a link too few,
/// never one too many).
///
/// # Cancel safety
/// A method that writes and is dropped has written all of it or nothing; readings leave nothing behind.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait AccessStore: Send + Sync {
    /// Adds a person; where somebody of that name is known in the same reach already, gives that one and adds nobody. Where
    /// that one was removed, it adds somebody else, whose name has a number: `eve (2)`.
    async fn add_person(&self, person: Person) -> Result<Person, StoreError>;

    /// Notes that all rights were taken from a person; the first time stands.
    async fn remove_person(&self, id: &str, at: Timestamp) -> Result<(), StoreError>;

    /// The people of exactly this reach, by name; those of everywhere are nobody's but the operator's to list.
    async fn people(&self, reach: &AccessReach) -> Result<Vec<Person>, StoreError>;

    /// Adds a token of a person who is there. One of that id that is there already stays as it is. With one of a relay, those of
    /// relays whose time was over when it was made go.
    async fn add_token(&self, token: TokenRow) -> Result<(), StoreError>;

    /// Adds a token as [`AccessStore::add_token`] does, with a receipt in a workspace; receipts that were made there before
    /// `before` are forgotten with it. Where one is kept under that key, it gives that one and adds nothing.
    async fn add_token_once(
        &self,
        token: TokenRow,
        receipt: (WorkspaceKey, ReceiptRow),
        before: Timestamp,
    ) -> Result<Option<ReceiptRow>, StoreError>;

    /// The token of an id and whose it is, revoked and expired ones too: who proves it by its secret is asked next.
    async fn token(&self, id: &str) -> Result<Option<(TokenRow, Person)>, StoreError>;

    /// The tokens of a workspace, or all of them, the latest first.
    async fn tokens(&self, reach: &AccessReach) -> Result<Vec<(TokenRow, Person)>, StoreError>;

    /// Revokes a token of a workspace, or of everywhere any; gives whether there is one. The first revocation stands.
    async fn revoke(&self, reach: &AccessReach, id: &str, at: Timestamp) -> Result<bool, StoreError>;

    /// Puts a token of a person who is there in the place of one that counts until now, whoever asks: that one is revoked when
    /// the new one was made, and both are written or neither is. Gives whether it did; of several who ask at once, one is told
    /// so.
    async fn replace_token(&self, id: &str, token: TokenRow) -> Result<bool, StoreError>;

    /// Notes that a token was used.
    async fn record_token_use(&self, id: &str, at: Timestamp) -> Result<(), StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn admin_allows_all_and_another_scope_only_itself() {
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
    fn a_reach_is_read_back_and_covers_its_own() {
        let home = WorkspaceKey::new("ann:home");
        for reach in [AccessReach::Everywhere, AccessReach::Workspace(home.clone())] {
            assert_eq!(AccessReach::from_word(reach.word()), reach);
            assert!(reach.covers(&home));
        }
        assert!(!AccessReach::Workspace(home).covers(&WorkspaceKey::new("eve:other")));
    }
}
