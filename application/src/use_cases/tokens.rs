use std::sync::Arc;

use entracte_domain::id::Digest;
use entracte_domain::time::{Millis, Timestamp};
use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;

use super::token_validation::{check, check_new_person};
use super::{NewToken, TokenIssuer, UseCaseError};
use crate::ports::{AccessReach, AccessStore, Clock, IdGenerator, Person, StoreError, TokenKind, TokenRow};
use crate::system::sha256;
use crate::texts::saying;

/// What every token begins with, so that one that leaked is recognised.
const PREFIX: &str = "entr_";
/// The use of a token is noted at most this often.
const NOTED_EVERY: Millis = Millis::minutes(1);

/// A token that was made. Its secret is nowhere else, and cannot be shown again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct IssuedToken {
    /// As it is stored.
    pub token: TokenRow,
    /// Whose it is.
    pub person: Person,
    /// `entr_<id>.<secret>`.
    pub secret: SecretString,
    /// What a browser sends beside its cookie.
    pub proof: Option<SecretString>,
}

use_case! {
    /// Makes a token.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # use secrecy::ExposeSecret;
    /// # example(async {
    /// let mut access = MockAccessStore::new();
    /// access.expect_add_person().returning(Ok);
    /// access.expect_add_token().returning(|_| Ok(()));
    /// let create = CreateToken::new(Arc::new(access), Arc::new(SystemClock), Arc::new(RandomIds));
    /// let made = create
    ///     .run(NewToken {
    ///         person: "ann".into(),
    ///         reach: Reach::Everywhere,
    ///         kind: TokenKind::Program,
    ///         name: "laptop".into(),
    ///         scopes: Scopes::new([Scope::Read]),
    ///         embedded: None,
    ///         expires_at: None,
    ///         made_by: None,
    ///     })
    ///     .await?;
    /// assert!(made.secret.expose_secret().starts_with("entr_"));
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// Dropped while it writes, the token is there or not, and its secret is gone with the future: revoke it where it is,
    /// and make another one.
    pub struct CreateToken over (
        pub(super) access: dyn AccessStore, pub(super) clock: dyn Clock, ids: dyn IdGenerator
    ) and (
        /// Who has it made; none on the machine itself, where the operator may do all.
        maker: Option<TokenIssuer> = None
    )
}

impl CreateToken {
    /// For somebody who asks for it with a token of their own: for another person they need to be an operator.
    #[must_use]
    pub fn with_issuer(self, maker: TokenIssuer) -> Self {
        Self { maker: Some(maker), ..self }
    }

    /// Makes it.
    ///
    /// # Errors
    /// When it is of another person, who did not consent and whom the maker may not speak for, it would allow nothing, a name is not valid, it would be expired already, or the database cannot be used.
    pub async fn run(&self, new: NewToken) -> Result<IssuedToken, UseCaseError> {
        let made = self.generate_token(new).await?;
        self.access.add_token(made.token.clone()).await?;
        Ok(made)
    }

    /// One that is not stored yet; its person is.
    pub(super) async fn generate_token(&self, new: NewToken) -> Result<IssuedToken, UseCaseError> {
        let now = self.clock.now();
        check(&new, now)?;
        let made_by = match &self.maker {
            Some(maker) => maker.resolve_issuer(&*self.access, &new).await?,
            None => new.made_by,
        };
        check_new_person(&*self.access, &new.reach, &new.person).await?;
        let person = Person {
            id: format!("per_{}", self.ids.key()),
            reach: new.reach.clone(),
            name: new.person,
            created_at: now,
            removed_at: None,
        };
        let person = self.access.add_person(person).await?;
        let (id, drawn) = (self.ids.key(), SecretString::from(self.ids.secret()));
        let proof = match new.kind {
            TokenKind::Browser => Some(SecretString::from(self.ids.secret())),
            TokenKind::Program | TokenKind::Link | TokenKind::Invitation | TokenKind::Relay => None,
        };
        let token = TokenRow {
            id,
            person: person.id.clone(),
            reach: new.reach,
            kind: new.kind,
            name: new.name,
            hash: hash(drawn.expose_secret()),
            proof: proof.as_ref().map(|proof| hash(proof.expose_secret())),
            scopes: new.scopes,
            embedded: new.embedded,
            created_at: now,
            expires_at: new.expires_at,
            revoked_at: None,
            last_used: None,
            made_by,
        };
        let secret = SecretString::from(format!("{PREFIX}{}.{}", token.id, drawn.expose_secret()));
        Ok(IssuedToken { token, person, secret, proof })
    }
}

use_case! {
    /// Lists the tokens of a workspace, or of all of them: what they allow, never their secrets.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut access = MockAccessStore::new();
    /// access.expect_tokens().returning(|_| Ok(vec![]));
    /// assert!(ListTokens::new(Arc::new(access)).run(&Reach::Everywhere).await?.is_empty());
    /// # Ok(()) });
    /// ```
    pub struct ListTokens reads (access: dyn AccessStore)
}

