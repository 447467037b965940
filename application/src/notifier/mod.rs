//! The notifier reads committed data and notifies people through their targets. No round waits for it and no session
//! depends on it.
//!
//! A step checks whether anything was committed since the last one, writes new notifications to the outbox together
//! with the position it has read to, and then sends the due ones. An attempt is recorded before it is sent: a process
//! that dies meanwhile sends it again, with the same id. The decisions are made by [`crate::notify`].

mod pending_items;
mod send;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::{Millis, Timestamp};

use self::pending_items::WaitingSessions;
use crate::calendar::Calendar;
use crate::codec::{WorkspaceBody, decode_target};
use crate::commands::CurrentCatalog;
use crate::notify::{
    NotificationItem, NotificationKind, NotificationPlanContext, NotificationTarget, new_rows, plan,
};
use crate::ports::{
    AutomationReader, Clock, DeliveryOutcome, IdGenerator, LogReader, NotificationSender, Observer,
    OutboxRow, OutboxState, OutboxStore, OutboxWriteBatch, ResourceReader, SecretScrubberFactory,
    TARGET_GONE, TargetRow, TaskReader, WorkspaceStore,
};
use crate::settings::{Language, NotifySettings, WorkspaceSettings};
use crate::texts::{LocalizedTexts, ReaderLanguage};
use crate::use_cases::UseCaseError;

/// The ports of the notifier.
#[derive(Clone)]
pub struct NotifierPorts {
    /// Targets, notifications, links.
    pub outbox: Arc<dyn OutboxStore>,
    /// The committed rows.
    pub store: Arc<dyn WorkspaceStore>,
    /// Logs, ledger, lists.
    pub log: Arc<dyn LogReader>,
    /// The workspaces' own data.
    pub rows: Arc<dyn ResourceReader>,
    /// The automations and their occurrences.
    pub automations: Arc<dyn AutomationReader>,
    /// Long tasks.
    pub tasks: Arc<dyn TaskReader>,
    /// The catalog of commands.
    pub catalog: Arc<CurrentCatalog>,
    /// Delivers messages.
    pub sender: Arc<dyn NotificationSender>,
    /// Scrubs secrets from messages.
    pub secrets: Arc<dyn SecretScrubberFactory>,
    /// The current time.
    pub clock: Arc<dyn Clock>,
    /// Creates ids, secrets of links, and jitter.
    pub ids: Arc<dyn IdGenerator>,
    /// Records metrics of deliveries.
    pub observer: Arc<dyn Observer>,
}

/// Notifies people through their targets.
pub struct Notifier {
    ports: NotifierPorts,
    settings: NotifySettings,
    /// The server's address for browsers, without a trailing slash.
    public_url: Option<String>,
    /// Whether this process may send now.
    may_send: Box<dyn Fn() -> bool + Send + Sync>,
    /// The revisions of the targets of each workspace for which this process has looked at everything that waits.
    looked: Mutex<BTreeMap<WorkspaceKey, BTreeMap<String, u64>>>,
}

/// The current state of a workspace, in one language.
struct NotifierWorkspaceState {
    texts: &'static LocalizedTexts,
    calendar: Calendar,
    waiting: Vec<NotificationItem>,
}

impl Notifier {
    /// Creates the notifier over these ports. Without the server's address for browsers messages contain no links.
    pub fn new(ports: NotifierPorts, settings: NotifySettings, public_url: Option<String>) -> Self {
        let public_url = public_url.map(|url| url.trim_end_matches('/').to_owned());
        Self { ports, settings, public_url, may_send: Box::new(|| true), looked: Mutex::default() }
    }

    /// Sends only while this holds, such as while this process owns the database.
    #[must_use]
    pub fn sending_while(self, may_send: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { may_send: Box::new(may_send), ..self }
    }

