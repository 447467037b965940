use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;

use super::settings::texts_of;
use super::{UseCaseError, expect_created_id};
use crate::codec::{decode_mail_answer, decode_target, encode_mail_answer, encode_target};
use crate::mail::{MailAnswer, Receipt};
use crate::notify::{NotificationTarget, TargetFault, TargetPreferences};
use crate::ports::{
    AddTargetOutcome, Clock, DeliveryChannel, IdGenerator, NotificationSender, OutboxRow, OutboxStore,
    ReceiptRow, TARGET_GONE, TargetRow, WorkspaceStore,
};
use crate::texts::{LocalizedMessage, LocalizedTexts, saying};

/// The maximum number of notifications in a list.
pub const NOTIFICATIONS_MAX: u32 = 1_000;

/// A target with its row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationTargetView {
    /// The decoded target.
    pub target: NotificationTarget,
    /// Its row, with its revision and whether it is disabled.
    pub row: TargetRow,
}

/// The parameters of a new target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNotificationTarget {
    /// Its name, unique in the workspace.
    pub name: String,
    /// The person it belongs to.
    pub person: String,
    /// The channel it is reached by.
    pub way: DeliveryChannel,
    /// The preferences of the target.
    pub wants: TargetPreferences,
    /// Whether it is added on the command line of the server's machine.
    pub is_operators: bool,
}

use_case! {
    /// Adds a notification target.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # use entracte_application::notify::TargetPreferences;
    /// # example(async {
    /// let mut outbox = MockOutboxStore::new();
    /// outbox.expect_add_target().returning(|_, _| Ok(AddTargetOutcome::Added));
    /// let mut sender = MockNotificationSender::new();
    /// sender.expect_check().returning(|_, _, _| Ok(()));
    /// let add = AddNotificationTarget::new(
    ///     Arc::new(outbox),
    ///     Arc::new(samples::store()),
    ///     Arc::new(sender),
    ///     Arc::new(SystemClock),
    ///     Arc::new(RandomIdGenerator),
    ///     20,
    /// );
    /// let way = DeliveryChannel::Ntfy { url: "https://ntfy.sh/my-topic".into(), token: None };
    /// let (name, person, wants) = ("phone".into(), "ann".into(), TargetPreferences::default());
    /// let new = NewNotificationTarget { name, person, way, wants, is_operators: false };
    /// let added = add.run(&samples::workspace(), new).await?;
    /// assert!(added.target.id.starts_with("tgt_"));
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// If it is dropped during the write, the target is added or not. A retry is refused if the name is taken;
    /// [`run_once`](Self::run_once) under the same key returns the target added before.
    pub struct AddNotificationTarget over (
        outbox: dyn OutboxStore, store: dyn WorkspaceStore, sender: dyn NotificationSender, clock: dyn Clock,
        ids: dyn IdGenerator
    ) with (
        /// The maximum number of targets per workspace.
        most: u32
    )
}

