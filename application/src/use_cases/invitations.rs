use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::{Millis, Timestamp};

use super::{AuthenticateToken, AuthenticationError, CreateToken, IssuedToken, NewToken, UseCaseError};
use crate::ports::{
    AccessReach, AccessStore, Clock, IdGenerator, Person, StoreError, TokenKind, TokenRow, TokenScopes,
};
use crate::terminal_text::one_line;
use crate::texts::saying;

/// A token that a person is invited to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewInvitation {
    /// Whose it will be. They are known in the workspace.
    pub person: String,
    /// What it will be called in lists.
    pub name: String,
    /// What it will allow.
    pub scopes: TokenScopes,
}

/// Invites a person of a workspace to a token. Whoever invites is not shown it: its person takes it, with the code of the
/// invitation and a token of their own.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # example(async {
/// let mut access = MockAccessStore::new();
/// access.expect_people().returning(|_| Ok(vec![]));
/// let invite = InvitePerson::new(Arc::new(access), Arc::new(SystemClock), Arc::new(RandomIds));
/// let new = NewInvitation { person: "bob".into(), name: "desk".into(), scopes: Scopes::new([Scope::Read]) };
/// let unknown = invite.run(&samples::workspace(), new, Millis::hours(1)).await;
/// assert!(matches!(unknown, Err(UseCaseError::NotFound(_))));
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// As [`CreateToken`]: dropped while it writes there may be an invitation whose code nobody has, which ends by itself.
pub struct InvitePerson {
    access: Arc<dyn AccessStore>,
    create: CreateToken,
    clock: Arc<dyn Clock>,
}

impl InvitePerson {
    /// Over these ports.
    pub fn new(access: Arc<dyn AccessStore>, clock: Arc<dyn Clock>, ids: Arc<dyn IdGenerator>) -> Self {
        Self { create: CreateToken::new(access.clone(), clock.clone(), ids), access, clock }
    }

    /// Makes the invitation; its code counts for so long.
    ///
    /// # Errors
    /// When the workspace has no such person, the token would allow nothing, or the database cannot be used.
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

/// Why an invitation was not taken.
#[derive(Debug, thiserror::Error)]
pub enum InvitationError {
    /// There is no such invitation for this person, it was used, or its time is over.
    #[error("there is no such invitation for you, it was used, or it has expired; ask for a new one")]
    Spent,
    /// The token could not be made.
    #[error(transparent)]
    Failed(#[from] UseCaseError),
}

impl From<StoreError> for InvitationError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

/// Takes the token of an invitation: its person consents to it by a token of their own.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # example(async {
/// let mut access = MockAccessStore::new();
/// access.expect_token().returning(|_| Ok(None));
/// let accept = AcceptInvitation::new(Arc::new(access), Arc::new(SystemClock), Arc::new(RandomIds));
/// let (token, person) = samples::token();
/// let guessed = accept.run((&token, &person), &samples::workspace(), "entr_k1.guess", None).await;
/// assert!(matches!(guessed, Err(NoInvitation::Spent)));
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// The invitation is spent in the commit that makes the token. Dropped while it is written, it may be spent for a token that
/// nobody has; revoke that one, and ask for another invitation.
pub struct AcceptInvitation {
    access: Arc<dyn AccessStore>,
    authenticate: AuthenticateToken,
    create: CreateToken,
}

impl AcceptInvitation {
    /// Over these ports.
    pub fn new(access: Arc<dyn AccessStore>, clock: Arc<dyn Clock>, ids: Arc<dyn IdGenerator>) -> Self {
        Self {
            authenticate: AuthenticateToken::new(access.clone(), clock.clone()),
            create: CreateToken::new(access.clone(), clock, ids),
            access,
        }
    }

    /// Makes the token of an invitation of this workspace, for the person who shows the code with a token of theirs. Who made
    /// that one vouches for the new one too.
    ///
    /// # Errors
    /// See [`InvitationError`].
    pub async fn run(
        &self,
        (own, person): (&TokenRow, &Person),
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
            made_by: own.made_by.clone(),
        };
        let made = self.create.generate_token(token).await?;
        match self.access.replace_token(&invitation.id, made.token.clone()).await? {
            true => Ok(made),
            false => Err(InvitationError::Spent),
        }
    }
}
