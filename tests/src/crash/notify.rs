//! Sends a notification, the same in each process: a process that is killed sends it again under the same id, any other
//! sends it once.

#![expect(clippy::expect_used, reason = "this is a test, in a program")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use entracte_adapters_db::Database;
use entracte_application::codec::encode_target;
use entracte_application::notifier::{Notifier, NotifierPorts};
use entracte_application::notify::{NotificationTarget, TargetPreferences};
use entracte_application::ports::{
    AddTargetOutcome, DeliveryChannel, DeliveryChannelOwner, DeliveryOutcome, NoopScrubber, Notification,
    NotificationSender, OutboxRow, OutboxState, OutboxWriteBatch, TargetRow,
};
use entracte_application::runtime::RuntimeServices;
use entracte_application::settings::NotifySettings;
use entracte_application::texts::{LocalizedMessage, LocalizedTexts};
use entracte_domain::id::SessionId;
use entracte_domain::time::Millis;

use super::scenario_run::workspace;

/// A file that stands for all recipients.
struct FileNotificationSender(PathBuf);

#[async_trait]
impl NotificationSender for FileNotificationSender {
    fn refusal(&self, _: &DeliveryChannelOwner, _: &DeliveryChannel) -> Option<LocalizedMessage> {
        None
    }

    async fn check(
        &self,
        _: &DeliveryChannelOwner,
        _: &DeliveryChannel,
        _: &LocalizedTexts,
    ) -> Result<(), String> {
        Ok(())
    }

    async fn send(
        &self,
        _: &DeliveryChannelOwner,
        _: &DeliveryChannel,
        notification: &Notification,
    ) -> DeliveryOutcome {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&self.0);
        let written = file.and_then(|mut file| file.write_all(format!("{}\n", notification.id).as_bytes()));
        written.expect("the file is written");
        DeliveryOutcome::Taken
    }
}

fn lines(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Runs the notifier until the notification is delivered.
pub(super) async fn notify_until_delivered(
    database: &Database,
    services: &RuntimeServices,
    folder: &Path,
    session: &SessionId,
) {
    let (outbox, clock, home) = (database.outbox_store(), services.clock.clone(), workspace(session));
    let file = folder.join(format!("told_{session}"));
    let target = NotificationTarget {
        id: format!("tgt_{session}"),
        workspace: home.clone(),
        name: "phone".into(),
        person: "ann".into(),
        way: DeliveryChannel::Ntfy { url: "https://ntfy.example/ann".into(), token: None },
        wants: TargetPreferences::default(),
        is_operators: false,
    };
    let row = TargetRow {
        id: target.id.clone(),
        workspace: home.clone(),
        name: target.name.clone(),
        disabled: None,
        cursor: 0,
        looked_at: clock.now(),
        revision: 1,
        created_at: clock.now(),
        body: encode_target(&target).expect("it is encoded"),
    };
    assert_eq!(outbox.add_target(row, 9).await.expect("it is added"), AddTargetOutcome::Added);
    let id = format!("ntf_{session}");
    let new = OutboxRow {
        id: id.clone(),
        workspace: home.clone(),
        target: target.id,
        item: "test:crash".into(),
        kind: "test".into(),
        session: None,
        message: None,
        created_at: clock.now(),
        due_at: clock.now(),
        tried_at: None,
        attempts: 0,
        state: OutboxState::Pending,
        error: None,
    };
    outbox
        .write(OutboxWriteBatch { new: vec![new], ..OutboxWriteBatch::default() })
        .await
        .expect("it is written down");
    let notifier = notifier(database, services, FileNotificationSender(file.clone()));
    let told = async || {
        let rows = outbox.notifications(&home, 9).await.expect("it is read");
        rows.iter().find(|row| row.id == id).map(|row| row.state)
    };
    while told().await != Some(OutboxState::Sent) {
        notifier.run_once().await.expect("a step is made");
        clock.sleep(Millis::seconds(1)).await;
    }
    // The scenario's own inbox items are notified too, each under its own id.
    let told = || lines(&file).into_iter().filter(|line| *line == id).count();
    let before = told();
    assert!(before > 0, "always by the same id: {:?}", lines(&file));
    notifier.run_once().await.expect("a step is made");
    assert_eq!(told(), before, "what was told is not told again");
}

fn notifier(database: &Database, services: &RuntimeServices, sender: FileNotificationSender) -> Notifier {
    let ports = NotifierPorts {
        outbox: database.outbox_store(),
        store: services.store.clone(),
        log: services.log.clone(),
        rows: services.rows.clone(),
        automations: services.automations.clone(),
        tasks: services.tasks.clone(),
        catalog: services.catalog.clone(),
        sender: Arc::new(sender),
        secrets: Arc::new(NoopScrubber),
        clock: services.clock.clone(),
        ids: services.ids.clone(),
        observer: services.observer.clone(),
    };
    Notifier::new(ports, NotifySettings::default(), None)
}