impl AddNotificationTarget {
    /// Adds the target. It is notified of items that already wait, and of new ones.
    ///
    /// # Errors
    /// When the target is invalid, its address may not be called, its name is taken, or there are too many.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        new: NewNotificationTarget,
    ) -> Result<NotificationTargetView, UseCaseError> {
        let (view, texts) = self.draw(workspace, new).await?;
        self.remove_ended_push_targets(&view.target).await?;
        let added = self.outbox.add_target(view.row.clone(), self.most).await?;
        match self.refusal(&added, &view.target, texts) {
            Some(refusal) => Err(refusal),
            None => {
                self.remove_same_browser(&view.target).await?;
                Ok(view)
            }
        }
    }

    /// Adds the target idempotently under this key: its receipt is committed with it, and valid for `kept`. Returns
    /// whether it was added by an earlier call.
    ///
    /// # Errors
    /// Same as [`AddNotificationTarget::run`]; also when the key was used for another request, or the target was
    /// removed since.
    pub async fn run_once(
        &self,
        workspace: &WorkspaceKey,
        new: NewNotificationTarget,
        receipt: &Receipt,
        kept: Millis,
    ) -> Result<(NotificationTargetView, bool), UseCaseError> {
        let (view, texts) = self.draw(workspace, new).await?;
        let now = view.row.created_at;
        let row = ReceiptRow {
            key: receipt.key(),
            fingerprint: receipt.fingerprint.clone(),
            answer: encode_mail_answer(&MailAnswer::Made { id: view.target.id.clone() })?,
            created_at: now,
        };
        let before = now.plus(Millis(-kept.0));
        self.remove_ended_push_targets(&view.target).await?;
        let added = self.outbox.add_target_once(view.row.clone(), self.most, row, before).await?;
        if let Some(refusal) = self.refusal(&added, &view.target, texts) {
            return Err(refusal);
        }
        let AddTargetOutcome::Before(known) = added else {
            self.remove_same_browser(&view.target).await?;
            return Ok((view, false));
        };
        let reused = || {
            UseCaseError::KeyReused(
                saying!("request-key-reused", key = &receipt.key).into_refusal_text(texts),
            )
        };
        let id = match known.fingerprint == receipt.fingerprint {
            true => expect_created_id(decode_mail_answer(&known.answer)?)?,
            false => None,
        };
        let read = ReadNotificationTargets::new(self.outbox.clone(), self.store.clone());
        Ok((read.one(workspace, &id.ok_or_else(reused)?).await?, true))
    }

    /// Removes the subscriptions of a person that their push services ended, when that person subscribes a browser: they
    /// would hold its name, and count against the limit.
    async fn remove_ended_push_targets(&self, new: &NotificationTarget) -> Result<(), UseCaseError> {
        self.remove_replaced(new, |row, _| row.disabled.as_deref() == Some(TARGET_GONE)).await
    }

    /// Removes the earlier targets of a browser that subscribed once more, so that it is told each item once.
    async fn remove_same_browser(&self, new: &NotificationTarget) -> Result<(), UseCaseError> {
        self.remove_replaced(new, |row, way| row.id != new.id && is_same_browser(way, &new.way)).await
    }

    async fn remove_replaced(
        &self,
        new: &NotificationTarget,
        is_replaced: impl Fn(&TargetRow, &DeliveryChannel) -> bool,
    ) -> Result<(), UseCaseError> {
        if !matches!(new.way, DeliveryChannel::Push { .. }) {
            return Ok(());
        }
        for row in self.outbox.targets(Some(new.workspace.clone())).await? {
            let Ok(target) = decode_target(&row) else { continue };
            let is_own = target.person == new.person && matches!(target.way, DeliveryChannel::Push { .. });
            if is_own && is_replaced(&row, &target.way) {
                self.outbox.remove_target(&new.workspace, &row.id).await?;
            }
        }
        Ok(())
    }

    fn refusal(
        &self,
        added: &AddTargetOutcome,
        target: &NotificationTarget,
        texts: &LocalizedTexts,
    ) -> Option<UseCaseError> {
        match added {
            AddTargetOutcome::Added | AddTargetOutcome::Before(_) => None,
            AddTargetOutcome::NameTaken => Some(UseCaseError::Conflict(
                saying!("notify-fault-taken", given = &target.name).into_refusal_text(texts),
            )),
            AddTargetOutcome::Full => {
                let most = self.most.to_string();
                Some(UseCaseError::Conflict(
                    saying!("notify-fault-full-list", given = most).into_refusal_text(texts),
                ))
            }
        }
    }

    /// Validates a new target without storing it; returns it with the texts of its workspace.
    async fn draw(
        &self,
        workspace: &WorkspaceKey,
        new: NewNotificationTarget,
    ) -> Result<(NotificationTargetView, &'static LocalizedTexts), UseCaseError> {
        let texts = texts_of(&*self.store, workspace).await?;
        let NewNotificationTarget { name, person, way, wants, is_operators } = new;
        let id = format!("tgt_{}", self.ids.key());
        let target =
            NotificationTarget { id, workspace: workspace.clone(), name, person, way, wants, is_operators };
        check(&target, &*self.sender, texts).await?;
        let now = self.clock.now();
        let row = TargetRow {
            id: target.id.clone(),
            workspace: workspace.clone(),
            name: target.name.clone(),
            disabled: None,
            cursor: 0,
            looked_at: now,
            revision: 1,
            created_at: now,
            body: encode_target(&target)?,
        };
        Ok((NotificationTargetView { target, row }, texts))
    }
}

use_case! {
    /// Changes a target, or enables it again.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// # let store = Arc::new(samples::store());
    /// let mut outbox = MockOutboxStore::new();
    /// outbox.expect_targets().returning(|_| Ok(vec![samples::target_row().unwrap()]));
    /// outbox.expect_change_target().returning(|row| Ok(row.revision == 2));
    /// let mut sender = MockNotificationSender::new();
    /// sender.expect_check().returning(|_, _, _| Ok(()));
    /// let outbox = Arc::new(outbox);
    /// let read = ReadNotificationTargets::new(outbox.clone(), store.clone());
    /// let mut phone = read.one(&samples::workspace(), "phone").await?;
    /// phone.target.wants.kinds.clear();
    /// let changed = ChangeNotificationTarget::new(outbox, store, Arc::new(sender)).run(phone).await?;
    /// assert_eq!(changed.row.revision, 2);
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// If it is dropped during the write, the target is changed or not. A retry with the version read before is
    /// refused if it was.
    pub struct ChangeNotificationTarget over (outbox: dyn OutboxStore, store: dyn WorkspaceStore, sender: dyn NotificationSender)
}

