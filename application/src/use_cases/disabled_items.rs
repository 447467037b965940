use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use super::{ReadNotificationTargets, UseCaseError};
use crate::ports::{
    Clock, NotificationSender, OutboxStore, PersonSecretStore, SECRET_LEAST_CHARS, WorkspaceStore,
};
use crate::texts::{LocalizedMessage, saying};

entracte_domain::words! {
    /// The kind of a disabled item.
    pub enum DisabledItemKind {
        /// A notification target whose secret or host is not allowed.
        Target = "target",
        /// A secret of a person that is too short.
        Secret = "secret",
    }
}

/// An item that is disabled because it violates the rules of this version or of the configuration, not by a person. It
/// is listed under the same id until it complies or is removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisabledItem {
    /// A stable id: `off:tgt_…`, `off:secret:PERSON:NAME`.
    pub id: String,
    /// The kind of the item.
    pub kind: DisabledItemKind,
    /// The name of the target or secret.
    pub name: String,
    /// The person it belongs to.
    pub person: String,
    /// Why it is disabled, and how to fix it.
    pub why: LocalizedMessage,
    /// When a target was added; for a secret that is unknown, so the current time.
    pub since: Timestamp,
}

use_case! {
    /// Reads the notification targets and personal secrets of a workspace that are disabled because they violate a
    /// rule.
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
    /// people.expect_unusable_secrets().returning(|_| vec![("ann".into(), "pin".into())]);
    /// let (store, clock) = (Arc::new(MockWorkspaceStore::new()), Arc::new(samples::clock()));
    /// let read = ReadDisabledItems::new(Arc::new(outbox), store, Arc::new(sender), Arc::new(people), clock);
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
    /// The disabled items of a workspace: targets by name, then secrets by person and name. Targets that a person
    /// disabled are not listed.
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
