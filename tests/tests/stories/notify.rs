//! Notifications of waiting items: each is sent once, unless a process is killed while it sends it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

mod languages;
mod occasions;

use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;
use entracte_adapters_commands::ResourcesExecutor;
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::notifier::{Notifier, NotifierPorts};
use entracte_application::notify::{NotificationKind, NotificationTarget, QuietHours, TargetPreferences};
use entracte_application::ports::{
    ActionDescription, CallRequest, CommandExecutor, CommandSpec, DeliveryChannel, DeliveryOutcome,
    NoopScrubber, OutboxState, ResourceReader, Scrubber, SecretOwner, SecretReference, SecretScrubberFactory,
    StoreError,
};
use entracte_application::rule_book::RuleBook;
use entracte_application::settings::NotifySettings;
use entracte_application::use_cases::{
    AddNotificationTarget, ApprovalChoice, ChangeNotificationTarget, NewNotificationTarget, PendingDecision,
    ReadNotificationTargets, RemoveNotificationTarget,
};
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::id::{Digest, SessionId};
use entracte_domain::time::Millis;
use entracte_tests::fakes::notification_sender::FakeNotificationSender;
use entracte_tests::fakes::recording_executor::RecordingExecutor;
use entracte_tests::postgres::{self, TestDatabase};
use entracte_tests::runtime_fixture::{
    FakeModel, RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock, command_request_line,
    envelope_line, services,
};
use serde_json::{Value, json};

/// A workspace whose actions need approval, and a fake recipient.
struct NotificationFixture {
    life: RuntimeFixture,
    model: Arc<FakeModel>,
    database: Database,
    clock: Arc<TokioClock>,
    outside: Arc<FakeNotificationSender>,
    secrets: Arc<dyn SecretScrubberFactory>,
    settings: NotifySettings,
    _keep: Box<dyn Any + Send + Sync>,
}

/// An executor whose actions have unknown outcomes, except one to [`NOBODY`], which fails.
struct UnknownOutcomeExecutor(RecordingExecutor);

/// The name of a recipient that does not exist.
const NOBODY: &str = "nobody";

#[async_trait]
impl CommandExecutor for UnknownOutcomeExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        self.0.commands()
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let to = request.command.arguments.get("to").and_then(|to| to.as_text());
        if to != Some(NOBODY) {
            return CallOutcome::Lost { found_by_start: None, lands_by: None };
        }
        let (code, message) = ("HTTP_404".to_owned(), "there is nobody of that name".to_owned());
        CallOutcome::Failed(CallFailure { code, message, path: None, retryable: false })
    }

    async fn describe(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        self.0.describe(request, rows).await
    }
}

/// Every available database.
fn databases() -> Vec<(Database, Box<dyn Any + Send + Sync>)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("entracte.db");
    let sqlite = Database::open(path.to_str().unwrap(), DatabaseOptions::default()).unwrap();
    let mut all: Vec<(Database, Box<dyn Any + Send + Sync>)> = vec![(sqlite, Box::new(folder))];
    if let Some(made) = TestDatabase::make() {
        all.push((made.open(), Box::new(made)));
    }
    all
}

impl NotificationFixture {
    async fn on((database, keep): (Database, Box<dyn Any + Send + Sync>)) -> Self {
        let (model, clock) = (Arc::new(FakeModel::default()), Arc::new(TokioClock::default()));
        let executors: Vec<Arc<dyn CommandExecutor>> = vec![
            Arc::new(ResourcesExecutor::new(database.resource_reader())),
            Arc::new(UnknownOutcomeExecutor(RecordingExecutor::default())),
        ];
        let parts = ServicesFixtureParts {
            stores: postgres::stores_of_database(&database, Box::new(())),
            provider: model.clone(),
            executors,
            rules: RuleBook::default(),
            clock: clock.clone(),
            ids: Arc::new(SequentialIds::default()),
        };
        let life = RuntimeFixture::start_runtime(services(&parts)).await;
        let (outside, secrets) = (Arc::new(FakeNotificationSender::default()), Arc::new(NoopScrubber));
        let settings = NotifySettings::default();
        Self { life, model, database, clock, outside, secrets, settings, _keep: keep }
    }

    async fn new() -> Self {
        Self::on(databases().remove(0)).await
    }