impl ChangeNotificationTarget {
    /// Replaces the target that was read. Its name stays unchanged.
    ///
    /// # Errors
    /// When the new target is invalid, or the stored one changed since it was read.
    pub async fn run(&self, view: NotificationTargetView) -> Result<NotificationTargetView, UseCaseError> {
        let NotificationTargetView { target, row } = view;
        let texts = texts_of(&*self.store, &target.workspace).await?;
        let target = NotificationTarget { name: row.name.clone(), ..target };
        check(&target, &*self.sender, texts).await?;
        let row = TargetRow { revision: row.revision + 1, body: encode_target(&target)?, ..row };
        if self.outbox.change_target(row.clone()).await? {
            return Ok(NotificationTargetView { target, row });
        }
        Err(UseCaseError::Conflict(saying!("notify-changed", given = &target.name).into_refusal_text(texts)))
    }
}

use_case! {
    /// Removes a target with its notifications and links.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut outbox = MockOutboxStore::new();
    /// outbox.expect_remove_target().returning(|_, id| Ok(id == "tgt_1"));
    /// let remove = RemoveNotificationTarget::new(Arc::new(outbox), Arc::new(samples::store()));
    /// assert!(remove.run(&samples::workspace(), "tgt_1").await.is_ok());
    /// let gone = remove.run(&samples::workspace(), "tgt_2").await;
    /// assert!(matches!(gone, Err(UseCaseError::NotFound(_))));
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// If it is dropped during the write, the target is removed or not. A retry is refused if it was.
    pub struct RemoveNotificationTarget over (outbox: dyn OutboxStore, store: dyn WorkspaceStore)
}

impl RemoveNotificationTarget {
    /// Removes the target with this id.
    ///
    /// # Errors
    /// When this workspace has no such target.
    pub async fn run(&self, workspace: &WorkspaceKey, id: &str) -> Result<(), UseCaseError> {
        if self.outbox.remove_target(workspace, id).await? {
            return Ok(());
        }
        Err(no_target(texts_of(&*self.store, workspace).await?, id))
    }
}

use_case! {
    /// Reads targets and their notifications.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut outbox = MockOutboxStore::new();
    /// outbox.expect_targets().returning(|_| Ok(vec![samples::target_row().unwrap()]));
    /// let read = ReadNotificationTargets::new(Arc::new(outbox), Arc::new(MockWorkspaceStore::new()));
    /// assert_eq!(read.all(&samples::workspace()).await?[0].target.name, "phone");
    /// # Ok(()) });
    /// ```
    pub struct ReadNotificationTargets reads (outbox: dyn OutboxStore, store: dyn WorkspaceStore)
}

impl ReadNotificationTargets {
    /// The targets of a workspace, by name.
    ///
    /// # Errors
    /// When one cannot be read.
    pub async fn all(&self, workspace: &WorkspaceKey) -> Result<Vec<NotificationTargetView>, UseCaseError> {
        let rows = self.outbox.targets(Some(workspace.clone())).await?;
        rows.into_iter().map(|row| Ok(NotificationTargetView { target: decode_target(&row)?, row })).collect()
    }

    /// The target of this workspace with this name or id.
    ///
    /// # Errors
    /// When there is none.
    pub async fn one(
        &self,
        workspace: &WorkspaceKey,
        named: &str,
    ) -> Result<NotificationTargetView, UseCaseError> {
        let found = self
            .all(workspace)
            .await?
            .into_iter()
            .find(|view| view.target.id == named || view.target.name == named);
        match found {
            Some(view) => Ok(view),
            None => Err(no_target(texts_of(&*self.store, workspace).await?, named)),
        }
    }

    /// The latest notifications of a workspace, latest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn notifications(&self, workspace: &WorkspaceKey) -> Result<Vec<OutboxRow>, UseCaseError> {
        Ok(self.outbox.notifications(workspace, NOTIFICATIONS_MAX).await?)
    }
}

/// Whether two channels are the same subscription of a browser.
fn is_same_browser(one: &DeliveryChannel, other: &DeliveryChannel) -> bool {
    match (one, other) {
        (DeliveryChannel::Push { endpoint, .. }, DeliveryChannel::Push { endpoint: new, .. }) => {
            endpoint == new
        }
        _ => false,
    }
}

async fn check(
    target: &NotificationTarget,
    sender: &dyn NotificationSender,
    texts: &LocalizedTexts,
) -> Result<(), UseCaseError> {
    if let Err(TargetFault { key, given }) = target.check() {
        let given = crate::terminal_text::one_line(&given);
        let fault = LocalizedMessage::new(key, vec![("given", given.into())]);
        return Err(UseCaseError::Invalid(fault.into_refusal_text(texts)));
    }
    let checked = sender.check(&target.owner(), &target.way, texts).await;
    checked.map_err(|why| {
        UseCaseError::Invalid(saying!("notify-fault-address", given = why).into_refusal_text(texts))
    })
}

fn no_target(texts: &LocalizedTexts, named: &str) -> UseCaseError {
    UseCaseError::NotFound(
        saying!("notify-no-target", given = crate::terminal_text::one_line(named)).into_refusal_text(texts),
    )
}
