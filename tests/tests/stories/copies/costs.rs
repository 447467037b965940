//! What model calls cost is kept as sums, which equal what a full read of the logs gives.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::{
    CommandExecutor, CostFilter, CostSumBy, CostSumKey, ModelReply, ModelRequest, Provider,
    ProviderDescription, ProviderFailure, ReplySink,
};
use entracte_application::retention::RetentionStep;
use entracte_application::retention_planner::{RetentionPlanner, RetentionPlannerPorts};
use entracte_application::rule_book::RuleBook;
use entracte_application::settings::RetentionSettings;
use entracte_application::use_cases::{DeleteSession, EndSession, ExportSession, ImportSession};
use entracte_domain::id::SessionId;
use entracte_domain::session::Dialect;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;
use entracte_domain::usage::Usage;
use entracte_tests::contracts::StoreFixture;
use entracte_tests::cost_checks::{ALL_SUMS, all_sums, check_all_sums};
use entracte_tests::fakes::recording_executor::RecordingExecutor;
use entracte_tests::runtime_fixture::{
    FakeModel, FakeModelLine, RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock,
    command_request_line, envelope_line, retention_settings, services_with_retention,
};
use serde_json::json;

use super::fixture::{all_stores, chat, fork, interrupt};

/// A model whose answers have a price: a third of a millionth of a dollar for each, which no binary fraction is.
struct PricedModel(FakeModel);

#[async_trait]
impl Provider for PricedModel {
    fn info(&self) -> ProviderDescription {
        self.0.info()
    }

    fn encoding(&self) -> Arc<str> {
        self.0.encoding()
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        self.0.body(request)
    }

    async fn call(
        &self,
        request: ModelRequest,
        sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        let reply = self.0.call(request, sink).await?;
        let usage = reply.usage.map(|usage| usage.with_cost("0.000000333333".parse().unwrap()));
        Ok(ModelReply { usage, ..reply })
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        self.0.check().await
    }
}

struct CostFixture {
    model: Arc<PricedModel>,
    parts: ServicesFixtureParts,
    retention: RetentionSettings,
}

impl CostFixture {
    fn new(stores: StoreFixture) -> Self {
        let model = Arc::new(PricedModel(FakeModel::default()));
        let executors: Vec<Arc<dyn CommandExecutor>> = vec![Arc::new(RecordingExecutor::default())];
        let parts = ServicesFixtureParts {
            stores,
            provider: model.clone(),
            executors,
            rules: RuleBook::default(),
            clock: Arc::new(TokioClock::default()),
            ids: Arc::new(SequentialIds::default()),
        };
        Self { model, parts, retention: RetentionSettings::default() }
    }

    async fn life(&self) -> RuntimeFixture {
        RuntimeFixture::start_runtime(services_with_retention(&self.parts, self.retention.clone())).await
    }

    fn will(&self, lines: impl IntoIterator<Item = FakeModelLine>) {
        self.model.0.push_lines(lines);
    }
}

/// Input: rounds with calls, retries after failures, a call that is interrupted, a restart, a fork, an import and a
/// deletion; expected: after each, every sum that the store keeps equals what a full read of the logs gives, on every
/// store.
#[tokio::test(start_paused = true)]
async fn costs_are_incremental_sums() {
    for stores in all_stores() {
        let stage = CostFixture::new(stores);
        let life = stage.life().await;
        let log = life.services.log.clone();
        let check = async || check_all_sums(&log, &life.workspace).await;
        let session = chat(&life, Dialect::Envelope, false).await;
        check().await;

        stage.will([
            command_request_line("queries", &[("LOOK", json!({ "at": "weight" }))]),
            envelope_line("One."),
        ]);
        life.send_and_wait(&session, "one").await;
        check().await;

        stage.will([
            FakeModelLine::Fails(FailureClass::Lost),
            FakeModelLine::Fails(FailureClass::Overloaded),
            envelope_line("Two."),
        ]);
        life.send_and_wait(&session, "two").await;
        check().await;

        // A call that nobody answers counts as perhaps billed.
        stage.will([FakeModelLine::Hangs]);
        life.send_message(&session, "three").await;
        check().await;
        interrupt(&life, &session).await;
        check().await;

        let forked = fork(&life, &session, 4).await.session;
        check().await;
        stage.will([envelope_line("Four.")]);
        life.send_and_wait(&forked, "four").await;
        check().await;

        let services = &life.services;
        let export = ExportSession::new(services.store.clone(), services.log.clone());
        let file = export.run(&life.workspace, &session).await.unwrap().encode().unwrap();
        let import = ImportSession::new(life.mail_sender.clone(), services.ids.clone());
        let imported = import.run(&life.workspace, "ann".into(), file, true).await.unwrap().session;
        check().await;
        stage.will([envelope_line("Five.")]);
        life.send_and_wait(&imported, "five").await;
        check().await;

        let by_session = CostFilter::new(life.workspace.clone(), CostSumBy::Session, 9);
        let sums: Vec<_> = all_sums(&log, &by_session).await;
        let known =
            |cents: u64| Usage::default().with_cost("0.000000333333".parse().unwrap()).cost.times(cents);
        let told: Vec<_> = sums.iter().map(|sum| (sum.key.clone(), sum.attempts, sum.usage.cost)).collect();
        let key = |session: &entracte_domain::id::SessionId| CostSumKey::Session(session.clone());
        let expected =
            [(key(&session), 6, known(3)), (key(&forked), 1, known(1)), (key(&imported), 1, known(1))];
        assert_eq!(told, expected, "a copy pays for its own calls alone");
        assert!(sums.iter().all(|sum| sum.name.is_some()), "{sums:?}");

        let delete = DeleteSession::new(life.mail_sender.clone());
        delete.run(&life.workspace, &session, "ann".into()).await.unwrap();
        check().await;
        assert_eq!(all_sums(&log, &by_session).await.len(), 2, "a deleted session costs nothing any more");
        assert_eq!(log.uncounted_sessions(&life.workspace).await.unwrap(), 0);
    }
}

