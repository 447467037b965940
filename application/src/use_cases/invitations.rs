use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::{Millis, Timestamp};

use super::{AuthenticateToken, AuthenticationError, CreateToken, IssuedToken, NewToken, UseCaseError};
use crate::ports::{
    AccessReach, AccessStore, Clock, IdGenerator, Person, StoreError, TokenKind, TokenRow, TokenScopes,
};
use crate::terminal_text::one_line;
use crate::texts::saying;

/// The token a person is invited to accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewInvitation {
    /// The person who will own it, known in the workspace.
    pub person: String,
    /// The token's name in lists.
    pub name: String,
    /// The scopes of the token.
    pub scopes: TokenScopes,
}

/// Invites a person of a workspace to a token. The inviter never sees the token: its person accepts it, with the code
/// of the invitation and a token of their own.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # example(async {
/// let mut access = MockAccessStore::new();
/// access.expect_people().returning(|_| Ok(vec![]));
/// let invite = InvitePerson::new(Arc::new(access), Arc::new(SystemClock), Arc::new(RandomIdGenerator));
/// let new = NewInvitation { person: "bob".into(), name: "desk".into(), scopes: TokenScopes::new([TokenScope::Read]) };
/// let unknown = invite.run(&samples::workspace(), new, Millis::hours(1)).await;
/// assert!(matches!(unknown, Err(UseCaseError::NotFound(_))));
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// Same as [`CreateToken`]: if it is dropped during the write, an unusable invitation may remain, which expires by
/// itself.
pub struct InvitePerson {
    access: Arc<dyn AccessStore>,
    create: CreateToken,
    clock: Arc<dyn Clock>,
}

impl InvitePerson {
    /// Creates the use case over these ports.
    pub fn new(access: Arc<dyn AccessStore>, clock: Arc<dyn Clock>, ids: Arc<dyn IdGenerator>) -> Self {
        Self { create: CreateToken::new(access.clone(), clock.clone(), ids), access, clock }
    }

    /// Creates the invitation; its code is valid for this long.
    ///
    /// # Errors
    /// When the workspace has no such person, the token has no scopes, or the database cannot be used.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        new: NewInvitation,
        lasts: Millis,
    ) -> Result<IssuedToken, UseCaseError> {
        let reach = AccessReach::Workspace(workspace.clone());
        let mut people = self.access.people(&reach).await?.into_iter();
        if !people.any(|person| person.name == new.person && person.removed_at.is_none()) {
            let named = one_line(&new.person);
            return Err(UseCaseError::NotFound(saying!("request-no-person", person = named).into()));
        }
        let invitation = NewToken {
            person: new.person,
            reach,
            kind: TokenKind::Invitation,
            name: new.name,
            scopes: new.scopes,
            embedded: None,
            expires_at: Some(self.clock.now().plus(lasts)),
            made_by: None,
        };
        self.create.run(invitation).await
    }
}

/// Why an invitation was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum InvitationError {
    /// There is no such invitation for this person, it was used, or it expired.
    #[error("{}", saying!("refusal-invitation"))]
    Spent,
    /// The token could not be created.
    #[error(transparent)]
    Failed(#[from] UseCaseError),
}

impl From<StoreError> for InvitationError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

/// Accepts the token of an invitation: its person consents by authenticating with a token of their own.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # example(async {
/// let mut access = MockAccessStore::new();
/// access.expect_token().returning(|_| Ok(None));
/// let accept = AcceptInvitation::new(Arc::new(access), Arc::new(SystemClock), Arc::new(RandomIdGenerator));
/// let (token, person) = samples::token();
/// let guessed = accept.run(&token, &person, &samples::workspace(), "entr_k1.guess", None).await;
/// assert!(matches!(guessed, Err(InvitationError::Spent)));
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// The commit that creates the token uses up the invitation. If the future is dropped during the write, the invitation
/// may be used up for a token whose secret is lost; revoke that token, and request another invitation.
pub struct AcceptInvitation {
    access: Arc<dyn AccessStore>,
    authenticate: AuthenticateToken,
    create: CreateToken,
}

impl AcceptInvitation {
    /// Creates the use case over these ports.
    pub fn new(access: Arc<dyn AccessStore>, clock: Arc<dyn Clock>, ids: Arc<dyn IdGenerator>) -> Self {
        Self {
            authenticate: AuthenticateToken::new(access.clone(), clock.clone()),
            create: CreateToken::new(access.clone(), clock, ids),
            access,
        }
    }

    /// Creates the token of an invitation of this workspace, for the person who presents the code with a token of
    /// theirs. The issuer of that token counts as the issuer of the new one too.
    ///
    /// # Errors
    /// Same as the variants of [`InvitationError`].
    pub async fn run(
        &self,
        own_token: &TokenRow,
        person: &Person,
        workspace: &WorkspaceKey,
        code: &str,
        expires_at: Option<Timestamp>,
    ) -> Result<IssuedToken, InvitationError> {
        let (invitation, invited) = match self.authenticate.run(TokenKind::Invitation, code, None).await {
            Ok(found) => found,
            Err(
                AuthenticationError::Invalid | AuthenticationError::Expired | AuthenticationError::Revoked,
            ) => {
                return Err(InvitationError::Spent);
            }
            Err(AuthenticationError::Store(error)) => return Err(error.into()),
        };
        if invited.id != person.id || !invitation.reach.covers(workspace) {
            return Err(InvitationError::Spent);
        }
        let token = NewToken {
            person: invited.name,
            reach: invitation.reach,
            kind: TokenKind::Program,
            name: invitation.name,
            scopes: invitation.scopes,
            embedded: None,
            expires_at,
            made_by: own_token.made_by.clone(),
        };
        let made = self.create.generate_token(token).await?;
        match self.access.replace_token(&invitation.id, made.token.clone()).await? {
            true => Ok(made),
            false => Err(InvitationError::Spent),
        }
    }
}