impl ListTokens {
    /// The latest first, revoked and expired ones too; without those of relays, which come and go by themselves.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn run(&self, reach: &AccessReach) -> Result<Vec<(TokenRow, Person)>, UseCaseError> {
        let all = self.access.tokens(reach).await?;
        Ok(all.into_iter().filter(|(token, _)| token.kind != TokenKind::Relay).collect())
    }

    /// The people of exactly this reach, by name.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn people(&self, reach: &AccessReach) -> Result<Vec<Person>, UseCaseError> {
        Ok(self.access.people(reach).await?)
    }
}

use_case! {
    /// Revokes a token. It counts for no request that comes afterwards.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut access = MockAccessStore::new();
    /// access.expect_revoke().returning(|_, id, _| Ok(id == "k1"));
    /// let revoke = RevokeToken::new(Arc::new(access), Arc::new(SystemClock));
    /// assert!(revoke.run(&Reach::Everywhere, "k1").await.is_ok());
    /// assert!(matches!(revoke.run(&Reach::Everywhere, "k2").await, Err(UseCaseError::NotFound(_))));
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// Dropped while it writes, the token is revoked or not; once more changes nothing.
    pub struct RevokeToken over (access: dyn AccessStore, clock: dyn Clock)
}

impl RevokeToken {
    /// Revokes it; once more changes nothing.
    ///
    /// # Errors
    /// When the reach includes no such token, or the database cannot be used.
    pub async fn run(&self, reach: &AccessReach, id: &str) -> Result<(), UseCaseError> {
        if self.access.revoke(reach, id, self.clock.now()).await? {
            return Ok(());
        }
        let named = crate::terminal_text::one_line(id);
        Err(UseCaseError::NotFound(saying!("request-no-token", token = named).into()))
    }
}

/// Why somebody is not who they say. What exactly was wrong with a secret is told nobody.
#[derive(Debug, thiserror::Error)]
pub enum AuthenticationError {
    /// There is no such token, or its secret or its proof is another one.
    #[error("the token is not valid; make one")]
    Invalid,
    /// It was right until its time was over.
    #[error("the token has expired; make a new one")]
    Expired,
    /// Somebody revoked it.
    #[error("the token was revoked; make a new one")]
    Revoked,
    /// The database cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

use_case! {
    /// Finds out who sends a token.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut access = MockAccessStore::new();
    /// access.expect_token().returning(|_| Ok(None));
    /// let authenticate = Authenticate::new(Arc::new(access), Arc::new(SystemClock));
    /// let unknown = authenticate.run(TokenKind::Program, "entr_k1.guess", None).await;
    /// assert!(matches!(unknown, Err(Unproven::Invalid)));
    /// # Ok(()) });
    /// ```
    pub struct AuthenticateToken reads (access: dyn AccessStore, clock: dyn Clock)
}

impl AuthenticateToken {
    /// The token of this text, when its secret is right, and its proof where it has one, and it still counts; and whose it
    /// is. A program's token is none of a browser, nor the other way round; that of a relay is sent as a program's.
    ///
    /// # Errors
    /// See [`AuthenticationError`].
    pub async fn run(
        &self,
        kind: TokenKind,
        text: &str,
        proof: Option<&str>,
    ) -> Result<(TokenRow, Person), AuthenticationError> {
        let Some((id, secret)) = parse(text) else { return Err(AuthenticationError::Invalid) };
        let found = self.access.token(id).await?;
        // The same work for an id that is there and for one that is not.
        let (hashed, nothing) = (hash(secret), Digest::new(String::new()));
        let is_right = digests_equal(&hashed, found.as_ref().map_or(&nothing, |(token, _)| &token.hash));
        let Some((token, person)) = found.filter(|(token, _)| is_right && sent_as(token.kind) == kind) else {
            return Err(AuthenticationError::Invalid);
        };
        if let Some(expected) = &token.proof
            && !proof.is_some_and(|proof| digests_equal(&hash(proof), expected))
        {
            return Err(AuthenticationError::Invalid);
        }
        let now = self.clock.now();
        if token.revoked_at.is_some() {
            return Err(AuthenticationError::Revoked);
        }
        if token.expires_at.is_some_and(|at| at <= now) {
            return Err(AuthenticationError::Expired);
        }
        self.record_token_use(&token, now).await;
        Ok((token, person))
    }

    /// That it cannot be noted keeps nobody out.
    async fn record_token_use(&self, token: &TokenRow, now: Timestamp) {
        if token.last_used.is_some_and(|at| now.since(at) < NOTED_EVERY) {
            return;
        }
        if let Err(error) = self.access.record_token_use(&token.id, now).await {
            tracing::debug!(token = token.id, %error, "the use of a token is not noted");
        }
    }
}

/// How a token of a kind is sent.
const fn sent_as(kind: TokenKind) -> TokenKind {
    match kind {
        TokenKind::Program | TokenKind::Relay => TokenKind::Program,
        TokenKind::Browser => TokenKind::Browser,
        TokenKind::Link => TokenKind::Link,
        TokenKind::Invitation => TokenKind::Invitation,
    }
}

/// Id and secret of a token's text.
fn parse(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix(PREFIX)?.split_once('.').filter(|(id, secret)| !id.is_empty() && !secret.is_empty())
}

fn hash(secret: &str) -> Digest {
    sha256(secret.as_bytes())
}

/// In the same time wherever they differ.
fn digests_equal(one: &Digest, other: &Digest) -> bool {
    one.as_str().as_bytes().ct_eq(other.as_str().as_bytes()).into()
}