    /// A notifier with nothing in memory, as in a new process.
    fn notifier(&self) -> Notifier {
        let services = &self.life.services;
        let ports = NotifierPorts {
            outbox: self.database.outbox_store(),
            store: services.store.clone(),
            log: services.log.clone(),
            rows: services.rows.clone(),
            automations: services.automations.clone(),
            tasks: services.tasks.clone(),
            catalog: services.catalog.clone(),
            sender: self.outside.clone(),
            secrets: self.secrets.clone(),
            clock: services.clock.clone(),
            ids: services.ids.clone(),
            observer: services.observer.clone(),
        };
        Notifier::new(ports, self.settings.clone(), Some("https://entracte.example/".into()))
    }

    async fn step(&self) {
        self.notifier().run_once().await.unwrap();
    }

    async fn target(&self, name: &str, wants: TargetPreferences) -> NotificationTarget {
        let services = &self.life.services;
        let add = AddNotificationTarget::new(
            self.database.outbox_store(),
            services.store.clone(),
            self.outside.clone(),
            services.clock.clone(),
            services.ids.clone(),
            9,
        );
        let secret = SecretReference::Environment("HOOK".into());
        let way = DeliveryChannel::Webhook { url: "https://hook.example/x".into(), secret };
        let new =
            NewNotificationTarget { name: name.into(), person: "ann".into(), way, wants, is_operators: true };
        add.run(&self.life.workspace, new).await.unwrap().target
    }

    /// A chat with a pending approval to create this zone; returns the approval and the digest of its card.
    async fn asks(&self, zone: &str) -> (SessionId, String, Digest) {
        let session = self.life.chat(true).await;
        self.model.push_lines([command_request_line("actions", &[("CREATE_ZONE", json!({ "name": zone }))])]);
        let turn = self.life.send_and_wait(&session, "make a zone").await;
        match turn.waiting {
            Some(PendingDecision::Validation(asked)) => {
                (session, asked[0].id.to_string(), asked[0].digest.clone().unwrap())
            }
            other => panic!("{other:?}"),
        }
    }

