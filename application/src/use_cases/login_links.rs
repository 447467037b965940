use std::sync::Arc;

use entracte_domain::time::{Millis, Timestamp};

use super::{AuthenticateToken, AuthenticationError, CreateToken, IssuedToken, NewToken, UseCaseError};
use crate::ports::{
    AccessReach, AccessStore, Clock, IdGenerator, Person, StoreError, TokenKind, TokenRow, TokenScope,
    TokenScopes,
};
use crate::texts::saying;

/// The name of a login link in token lists.
const LINK_NAME: &str = "login link";
/// The name of a browser login in token lists.
const BROWSER_NAME: &str = "browser";

/// Creates the secret of a link that logs one browser in, once, with all rights. Any process that can write the
/// database can create one, also beside the server.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # use secrecy::ExposeSecret;
/// # example(async {
/// let mut access = MockAccessStore::new();
/// access.expect_add_person().returning(Ok);
/// access.expect_add_token().returning(|_| Ok(()));
/// let offer = CreateLoginLink::new(Arc::new(access), Arc::new(SystemClock), Arc::new(RandomIdGenerator));
/// let link = offer.run("ann", Millis::minutes(10)).await?;
/// assert!(link.secret.expose_secret().starts_with("entr_"));
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// Same as [`CreateToken`]: if it is dropped during the write, a link may remain whose secret is lost; it expires by
/// itself.
pub struct CreateLoginLink {
    create: CreateToken,
    clock: Arc<dyn Clock>,
}

impl CreateLoginLink {
    /// Creates the use case over these ports.
    pub fn new(access: Arc<dyn AccessStore>, clock: Arc<dyn Clock>, ids: Arc<dyn IdGenerator>) -> Self {
        Self { create: CreateToken::new(access, clock.clone(), ids), clock }
    }

    /// Creates a link for this person; it is valid for this long.
    ///
    /// # Errors
    /// When the name is invalid, or the database cannot be used.
    pub async fn run(&self, person: &str, lasts: Millis) -> Result<IssuedToken, UseCaseError> {
        let scopes = TokenScopes::new([TokenScope::Admin]);
        let link =
            NewToken { person: person.to_owned(), ..self.link(AccessReach::Everywhere, scopes, lasts) };
        self.create.run(link).await
    }

    /// Creates a link for the person of a login, with its rights and nothing more; it is valid for this long. The link
    /// and the logins made from it end with that login at the latest. Their acts count as acts of that login.
    ///
    /// # Errors
    /// When the database cannot be used.
    pub async fn run_as(
        &self,
        login: &TokenRow,
        person: &Person,
        lasts: Millis,
    ) -> Result<IssuedToken, UseCaseError> {
        let link = self.link(login.reach.clone(), login.scopes.clone(), lasts);
        let link = NewToken {
            person: person.name.clone(),
            made_by: login.made_by.clone(),
            expires_at: earliest(link.expires_at, login.expires_at),
            ..link
        };
        let mut made = self.create.generate_token(link).await?;
        made.token.login_until = login.expires_at;
        self.create.access.add_token(made.token.clone()).await?;
        Ok(made)
    }

    /// A link without its person.
    fn link(&self, reach: AccessReach, scopes: TokenScopes, lasts: Millis) -> NewToken {
        NewToken {
            person: String::new(),
            reach,
            kind: TokenKind::Link,
            name: LINK_NAME.to_owned(),
            scopes,
            embedded: None,
            expires_at: Some(self.clock.now().plus(lasts)),
            made_by: None,
        }
    }
}

/// The earlier of two ends, of which `None` never comes.
fn earliest(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    one.into_iter().chain(other).min()
}

/// Why a login failed.
#[derive(Debug, thiserror::Error)]
pub enum LoginLinkError {
    /// There is no such link, it was used, or it expired.
    #[error("{}", saying!("refusal-login-link"))]
    Spent,
    /// The login could not be created.
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
/// let log_in = RedeemLoginLink::new(Arc::new(access), Arc::new(SystemClock), Arc::new(RandomIdGenerator));
/// let guessed = log_in.run("entr_k1.guess", Millis::hours(1)).await;
/// assert!(matches!(guessed, Err(LoginLinkError::Spent)));
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// The commit that creates the login uses up the link. If the future is dropped before it, the link stays valid;
/// during the write, the link may be used up for a login whose secret is lost, and a new link must be created. A link
/// never logs in twice.
pub struct RedeemLoginLink {
    access: Arc<dyn AccessStore>,
    authenticate: AuthenticateToken,
    create: CreateToken,
    clock: Arc<dyn Clock>,
}

impl RedeemLoginLink {
    /// Creates the use case over these ports.
    pub fn new(access: Arc<dyn AccessStore>, clock: Arc<dyn Clock>, ids: Arc<dyn IdGenerator>) -> Self {
        Self {
            authenticate: AuthenticateToken::new(access.clone(), clock.clone()),
            create: CreateToken::new(access.clone(), clock.clone(), ids),
            access,
            clock,
        }
    }

    /// Logs in for this long, with the rights of the link, but not beyond the login that it was made from.
    ///
    /// # Errors
    /// Same as the variants of [`LoginLinkError`].
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
            expires_at: earliest(Some(now.plus(lasts)), link.login_until),
            made_by: link.made_by,
        };
        let made = self.create.generate_token(login).await?;
        // Of two concurrent browsers with the same link, one is logged in.
        match self.access.replace_token(&link.id, made.token.clone()).await? {
            true => Ok(made),
            false => Err(LoginLinkError::Spent),
        }
    }
}