    /// Runs steps while it may send, until `end` completes. A running step finishes first: sent notifications are
    /// recorded, so that they are not sent again.
    pub async fn run(&self, end: impl Future<Output = ()>) {
        let mut end = std::pin::pin!(end);
        loop {
            if (self.may_send)()
                && let Err(error) = self.run_once().await
            {
                tracing::warn!(%error, "notifications cannot be sent now");
            }
            tokio::select! {
                biased;
                () = &mut end => return,
                () = self.ports.clock.sleep(self.settings.poll.max(Millis(10))) => {}
            }
        }
    }

    /// Collects new notifications, and sends the due ones.
    ///
    /// # Errors
    /// When the database cannot be used. A workspace that cannot be read does not delay others.
    pub async fn run_once(&self) -> Result<(), UseCaseError> {
        let mut targets: BTreeMap<WorkspaceKey, Vec<(TargetRow, NotificationTarget)>> = BTreeMap::new();
        for row in self.ports.outbox.targets(None).await? {
            match decode_target(&row) {
                _ if row.disabled.is_some() => {}
                Ok(target) if self.is_off(&target) => {}
                Ok(target) => targets.entry(row.workspace.clone()).or_default().push((row, target)),
                Err(error) => tracing::warn!(target = row.id, %error, "a target cannot be read"),
            }
        }
        for (workspace, targets) in &targets {
            if let Err(error) = self.collect_notifications(workspace, targets).await {
                tracing::warn!(%workspace, %error, "it cannot be looked for something to tell");
            }
        }
        let mut due: BTreeMap<WorkspaceKey, Vec<OutboxRow>> = BTreeMap::new();
        for row in self.ports.outbox.due(self.ports.clock.now(), self.settings.batch).await? {
            due.entry(row.workspace.clone()).or_default().push(row);
        }
        for (workspace, rows) in due {
            let here = targets.remove(&workspace).unwrap_or_default();
            let here = here.into_iter().map(|(_, target)| (target.id.clone(), target)).collect();
            if let Err(error) = self.send_due(&workspace, here, rows).await {
                tracing::warn!(%workspace, %error, "notifications cannot be sent");
            }
        }
        Ok(())
    }

    /// Whether the current configuration disables a target. The inbox shows this; it is not stored, so the target
    /// resumes by itself once the configuration allows it.
    fn is_off(&self, target: &NotificationTarget) -> bool {
        self.ports.sender.refusal(&target.owner(), &target.way).is_some()
    }

    /// Writes the new notifications of a workspace's targets to the outbox.
    async fn collect_notifications(
        &self,
        workspace: &WorkspaceKey,
        targets: &[(TargetRow, NotificationTarget)],
    ) -> Result<(), UseCaseError> {
        let now = self.ports.clock.now();
        // Read first: data committed meanwhile is examined by the next step.
        let row = self.ports.store.workspace(workspace).await?;
        let seq = row.map_or(0, |row| row.seq);
        let is_behind = targets.iter().any(|(row, _)| row.cursor != seq);
        let is_late = |row: &TargetRow| now < row.looked_at || now.since(row.looked_at) >= self.settings.look;
        let looks = targets.iter().any(|(row, _)| is_late(row));
        if !is_behind && !looks {
            return Ok(());
        }
        let mut write = OutboxWriteBatch::default();
        let mut items = Vec::new();
        if is_behind {
            // What they say is worded when it is sent.
            let reader = ReaderLanguage::OF_WORKSPACE;
            let sessions = self.unknown_sessions(workspace, targets, now);
            let (ports, settings) = (&self.ports, &self.settings);
            items.extend(pending_items::waiting_items(ports, workspace, &sessions, settings, reader).await?);
        }
        if looks {
            let since = targets.iter().map(|(row, _)| row.looked_at).min().unwrap_or(now);
            items.extend(pending_items::missed_occurrence_items(&self.ports, workspace, since).await?);
            let body = WorkspaceBody::load(&*self.ports.store, workspace).await?;
            items.extend(pending_items::expiring_rule_items(&body, now, &self.settings));
            write.forget_before = Some(now.plus(Millis(-self.settings.kept.0)));
        }
        for (row, target) in targets {
            let id = || format!("ntf_{}", self.ports.ids.key());
            let told: Vec<NotificationItem> =
                items.iter().filter(|item| is_news(item, row)).cloned().collect();
            write.new.extend(new_rows(target, &told, now, &self.settings, id));
            let looked_at = if looks { now } else { row.looked_at };
            write.moved.push((row.id.clone(), seq, looked_at));
        }
        self.ports.outbox.write(write).await?;
        if is_behind {
            let revisions = targets.iter().map(|(row, _)| (row.id.clone(), row.revision)).collect();
            let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
            looked.insert(workspace.clone(), revisions);
        }
        Ok(())
    }

