use super::{NewToken, UseCaseError};
use crate::ports::{AccessReach, AccessStore, Person, TokenRow};
use crate::terminal_text::one_line;
use crate::texts::saying;

/// The principal, token and person, on whose authority a token is created.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # use entracte_domain::{id::Digest, time::Timestamp};
/// # example(async {
/// let (reach, created_at) = (AccessReach::Workspace(samples::workspace()), Timestamp(0));
/// let person = Person {
///     id: "per_ann".into(), reach: reach.clone(), name: "ann".into(), created_at, removed_at: None,
/// };
/// let token = TokenRow {
///     id: "t1".into(), person: person.id.clone(), reach: reach.clone(), kind: TokenKind::Program,
///     name: "laptop".into(), hash: Digest::new("d"), proof: None, scopes: TokenScopes::new([TokenScope::Admin]),
///     embedded: None, created_at, expires_at: None, revoked_at: None, last_used: None, made_by: None,
///     login_until: None,
/// };
/// let access = Arc::new(MockAccessStore::new());
/// let create = CreateToken::new(access, Arc::new(SystemClock), Arc::new(RandomIdGenerator))
///     .with_issuer(TokenIssuer::new(token, person));
/// let for_bob = NewToken {
///     person: "bob".into(), reach, kind: TokenKind::Program, name: "desk".into(),
///     scopes: TokenScopes::new([TokenScope::Read]), embedded: None, expires_at: None, made_by: None,
/// };
/// assert!(matches!(create.run(for_bob).await, Err(UseCaseError::NeedsConsent(_))));
/// # Ok(()) });
/// ```
#[derive(Clone, Debug)]
pub struct TokenIssuer {
    token: TokenRow,
    person: Person,
}

impl TokenIssuer {
    /// The principal of this token.
    pub fn new(token: TokenRow, person: Person) -> Self {
        Self { token, person }
    }

    /// The recorded issuer of a new token: `None` if the person creates it for themselves, unless another person
    /// issued the token used for it.
    ///
    /// # Errors
    /// When the token is for another person, for whom the issuer may not act.
    pub(super) async fn resolve_issuer(
        &self,
        access: &dyn AccessStore,
        new: &NewToken,
    ) -> Result<Option<String>, UseCaseError> {
        if new.person == self.person.name {
            return Ok(self.token.made_by.clone());
        }
        let author = self.token.author(&self.person);
        let speaks_for_others = self.token.reach == AccessReach::Everywhere
            || (new.embedded.is_some() && self.is_visitor(access, new).await?);
        if speaks_for_others {
            return Ok(Some(author));
        }
        let named = one_line(&new.person);
        Err(UseCaseError::NeedsConsent(saying!("token-needs-consent", person = named).into()))
    }

    /// Whether a person has no tokens, or only tokens embedded in pages of other sites: users of these are anonymous.
    async fn is_visitor(&self, access: &dyn AccessStore, new: &NewToken) -> Result<bool, UseCaseError> {
        let people = access.people(&new.reach).await?;
        let Some(known) = people.into_iter().find(|person| person.name == new.person) else {
            return Ok(true);
        };
        let tokens = access.tokens(&new.reach).await?;
        let mut own = tokens.iter().filter(|(token, _)| token.person == known.id).peekable();
        Ok(own.peek().is_some() && own.all(|(token, _)| token.embedded.is_some()))
    }
}
