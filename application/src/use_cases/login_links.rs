use std::sync::Arc;

use entracte_domain::time::Millis;

use super::{AuthenticateToken, AuthenticationError, CreateToken, IssuedToken, NewToken, UseCaseError};
use crate::ports::{
    AccessReach, AccessStore, Clock, IdGenerator, StoreError, TokenKind, TokenScope, TokenScopes,
};

/// What the link of a login is called in lists.
const LINK_NAME: &str = "login link";
/// What the login of a browser is called there.
const BROWSER_NAME: &str = "browser";

/// Makes the secret of a link that logs one browser in, once: as somebody who may do everything. Whoever can write the
/// database can make one, beside the server too.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # use secrecy::ExposeSecret;
/// # example(async {
/// let mut access = MockAccessStore::new();
/// access.expect_add_person().returning(Ok);
/// access.expect_add_token().returning(|_| Ok(()));
/// let offer = OfferLogin::new(Arc::new(access), Arc::new(SystemClock), Arc::new(RandomIds));
/// let link = offer.run("ann", Millis::minutes(10)).await?;
/// assert!(link.secret.expose_secret().starts_with("entr_"));
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// As [`CreateToken`]: dropped while it writes there may be a link that nobody has, which ends by itself.
pub struct CreateLoginLink {
    create: CreateToken,
    clock: Arc<dyn Clock>,
}

impl CreateLoginLink {
    /// Over these ports.
    pub fn new(access: Arc<dyn AccessStore>, clock: Arc<dyn Clock>, ids: Arc<dyn IdGenerator>) -> Self {
        Self { create: CreateToken::new(access, clock.clone(), ids), clock }
    }

    /// Makes it, as this person; it counts for so long.
    ///
    /// # Errors
    /// When the name cannot be one of a person, or the database cannot be used.
    pub async fn run(&self, person: &str, lasts: Millis) -> Result<IssuedToken, UseCaseError> {
        let link = NewToken {
            person: person.to_owned(),
            reach: AccessReach::Everywhere,
            kind: TokenKind::Link,
            name: LINK_NAME.to_owned(),
            scopes: TokenScopes::new([TokenScope::Admin]),
            embedded: None,
            expires_at: Some(self.clock.now().plus(lasts)),
            made_by: None,
        };
        self.create.run(link).await
    }
}

/// Why nobody was logged in.
#[derive(Debug, thiserror::Error)]
pub enum LoginLinkError {
    /// There is no such link, it was used, or its time is over.
    #[error("this link was used or has expired; ask for a new one")]
    Spent,
    /// The login could not be made.
    #[error(transparent)]
    Failed(#[from] UseCaseError),
}

impl From<StoreError> for LoginLinkError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

/// Logs a browser in with the secret of a link, which is used up.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # example(async {
/// let mut access = MockAccessStore::new();
/// access.expect_token().returning(|_| Ok(None));
/// let log_in = LogIn::new(Arc::new(access), Arc::new(SystemClock), Arc::new(RandomIds));
/// let guessed = log_in.run("entr_k1.guess", Millis::hours(1)).await;
/// assert!(matches!(guessed, Err(NoLogin::Spent)));
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// The link is spent in the commit that makes the login. Dropped before, the link counts as it did; dropped while it is
/// written, it may be spent for a login that nobody has, and a new one has to be offered. Nobody is logged in by a link twice.
pub struct RedeemLoginLink {
    access: Arc<dyn AccessStore>,
    authenticate: AuthenticateToken,
    create: CreateToken,
    clock: Arc<dyn Clock>,
}

impl RedeemLoginLink {
    /// Over these ports.
    pub fn new(access: Arc<dyn AccessStore>, clock: Arc<dyn Clock>, ids: Arc<dyn IdGenerator>) -> Self {
        Self {
            authenticate: AuthenticateToken::new(access.clone(), clock.clone()),
            create: CreateToken::new(access.clone(), clock.clone(), ids),
            access,
            clock,
        }
    }

    /// Logs in, for so long, with the rights of the link.
    ///
    /// # Errors
    /// See [`LoginLinkError`].
    pub async fn run(&self, secret: &str, lasts: Millis) -> Result<IssuedToken, LoginLinkError> {
        let (link, person) = match self.authenticate.run(TokenKind::Link, secret, None).await {
            Ok(found) => found,
            Err(
                AuthenticationError::Invalid | AuthenticationError::Expired | AuthenticationError::Revoked,
            ) => return Err(LoginLinkError::Spent),
            Err(AuthenticationError::Store(error)) => return Err(error.into()),
        };
        let now = self.clock.now();
        let login = NewToken {
            person: person.name,
            reach: link.reach,
            kind: TokenKind::Browser,
            name: BROWSER_NAME.to_owned(),
            scopes: link.scopes,
            embedded: None,
            expires_at: Some(now.plus(lasts)),
            made_by: link.made_by,
        };
        let made = self.create.generate_token(login).await?;
        // Of two browsers that come with it at once, one is logged in.
        match self.access.replace_token(&link.id, made.token.clone()).await? {
            true => Ok(made),
            false => Err(LoginLinkError::Spent),
        }
    }
}