    /// The state of each notification, earliest first.
    async fn states(&self) -> Vec<(String, OutboxState)> {
        let read =
            ReadNotificationTargets::new(self.database.outbox_store(), self.life.services.store.clone());
        let rows = read.notifications(&self.life.workspace).await.unwrap();
        rows.into_iter().rev().map(|row| (row.kind, row.state)).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn notification_survives_kill() {
    for database in databases() {
        let scene = NotificationFixture::on(database).await;
        scene
            .target(
                "phone",
                TargetPreferences { kinds: vec![NotificationKind::Approval], ..TargetPreferences::default() },
            )
            .await;
        scene.asks("Health").await;
        // The process is killed during the delivery: the recipient got it, but that is not recorded.
        scene.outside.hang(true);
        let notifier = scene.notifier();
        tokio::select! {
            _ = notifier.run_once() => panic!("it hangs"),
            () = async {
                while scene.outside.received_notifications().is_empty() {
                    tokio::task::yield_now().await;
                }
            } => {}
        }
        scene.outside.hang(false);
        assert_eq!(scene.outside.ids().len(), 1);
        // The next one sends it again when it is due, with the same id, and then never again.
        scene.step().await;
        assert_eq!(scene.outside.ids().len(), 1, "not before it is due");
        scene.clock.jump(Millis::seconds(6));
        scene.step().await;
        let ids = scene.outside.ids();
        assert_eq!((ids.len(), &ids[0]), (2, &ids[1]));
        for _ in 0..3 {
            scene.clock.jump(Millis::hours(2));
            scene.step().await;
        }
        assert_eq!(scene.outside.ids().len(), 2, "without a crash nobody is told twice");
        assert_eq!(scene.states().await, [("approval.requested".to_owned(), OutboxState::Sent)]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn approval_is_notified_again_after_an_hour() {
    let scene = NotificationFixture::new().await;
    scene.target("phone", TargetPreferences::default()).await;
    let (session, approval, _) = scene.asks("Health").await;
    scene.step().await;
    scene.step().await;
    let body: Value = serde_json::from_str(&scene.outside.received_notifications()[0].body).unwrap();
    assert_eq!((&body["type"], &body["data"]["approval"]), (&json!("approval.requested"), &json!(approval)));
    let item = format!("https://entracte.example/inbox/{approval}");
    assert_eq!(body["data"]["links"], json!({ "open": item }), "no link to decide was wanted");
    scene.clock.jump(Millis::minutes(61));
    scene.step().await;
    assert_eq!(scene.outside.received_notifications().len(), 2);
    let (other, _, _) = scene.asks("Work").await;
    scene.step().await;
    assert_eq!(scene.outside.received_notifications().len(), 3);
    for session in [&session, &other] {
        scene.model.push_lines([envelope_line("Done.")]);
        scene.life.decide_and_wait(session, ApprovalChoice::Reject(None)).await;
    }
    scene.clock.jump(Millis::minutes(61));
    scene.step().await;
    assert_eq!(scene.outside.received_notifications().len(), 3, "what was decided is not told once more");
    let sent = |kind: &str, state| (kind.to_owned(), state);
    let mut states = scene.states().await;
    states.sort_by_key(|(kind, state)| (kind.clone(), state.word()));
    let expected = [
        sent("approval.requested", OutboxState::Sent),
        sent("approval.requested", OutboxState::Sent),
        sent("approval.waits", OutboxState::Dropped),
        sent("approval.waits", OutboxState::Sent),
    ];
    assert_eq!(states, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn undeliverable_notification_is_dead_after_a_day() {
    let scene = NotificationFixture::new().await;
    scene
        .target(
            "phone",
            TargetPreferences { kinds: vec![NotificationKind::Approval], ..TargetPreferences::default() },
        )
        .await;
    scene.asks("Health").await;
    for _ in 0..27 {
        scene.outside.set_next_delivery(DeliveryOutcome::Refused("HTTP 500".into()));
        scene.step().await;
        scene.clock.jump(Millis::hours(1));
    }
    let ids = scene.outside.ids();
    assert_eq!(ids.len(), 25, "at once, and each hour of a day");
    assert!(ids.iter().all(|id| *id == ids[0]));
    assert_eq!(scene.states().await, [("approval.requested".to_owned(), OutboxState::Dead)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn gone_target_gets_no_more_notifications() {
    let scene = NotificationFixture::new().await;
    scene
        .target(
            "phone",
            TargetPreferences { kinds: vec![NotificationKind::Approval], ..TargetPreferences::default() },
        )
        .await;
    scene.asks("Health").await;
    scene.outside.set_next_delivery(DeliveryOutcome::Gone);
    scene.step().await;
    scene.asks("Work").await;
    scene.clock.jump(Millis::hours(1));
    scene.step().await;
    assert_eq!(scene.outside.received_notifications().len(), 1);
    let read = ReadNotificationTargets::new(scene.database.outbox_store(), scene.life.services.store.clone());
    let target = read.all(&scene.life.workspace).await.unwrap().remove(0);
    assert_eq!(target.row.disabled.as_deref(), Some("410"));
}

/// Makes a step during which something happens while the first message is being delivered.
async fn step_during(scene: &NotificationFixture, happens: impl Future<Output = ()>) {
    scene.outside.hang(true);
    let notifier = scene.notifier();
    let meanwhile = async {
        while scene.outside.received_notifications().is_empty() {
            tokio::task::yield_now().await;
        }
        happens.await;
        scene.outside.hang(false);
    };
    let (stepped, ()) = tokio::join!(notifier.run_once(), meanwhile);
    stepped.unwrap();
}

/// A private target with details of approvals and a link that decides.
fn private() -> TargetPreferences {
    let kinds = vec![NotificationKind::Approval];
    TargetPreferences {
        kinds,
        is_private: true,
        is_full: true,
        has_links: true,
        ..TargetPreferences::default()
    }
}

/// Input: two approvals for a private target, which is removed, as after the expulsion of its person, during the first
/// delivery. Expected: the second is never sent.
#[tokio::test(flavor = "multi_thread")]
async fn removed_target_gets_no_pending_notification() {
    for database in databases() {
        let scene = NotificationFixture::on(database).await;
        let target = scene.target("phone", private()).await;
        scene.asks("Health").await;
        scene.asks("Work").await;
        let remove =
            RemoveNotificationTarget::new(scene.database.outbox_store(), scene.life.services.store.clone());
        step_during(&scene, async { remove.run(&scene.life.workspace, &target.id).await.unwrap() }).await;
        scene.clock.jump(Millis::hours(1));
        scene.step().await;
        assert_eq!(
            scene.outside.received_notifications().len(),
            1,
            "{:?}",
            scene.outside.received_notifications()
        );
    }
}

/// Input: the same, but its person declares meanwhile that others read it too. Expected: the second is sent later,
/// without the values and the link it would have had.
#[tokio::test(flavor = "multi_thread")]
async fn less_private_target_gets_only_permitted_details() {
    let scene = NotificationFixture::new().await;
    scene.target("phone", private()).await;
    scene.asks("Health").await;
    scene.asks("Work").await;
    let (outbox, store) = (scene.database.outbox_store(), scene.life.services.store.clone());
    let share = async {
        let read = ReadNotificationTargets::new(outbox.clone(), store.clone());
        let mut view = read.one(&scene.life.workspace, "phone").await.unwrap();
        view.target.wants =
            TargetPreferences { is_private: false, is_full: false, has_links: false, ..private() };
        ChangeNotificationTarget::new(outbox.clone(), store.clone(), scene.outside.clone())
            .run(view)
            .await
            .unwrap();
    };
    step_during(&scene, share).await;
    assert_eq!(
        scene.outside.received_notifications().len(),
        1,
        "{:?}",
        scene.outside.received_notifications()
    );
    scene.clock.jump(Millis::hours(1));
    scene.step().await;
    let told = scene.outside.received_notifications();
    assert_eq!(told.len(), 2, "it is told all the same");
    assert!(told[0].body.contains("lnk_") && told[0].body.contains("arguments_text"), "{:?}", told[0]);
    assert!(!told[1].body.contains("lnk_") && !told[1].body.contains("arguments_text"), "{:?}", told[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn quiet_hours_delay_notifications() {
    let scene = NotificationFixture::new().await;
    // The whole day except its last minute.
    let quiet = QuietHours::parse("00:00-23:59");
    scene
        .target(
            "phone",
            TargetPreferences {
                kinds: vec![NotificationKind::Approval],
                quiet,
                ..TargetPreferences::default()
            },
        )
        .await;
    scene.asks("Health").await;
    scene.asks("Work").await;
    scene.asks("Play").await;
    let mut told = Vec::new();
    for _ in 0..(24 * 60) {
        scene.step().await;
        scene.clock.jump(Millis::minutes(1));
        told = scene.outside.received_notifications();
        if !told.is_empty() {
            break;
        }
    }
    assert_eq!(told.len(), 1, "all three in one message");
    let body: Value = serde_json::from_str(&told[0].body).unwrap();
    assert_eq!((&body["type"], &body["data"]["count"]), (&json!("digest"), &json!(3)));
}

/// Scrubs the canary.
struct CanaryScrubber;

const CANARY: &str = "sk-canary-0123456789";

impl SecretScrubberFactory for CanaryScrubber {
    fn scrubber(&self, _: &[SecretOwner]) -> Arc<dyn Scrubber> {
        Arc::new(Self)
    }
}

impl Scrubber for CanaryScrubber {
    fn scrub_text(&self, text: &str) -> String {
        text.replace(CANARY, "[secret]")
    }

    fn partial_secret_len(&self, _: &str) -> usize {
        0
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_secret_is_told_or_kept() {
    let mut scene = NotificationFixture::new().await;
    scene.secrets = Arc::new(CanaryScrubber);
    let wants = TargetPreferences {
        is_private: true,
        is_full: true,
        has_links: true,
        ..TargetPreferences::default()
    };
    scene.target("mine", wants).await;
    scene.target("shared", TargetPreferences::default()).await;
    scene.asks(CANARY).await;
    scene.outside.set_next_delivery(DeliveryOutcome::Refused(format!("you sent {CANARY}")));
    scene.step().await;
    let told = scene.outside.received_notifications();
    assert_eq!(told.len(), 2);
    for told in &told {
        let all = format!("{told:?}");
        assert!(!all.contains(CANARY), "{all}");
    }
    let full: Vec<&String> =
        told.iter().map(|told| &told.body).filter(|body| body.contains("[secret]")).collect();
    assert_eq!(full.len(), 1, "only a private target is told what a call runs with");
    let outbox = scene.database.outbox_store();
    let rows = outbox.notifications(&scene.life.workspace, 99).await.unwrap();
    let targets = outbox.targets(None).await.unwrap();
    let link = told.iter().find_map(|told| told.click.as_ref()?.split_once("#")).unwrap().1;
    let kept = format!("{rows:?} {targets:?}");
    for secret in [CANARY, link] {
        assert!(!kept.contains(secret), "{kept}");
    }
    let hash = entracte_application::system::sha256(link.as_bytes());
    assert!(outbox.link(&hash).await.unwrap().is_some(), "of a link only its hash is kept");
}
