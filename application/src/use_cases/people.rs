use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;

use super::token_validation::{check_new_person, check_person};
use super::{ReadNotificationTargets, RemoveNotificationTarget, UseCaseError};
use crate::ports::{
    AccessReach, AccessStore, Clock, IdGenerator, OutboxStore, Person, PersonSecretStore, SecretOwner,
    TokenRow, WorkspaceStore,
};
use crate::terminal_text::one_line;
use crate::texts::saying;

use_case! {
    /// Adds a person to a workspace, who can then own tokens and whose name is the author of their actions.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut access = MockAccessStore::new();
    /// access.expect_add_person().returning(Ok);
    /// let add = AddPerson::new(Arc::new(access), Arc::new(SystemClock), Arc::new(RandomIdGenerator));
    /// let (eve, is_new) = add.run(&samples::workspace(), "eve").await?;
    /// assert!(is_new && eve.name == "eve");
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// If it is dropped during the write, the person is added or not; a retry returns the existing person.
    pub struct AddPerson over (access: dyn AccessStore, clock: dyn Clock, ids: dyn IdGenerator)
}

impl AddPerson {
    /// Adds a person, or returns the existing one of that name; also returns whether the person is new.
    ///
    /// # Errors
    /// When the name is invalid, or the database cannot be used.
    pub async fn run(&self, workspace: &WorkspaceKey, name: &str) -> Result<(Person, bool), UseCaseError> {
        check_person(name)?;
        check_new_person(&*self.access, &AccessReach::Workspace(workspace.clone()), name).await?;
        let id = format!("per_{}", self.ids.key());
        let person = Person {
            id: id.clone(),
            reach: AccessReach::Workspace(workspace.clone()),
            name: name.to_owned(),
            created_at: self.clock.now(),
            removed_at: None,
        };
        let known = self.access.add_person(person).await?;
        let is_new = known.id == id;
        Ok((known, is_new))
    }
}

use_case! {
    /// Reads a person of a workspace.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut access = MockAccessStore::new();
    /// access.expect_people().returning(|_| Ok(vec![]));
    /// let read = ReadPerson::new(Arc::new(access));
    /// assert!(matches!(read.run(&samples::workspace(), "per_eve").await, Err(UseCaseError::NotFound(_))));
    /// # Ok(()) });
    /// ```
    pub struct ReadPerson reads (access: dyn AccessStore)
}

impl ReadPerson {
    /// The person with this id, and the number of their unrevoked tokens.
    ///
    /// # Errors
    /// When this workspace has none.
    pub async fn run(&self, workspace: &WorkspaceKey, id: &str) -> Result<(Person, usize), UseCaseError> {
        let reach = AccessReach::Workspace(workspace.clone());
        let people = self.access.people(&reach).await?;
        let found = people.into_iter().find(|person| person.id == id);
        let unknown = || UseCaseError::NotFound(saying!("request-no-person", person = one_line(id)).into());
        let person = found.ok_or_else(unknown)?;
        let tokens = self.access.tokens(&reach).await?;
        let open = tokens.iter().filter(|(token, _)| token.person == person.id && token.revoked_at.is_none());
        let count = open.count();
        Ok((person, count))
    }
}

use_case! {
    /// Removes all access of a person: revokes their tokens, removes their targets and the links sent to them, and
    /// deletes their stored secrets. Their name stays reserved, because it is the author of their past actions: a
    /// person added under it later is a different person, with a number in the name.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut access = MockAccessStore::new();
    /// access.expect_people().returning(|_| Ok(vec![]));
    /// let expel = RemovePersonAccess::new(
    ///     Arc::new(access),
    ///     Arc::new(MockOutboxStore::new()),
    ///     Arc::new(MockWorkspaceStore::new()),
    ///     Arc::new(MockPersonSecretStore::new()),
    ///     Arc::new(SystemClock),
    /// );
    /// assert!(matches!(expel.run(&samples::workspace(), "per_eve").await, Err(UseCaseError::NotFound(_))));
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// Writes in sequence: tokens, targets, secrets. If it is dropped between two of them, the rest is not done; a
    /// retry completes it.
    pub struct RemovePersonAccess over (
        access: dyn AccessStore, outbox: dyn OutboxStore, store: dyn WorkspaceStore, secrets: dyn PersonSecretStore,
        clock: dyn Clock
    )
}

impl RemovePersonAccess {
    /// Removes the access of the person with this id. The means of acting are removed first; after any failure a retry
    /// completes the rest.
    ///
    /// # Errors
    /// When this workspace has no such person, or a write fails.
    pub async fn run(&self, workspace: &WorkspaceKey, id: &str) -> Result<(), UseCaseError> {
        let (person, _) = ReadPerson::new(self.access.clone()).run(workspace, id).await?;
        let reach = AccessReach::Workspace(workspace.clone());
        self.access.remove_person(&person.id, self.clock.now()).await?;
        self.revoke_all(&reach, &person.id).await?;
        let authors = self.authors(&reach, &person).await?;
        let targets =
            ReadNotificationTargets::new(self.outbox.clone(), self.store.clone()).all(workspace).await?;
        let remove = RemoveNotificationTarget::new(self.outbox.clone(), self.store.clone());
        for view in targets.iter().filter(|view| authors.contains(&view.target.person)) {
            remove.run(workspace, &view.target.id).await?;
        }
        let unusable =
            |error: crate::ports::PersonSecretError| UseCaseError::NotApplicable(error.saying().into());
        for author in authors {
            let holder = SecretOwner { workspace: workspace.clone(), person: author };
            for name in self.secrets.names(&holder).map_err(unusable)? {
                self.secrets.delete_secret(&holder, &name).map_err(unusable)?;
            }
        }
        Ok(())
    }

    /// The author names a person acted under: their own, and one for each token that another person created for them.
    async fn authors(&self, reach: &AccessReach, person: &Person) -> Result<Vec<String>, UseCaseError> {
        let mut authors = vec![person.name.clone()];
        for (token, whose) in self.access.tokens(reach).await? {
            let author = token.author(&whose);
            if whose.id == person.id && !authors.contains(&author) {
                authors.push(author);
            }
        }
        Ok(authors)
    }

    /// Revokes the tokens of a person until none is valid: a concurrent login may replace a found token by a new one.
    async fn revoke_all(&self, reach: &AccessReach, person: &str) -> Result<(), UseCaseError> {
        loop {
            let tokens = self.access.tokens(reach).await?;
            let counts = |token: &TokenRow| token.person == person && token.revoked_at.is_none();
            let left: Vec<String> =
                tokens.into_iter().filter(|(token, _)| counts(token)).map(|(token, _)| token.id).collect();
            if left.is_empty() {
                return Ok(());
            }
            for id in left {
                self.access.revoke(reach, &id, self.clock.now()).await?;
            }
        }
    }
}