    /// The sessions with items that one of these targets may not know: all for a new or changed target.
    fn unknown_sessions(
        &self,
        workspace: &WorkspaceKey,
        targets: &[(TargetRow, NotificationTarget)],
        now: Timestamp,
    ) -> WaitingSessions {
        let looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        let revisions = looked.get(workspace);
        let is_known = |row: &TargetRow| {
            let revision = revisions.and_then(|revisions| revisions.get(&row.id));
            // The clock may have been set back.
            revision == Some(&row.revision) && row.looked_at <= now
        };
        let looked_at = targets.iter().map(|(row, _)| row.looked_at).min();
        match looked_at.filter(|_| targets.iter().all(|(row, _)| is_known(row))) {
            Some(looked_at) => WaitingSessions::changed_since(looked_at),
            None => WaitingSessions::All,
        }
    }

    /// Sends the due notifications of a workspace.
    async fn send_due(
        &self,
        workspace: &WorkspaceKey,
        targets: BTreeMap<String, NotificationTarget>,
        due: Vec<OutboxRow>,
    ) -> Result<(), UseCaseError> {
        let now = self.ports.clock.now();
        let body = WorkspaceBody::load(&*self.ports.store, workspace).await?;
        let sessions = WaitingSessions::These(due.iter().filter_map(|row| row.session.clone()).collect());
        let place =
            self.load_workspace_state(workspace, &sessions, &body, body.settings.language, now).await?;
        let zone = body.settings.locale().time_zone();
        let standing: BTreeSet<String> = place.waiting.iter().map(|item| item.id.clone()).collect();
        let known = NotificationPlanContext {
            targets: &targets,
            standing: &standing,
            zone: &zone,
            now,
            settings: &self.settings,
        };
        let id = || format!("ntf_{}", self.ports.ids.key());
        let planned = plan(due, known, id, |most| self.ports.ids.jitter(most));
        let (mut write, mut messages) = (OutboxWriteBatch::default(), Vec::new());
        write.changed = planned.changed;
        let told = planned.messages.iter().filter_map(|message| targets.get(&message.target));
        let mut others = Vec::new();
        for language in languages_beside(body.settings.language, told) {
            others.push(self.load_workspace_state(workspace, &sessions, &body, language, now).await?);
        }
        for message in planned.messages {
            let Some(target) = targets.get(&message.target) else { continue };
            let other = others.iter().find(|other| Some(other.texts.language()) == target.wants.language);
            let place = other.unwrap_or(&place);
            let items = self.items(workspace, place, target, &message.rows).await?;
            if items.is_empty() {
                let gone = |row: OutboxRow| OutboxRow { state: OutboxState::Dropped, ..row };
                write.changed.extend(message.rows.into_iter().map(gone));
                continue;
            }
            let (notification, links) = self.prepare_notification(&message.id, target, &items, place, now);
            write.changed.extend(message.rows.clone());
            write.links.extend(links);
            messages.push((message, target, notification));
        }
        if !write.is_empty() {
            self.ports.outbox.write(write).await?;
        }
        self.send_all(messages).await
    }

    /// The items these rows are about.
    async fn items(
        &self,
        workspace: &WorkspaceKey,
        place: &NotifierWorkspaceState,
        target: &NotificationTarget,
        rows: &[OutboxRow],
    ) -> Result<Vec<NotificationItem>, UseCaseError> {
        let mut items = Vec::new();
        for row in rows {
            let found = place.waiting.iter().find(|item| item.id == row.item).cloned();
            items.extend(match (found, NotificationKind::from_word(&row.kind)) {
                (Some(item), _) => Some(item),
                (None, Some(NotificationKind::Missed)) => {
                    pending_items::find_missed_occurrence(&self.ports, workspace, &row.item).await?
                }
                (None, Some(NotificationKind::Test)) => Some(NotificationItem::new(
                    row.item.clone(),
                    NotificationKind::Test,
                    row.created_at,
                    &target.name,
                )),
                (None, _) => None,
            });
        }
        Ok(items)
    }

