//! A process with a model and a recording executor, on a store that counts reads.

use std::sync::Arc;
use std::time::Duration;

use entracte_application::ports::{Clock, CommandExecutor};
use entracte_application::rule_book::RuleBook;
use entracte_application::runtime::RuntimeServices;
use entracte_application::settings::RuntimeSettings;
use entracte_domain::id::SessionId;
use entracte_domain::time::Millis;
use entracte_tests::contracts::StoreFixture;
use entracte_tests::fakes::flaky_store::FlakyStore;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::fakes::recording_executor::RecordingExecutor;
use entracte_tests::runtime_fixture::{
    FakeModel, FakeModelLine, RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock,
    command_request_line, services,
};
use serde_json::json;

/// The ports of a process, and the accessors of a test.
pub(crate) struct IdleSessionFixture {
    pub(crate) clock: Arc<TokioClock>,
    pub(crate) store: Arc<FlakyStore>,
    pub(crate) model: Arc<FakeModel>,
    services: Arc<RuntimeServices>,
}

impl IdleSessionFixture {
    /// Creates the fixture with these lines of the model.
    pub(crate) fn new(lines: impl IntoIterator<Item = FakeModelLine>) -> Self {
        let memory = Arc::new(MemoryStore::new());
        let store = Arc::new(FlakyStore::new(memory.clone()));
        let model = Arc::new(FakeModel::default());
        model.push_lines(lines);
        let executors: Vec<Arc<dyn CommandExecutor>> = vec![Arc::new(RecordingExecutor::default())];
        let clock = Arc::new(TokioClock::default());
        let services = services(&ServicesFixtureParts {
            stores: StoreFixture {
                store: store.clone(),
                log: memory.clone(),
                resources: memory.clone(),
                mail: memory.clone(),
                automations: memory.clone(),
                tasks: memory.clone(),
                ownership: memory,
                keep: Box::new(()),
            },
            provider: model.clone(),
            executors,
            rules: RuleBook::default(),
            clock: clock.clone(),
            ids: Arc::new(SequentialIds::default()),
        });
        // No other process posts mail here, and a day passes quickly.
        let settings = RuntimeSettings { mail_poll: Millis::hours(1), ..RuntimeSettings::default() };
        Self {
            clock,
            store,
            model,
            services: Arc::new(RuntimeServices { settings, ..RuntimeServices::clone(&services) }),
        }
    }

    /// Changes the services.
    pub(crate) fn with_services(mut self, change: impl FnOnce(&mut RuntimeServices)) -> Self {
        let mut changed = RuntimeServices::clone(&self.services);
        change(&mut changed);
        self.services = Arc::new(changed);
        self
    }

    /// A running process.
    pub(crate) async fn life(&self) -> RuntimeFixture {
        RuntimeFixture::start_runtime(self.services.clone()).await
    }

    /// Minutes since the process started, by its own clock.
    pub(crate) fn minutes(&self) -> i64 {
        (self.clock.now().0 - entracte_tests::runtime_fixture::NOON.0) / 60_000_000
    }
}

/// A reply that requests an action.
pub(crate) fn asks_to_send() -> FakeModelLine {
    command_request_line("actions", &[("SEND", json!({ "to": "ann" }))])
}

/// A chat in this workspace that waits for approval, which expires after a day.
pub(crate) async fn waits_for_approval(life: &RuntimeFixture, workspace: &str) -> SessionId {
    let there = life.in_workspace(workspace);
    let session = there.chat(true).await;
    there.send_and_wait(&session, "send it").await;
    assert_eq!(there.phase(&session).await, "WAITING_VALIDATION");
    session
}

/// Advances the time while all tasks wait.
pub(crate) async fn advance_time(span: Millis) {
    tokio::time::sleep(Duration::from_millis(span.0.unsigned_abs())).await;
}
