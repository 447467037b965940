use super::{NewToken, UseCaseError};
use crate::ports::{AccessReach, AccessStore, Person, TokenRow};
use crate::terminal_text::one_line;
use crate::texts::saying;

/// Somebody who has a token made, with a token of their own.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # use entracte_domain::{id::Digest, time::Timestamp};
/// # example(async {
/// let (reach, created_at) = (Reach::Workspace(samples::workspace()), Timestamp(0));
/// let person = Person {
///     id: "per_ann".into(), reach: reach.clone(), name: "ann".into(), created_at, removed_at: None,
/// };
/// let token = TokenRow {
///     id: "t1".into(), person: person.id.clone(), reach: reach.clone(), kind: TokenKind::Program,
///     name: "laptop".into(), hash: Digest::new("d"), proof: None, scopes: Scopes::new([Scope::Admin]),
///     embedded: None, created_at, expires_at: None, revoked_at: None, last_used: None, made_by: None,
/// };
/// let access = Arc::new(MockAccessStore::new());
/// let create = CreateToken::new(access, Arc::new(SystemClock), Arc::new(RandomIds))
///     .made_by(TokenMaker::new(token, person));
/// let for_bob = NewToken {
///     person: "bob".into(), reach, kind: TokenKind::Program, name: "desk".into(),
///     scopes: Scopes::new([Scope::Read]), embedded: None, expires_at: None, made_by: None,
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
    /// Whose token this is.
    pub fn new(token: TokenRow, person: Person) -> Self {
        Self { token, person }
    }

    /// Who counts as the maker of a token that they have made: nobody beside its person where it is their own, unless somebody
    /// else made the one that they have it made with.
    ///
    /// # Errors
    /// When it is another person's, whom they may not speak for.
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

    /// Whether a person is known by tokens of pages of other sites alone, or by none: whoever sends these is nobody in particular.
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