    async fn load_workspace_state(
        &self,
        workspace: &WorkspaceKey,
        sessions: &WaitingSessions,
        body: &WorkspaceBody,
        language: Language,
        now: Timestamp,
    ) -> Result<NotifierWorkspaceState, UseCaseError> {
        let (reader, settings) = (ReaderLanguage::from(language), &self.settings);
        let mut waiting =
            pending_items::waiting_items(&self.ports, workspace, sessions, settings, reader).await?;
        waiting.extend(pending_items::expiring_rule_items(body, now, settings));
        Ok(NotifierWorkspaceState { waiting, ..empty_state(&body.settings, reader) })
    }

    /// Tries a target now, once, and returns the result. The attempt is recorded like any other.
    ///
    /// # Errors
    /// When the database cannot be used.
    pub async fn test(&self, target: &NotificationTarget) -> Result<DeliveryOutcome, UseCaseError> {
        let now = self.ports.clock.now();
        let key = self.ports.ids.key();
        let item = NotificationItem::new(format!("test:{key}"), NotificationKind::Test, now, &target.name);
        let id = format!("ntf_{key}");
        let rows = new_rows(target, std::slice::from_ref(&item), now, &self.settings, || id.clone());
        // A test is not retried: its result goes to the requester.
        let tried = |row: OutboxRow| OutboxRow {
            message: Some(id.clone()),
            attempts: 1,
            tried_at: Some(now),
            state: OutboxState::Dead,
            due_at: now,
            ..row
        };
        let rows: Vec<OutboxRow> = rows.into_iter().map(tried).collect();
        self.ports
            .outbox
            .write(OutboxWriteBatch { new: rows.clone(), ..OutboxWriteBatch::default() })
            .await?;
        let body = WorkspaceBody::load(&*self.ports.store, &target.workspace).await?;
        let place = empty_state(&body.settings, target.wants.language.into());
        let (notification, _) = self.prepare_notification(&id, target, &[item], &place, now);
        let delivery = self.try_once(target, &notification).await;
        let (state, error) = match &delivery {
            DeliveryOutcome::Taken => (OutboxState::Sent, None),
            DeliveryOutcome::Gone => (OutboxState::Dead, Some(TARGET_GONE.to_owned())),
            DeliveryOutcome::Refused(why) => (OutboxState::Dead, Some(why.clone())),
        };
        let changed = rows.into_iter().map(|row| OutboxRow { state, error: error.clone(), ..row }).collect();
        self.ports.outbox.write(OutboxWriteBatch { changed, ..OutboxWriteBatch::default() }).await?;
        Ok(delivery)
    }
}

/// Whether a target gets an item: items that wait are sent to later targets, too; events are sent only from then on.
fn is_news(item: &NotificationItem, row: &TargetRow) -> bool {
    item.kind != NotificationKind::Missed || item.since >= row.created_at
}

/// The state of a workspace for this reader, without what waits.
fn empty_state(settings: &WorkspaceSettings, reader: ReaderLanguage) -> NotifierWorkspaceState {
    let calendar = Calendar::from_locale(&settings.locale_for(reader));
    NotifierWorkspaceState { texts: settings.texts_for(reader), calendar, waiting: Vec::new() }
}

/// The languages of these targets, each once, without that of the workspace.
fn languages_beside<'a>(
    workspace: Language,
    targets: impl Iterator<Item = &'a NotificationTarget>,
) -> Vec<Language> {
    let mut languages = Vec::new();
    for language in targets.filter_map(|target| target.wants.language) {
        if language != workspace && !languages.contains(&language) {
            languages.push(language);
        }
    }
    languages
}
