use super::{NewToken, UseCaseError};
use crate::ports::{AccessStore, Person, Reach, TokenRow};
use crate::texts::saying;
use crate::visible::one_line;

/// Somebody who has a token made, with a token of their own.
#[derive(Clone, Debug)]
pub struct TokenMaker {
    token: TokenRow,
    person: Person,
}

impl TokenMaker {
    /// Whose token this is.
    pub fn new(token: TokenRow, person: Person) -> Self {
        Self { token, person }
    }

    /// Who counts as the maker of a token that they have made: nobody beside its person where it is their own, unless somebody
    /// else made the one that they have it made with.
    ///
    /// # Errors
    /// When it is another person's, whom they may not speak for.
    pub(super) async fn vouch(
        &self,
        access: &dyn AccessStore,
        new: &NewToken,
    ) -> Result<Option<String>, UseCaseError> {
        if new.person == self.person.name {
            return Ok(self.token.made_by.clone());
        }
        let author = self.token.author(&self.person);
        let speaks_for_others = self.token.reach == Reach::Everywhere
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
