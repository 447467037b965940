use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use super::{ReadNotificationTargets, UseCaseError};
use crate::ports::{
    Clock, NotificationSender, OutboxStore, PersonSecretStore, SECRET_LEAST_CHARS, WorkspaceStore,
};
use crate::texts::{LocalizedMessage, saying};

entracte_domain::words! {
    /// What is off.
    pub enum DisabledItemKind {
        /// A target of notifications: its secret or its host is not allowed.
        Target = "target",
        /// A secret of a person: it is too short.
        Secret = "secret",
    }
}

/// Something that is off because it does not fit the rules of this version or of the configuration, and nobody switched it
/// off. It is listed until it fits or is removed, always by the same id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisabledItem {
    /// Names it for ever: `off:tgt_…`, `off:secret:PERSON:NAME`.
    pub id: String,
    /// What it is.
    pub kind: DisabledItemKind,
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub person: String,
    /// Why it is off, and what to do.
    pub why: LocalizedMessage,
    /// When a target was added; of a secret it is not known, so it is now.
    pub since: Timestamp,
}

use_case! {
    /// Reads the targets and own secrets of a workspace that are off because they do not fit.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # use entracte_application::texts::saying;
    /// # example(async {
    /// let mut outbox = MockOutboxStore::new();
    /// outbox.expect_targets().returning(|_| Ok(vec![samples::target_row().unwrap()]));
    /// let mut sender = MockNotificationSender::new();
    /// sender.expect_refusal().returning(|_, _| Some(saying!("tools-notify-not-allowed", host = "nas.home")));
    /// let mut people = MockPersonSecretStore::new();
    /// people.expect_too_short().returning(|_| vec![("ann".into(), "pin".into())]);
    /// let (store, clock) = (Arc::new(MockWorkspaceStore::new()), Arc::new(samples::clock()));
    /// let read = ReadSwitchedOff::new(Arc::new(outbox), store, Arc::new(sender), Arc::new(people), clock);
    /// let off = read.run(&samples::workspace()).await?;
    /// assert_eq!((off[0].name.as_str(), off[1].name.as_str()), ("phone", "pin"));
    /// # Ok(()) });
    /// ```
    pub struct ReadDisabledItems reads (
        outbox: dyn OutboxStore, store: dyn WorkspaceStore, sender: dyn NotificationSender, people: dyn PersonSecretStore,
        clock: dyn Clock
    )
}

impl ReadDisabledItems {
    /// What is off in a workspace: targets by name, then secrets by person and name. A target that a person switched off is
    /// theirs to switch on, and not listed.
    ///
    /// # Errors
    /// When the targets cannot be read.
    pub async fn run(&self, workspace: &WorkspaceKey) -> Result<Vec<DisabledItem>, UseCaseError> {
        let targets =
            ReadNotificationTargets::new(self.outbox.clone(), self.store.clone()).all(workspace).await?;
        let told = targets.into_iter().filter(|view| view.row.disabled.is_none());
        let target = |view: super::NotificationTargetView| {
            let why = self.sender.refusal(&view.target.owner(), &view.target.way)?;
            Some(DisabledItem {
                id: format!("off:{}", view.target.id),
                kind: DisabledItemKind::Target,
                name: view.target.name,
                person: view.target.person,
                why,
                since: view.row.created_at,
            })
        };
        let now = self.clock.now();
        let secret = |(person, name): (String, String)| DisabledItem {
            id: format!("off:secret:{person}:{name}"),
            kind: DisabledItemKind::Secret,
            why: saying!("secret-short", name = &name, least = SECRET_LEAST_CHARS),
            name,
            person,
            since: now,
        };
        let short = self.people.unusable_secrets(workspace).into_iter().map(secret);
        Ok(told.filter_map(target).chain(short).collect())
    }
}
