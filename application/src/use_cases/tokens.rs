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

/// The prefix of every token, so that leaked ones are recognised.
const PREFIX: &str = "entr_";
/// The minimum interval between two records of a token's use.
const NOTED_EVERY: Millis = Millis::minutes(1);

/// A new token. Its secret is not stored and cannot be shown again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct IssuedToken {
    /// The stored row.
    pub token: TokenRow,
    /// The owner of the token.
    pub person: Person,
    /// `entr_<id>.<secret>`.
    pub secret: SecretString,
    /// The proof that a browser sends beside its cookie.
    pub proof: Option<SecretString>,
}

use_case! {
    /// Creates a token.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # use secrecy::ExposeSecret;
    /// # example(async {
    /// let mut access = MockAccessStore::new();
    /// access.expect_add_person().returning(Ok);
    /// access.expect_add_token().returning(|_| Ok(()));
    /// let create = CreateToken::new(Arc::new(access), Arc::new(SystemClock), Arc::new(RandomIdGenerator));
    /// let made = create
    ///     .run(NewToken {
    ///         person: "ann".into(),
    ///         reach: AccessReach::Everywhere,
    ///         kind: TokenKind::Program,
    ///         name: "laptop".into(),
    ///         scopes: TokenScopes::new([TokenScope::Read]),
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
    /// If it is dropped during the write, the token is created or not, and its secret is lost: revoke it if it exists,
    /// and create another one.
    pub struct CreateToken over (
        pub(super) access: dyn AccessStore, pub(super) clock: dyn Clock, ids: dyn IdGenerator
    ) and (
        /// The issuer; `None` for the operator on the machine itself, who may create any token.
        maker: Option<TokenIssuer> = None
    )
}

impl CreateToken {
    /// Sets the issuer: only operators may create tokens for other people.
    #[must_use]
    pub fn with_issuer(self, maker: TokenIssuer) -> Self {
        Self { maker: Some(maker), ..self }
    }

    /// Creates the token and stores it.
    ///
    /// # Errors
    /// When it is for another person who did not consent and for whom the issuer may not act, it has no scopes, a name
    /// is invalid, it has expired already, or the database cannot be used.
    pub async fn run(&self, new: NewToken) -> Result<IssuedToken, UseCaseError> {
        let made = self.generate_token(new).await?;
        self.access.add_token(made.token.clone()).await?;
        Ok(made)
    }

    /// Generates a token without storing it; its person is stored.
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
            login_until: None,
        };
        let secret = SecretString::from(format!("{PREFIX}{}.{}", token.id, drawn.expose_secret()));
        Ok(IssuedToken { token, person, secret, proof })
    }
}

use_case! {
    /// Lists the tokens of a workspace, or of all workspaces: their scopes, never their secrets.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut access = MockAccessStore::new();
    /// access.expect_tokens().returning(|_| Ok(vec![]));
    /// assert!(ListTokens::new(Arc::new(access)).run(&AccessReach::Everywhere).await?.is_empty());
    /// # Ok(()) });
    /// ```
    pub struct ListTokens reads (access: dyn AccessStore)
}

impl ListTokens {
    /// The tokens, latest first, including revoked and expired ones; without relay tokens, which are managed
    /// automatically.
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
    /// Revokes a token; it authenticates no later request.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut access = MockAccessStore::new();
    /// access.expect_revoke().returning(|_, id, _| Ok(id == "k1"));
    /// let revoke = RevokeToken::new(Arc::new(access), Arc::new(SystemClock));
    /// assert!(revoke.run(&AccessReach::Everywhere, "k1").await.is_ok());
    /// assert!(matches!(revoke.run(&AccessReach::Everywhere, "k2").await, Err(UseCaseError::NotFound(_))));
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// If it is dropped during the write, the token is revoked or not; a repetition changes nothing.
    pub struct RevokeToken over (access: dyn AccessStore, clock: dyn Clock)
}

impl RevokeToken {
    /// Revokes the token; a repetition changes nothing.
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

/// Why a token did not authenticate. The error does not reveal which part of a secret was wrong.
#[derive(Debug, thiserror::Error)]
pub enum AuthenticationError {
    /// There is no such token, or its secret or its proof is wrong.
    #[error("{}", saying!("refusal-token-invalid"))]
    Invalid,
    /// The token expired.
    #[error("{}", saying!("refusal-token-expired"))]
    Expired,
    /// The token was revoked.
    #[error("{}", saying!("refusal-token-revoked"))]
    Revoked,
    /// The database cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

use_case! {
    /// Authenticates the sender of a token.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut access = MockAccessStore::new();
    /// access.expect_token().returning(|_| Ok(None));
    /// let authenticate = AuthenticateToken::new(Arc::new(access), Arc::new(SystemClock));
    /// let unknown = authenticate.run(TokenKind::Program, "entr_k1.guess", None).await;
    /// assert!(matches!(unknown, Err(AuthenticationError::Invalid)));
    /// # Ok(()) });
    /// ```
    pub struct AuthenticateToken reads (access: dyn AccessStore, clock: dyn Clock)
}

impl AuthenticateToken {
    /// Authenticates a token by its secret, and its proof if it has one; returns the valid token and its person. A
    /// program's token is not accepted from a browser, nor the other way round; a relay token is sent like a
    /// program's.
    ///
    /// # Errors
    /// Same as the variants of [`AuthenticationError`].
    pub async fn run(
        &self,
        kind: TokenKind,
        text: &str,
        proof: Option<&str>,
    ) -> Result<(TokenRow, Person), AuthenticationError> {
        let Some((id, secret)) = parse(text) else { return Err(AuthenticationError::Invalid) };
        let found = self.access.token(id).await?;
        // The same work for existing and missing ids.
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
        require_validity(&token, now)?;
        self.record_token_use(&token, now).await;
        Ok((token, person))
    }

    /// Records the use. A failure does not reject the token.
    async fn record_token_use(&self, token: &TokenRow, now: Timestamp) {
        if token.last_used.is_some_and(|at| now.since(at) < NOTED_EVERY) {
            return;
        }
        if let Err(error) = self.access.record_token_use(&token.id, now).await {
            tracing::debug!(token = token.id, %error, "the use of a token is not noted");
        }
    }
}

/// Refuses a token that was revoked or has expired.
pub(super) fn require_validity(token: &TokenRow, now: Timestamp) -> Result<(), AuthenticationError> {
    if token.revoked_at.is_some() {
        return Err(AuthenticationError::Revoked);
    }
    match token.expires_at.is_some_and(|at| at <= now) {
        true => Err(AuthenticationError::Expired),
        false => Ok(()),
    }
}

/// How a token of this kind is sent.
const fn sent_as(kind: TokenKind) -> TokenKind {
    match kind {
        TokenKind::Program | TokenKind::Relay => TokenKind::Program,
        TokenKind::Browser => TokenKind::Browser,
        TokenKind::Link => TokenKind::Link,
        TokenKind::Invitation => TokenKind::Invitation,
    }
}

/// Splits a token's text into id and secret.
fn parse(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix(PREFIX)?.split_once('.').filter(|(id, secret)| !id.is_empty() && !secret.is_empty())
}

fn hash(secret: &str) -> Digest {
    sha256(secret.as_bytes())
}

/// Compares in constant time.
fn digests_equal(one: &Digest, other: &Digest) -> bool {
    one.as_str().as_bytes().ct_eq(other.as_str().as_bytes()).into()
}