/// Input: an ended chat with more attempts than a commit may touch rows; expected: no commit touches more of them, and every
/// sum is as before.
#[tokio::test(start_paused = true)]
async fn costs_of_a_long_chat_go_in_pieces() {
    const ROWS: u32 = 4;
    for stores in all_stores() {
        let mut stage = CostFixture::new(stores);
        stage.retention = RetentionSettings { rows_per_commit: ROWS, ..retention_settings("chats=5s") };
        let life = stage.life().await;
        let session = chat(&life, Dialect::Envelope, false).await;
        for round in 0..7 {
            stage.will([envelope_line(&format!("Number {round}."))]);
            life.send_and_wait(&session, "go on").await;
        }
        let end = EndSession::new(life.mail_sender.clone());
        end.run(&life.workspace, &session, "ann".into()).await.unwrap();
        life.services.clock.sleep(Millis::seconds(10)).await;

        let ports = RetentionPlannerPorts { store: &*life.services.store, log: &*life.services.log };
        let (settings, now) = (&life.services.settings.retention, life.services.clock.now());
        let planner = RetentionPlanner::open(ports, &life.workspace, settings, now).await.unwrap();
        let (mut planner, mut parts) = (planner.unwrap(), Vec::new());
        while let Some(batch) = planner.next_batch(ports).await.unwrap() {
            parts.extend(batch.steps().into_iter().filter_map(|step| match step {
                RetentionStep::DetachCosts { attempts, .. } => Some(attempts),
                _ => None,
            }));
        }
        assert_eq!(parts, [4, 3]);

        let before = all_totals(&life).await;
        assert_eq!(before[0].0, 7);
        life.retention(ROWS).run(&life.workspace, &mut |_| {}).await.unwrap();
        assert!(life.services.store.session(&life.workspace, &session).await.unwrap().is_none());
        assert_eq!(all_totals(&life).await, before);
    }
}

/// The number of attempts and their usage, by each kind of sum.
async fn all_totals(life: &RuntimeFixture) -> Vec<(u64, Usage)> {
    let mut totals = Vec::new();
    for by in ALL_SUMS {
        let filter = CostFilter::new(life.workspace.clone(), by, 100);
        let sums = life.services.log.cost_sums(&filter).await.unwrap().sums;
        let mut usage = Usage::default();
        sums.iter().for_each(|sum| usage.add(sum.usage));
        totals.push((sums.iter().map(|sum| sum.attempts).sum(), usage));
    }
    totals
}

/// Input: chats with costs, of which one is deleted by hand and the others go by the policy; expected: what went by the
/// policy stays in every sum, without its session.
#[tokio::test(start_paused = true)]
async fn costs_survive_retention() {
    for stores in all_stores() {
        let mut stage = CostFixture::new(stores);
        stage.retention = retention_settings("chats=5s");
        let life = stage.life().await;
        for _ in 0..2 {
            let session = chat(&life, Dialect::Envelope, false).await;
            stage.will([envelope_line("One."), envelope_line("Two.")]);
            life.send_and_wait(&session, "one").await;
            life.send_and_wait(&session, "two").await;
            let end = EndSession::new(life.mail_sender.clone());
            end.run(&life.workspace, &session, "ann".into()).await.unwrap();
        }
        life.services.clock.sleep(Millis::seconds(10)).await;
        let log = life.services.log.clone();
        let before = all_totals(&life).await;
        assert_eq!(before[0].0, 4);
        life.retention(200).run(&life.workspace, &mut |_| {}).await.unwrap();
        assert_eq!(all_totals(&life).await, before);
        let filter = CostFilter::new(life.workspace.clone(), CostSumBy::Session, 100);
        let keys: Vec<CostSumKey> =
            log.cost_sums(&filter).await.unwrap().sums.into_iter().map(|sum| sum.key).collect();
        assert_eq!(keys, [CostSumKey::Session(SessionId::new(""))]);
    }
}
