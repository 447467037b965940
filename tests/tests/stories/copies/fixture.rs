//! The application on one of three stores, with a model that speaks both dialects.

use std::sync::Arc;

use entracte_adapters_commands::ResourcesExecutor;
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::ports::CommandExecutor;
use entracte_application::rule_book::RuleBook;
use entracte_application::settings::RetentionSettings;
use entracte_application::use_cases::{
    AcceptedRequest, ForkSession, InboxItem, InterruptRound, NewChat, ReadInbox, SessionFork, SessionView,
    ShowSession, StartChat, UseCaseError,
};
use entracte_domain::file::FileReference;
use entracte_domain::id::SessionId;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::Dialect;
use entracte_tests::contracts::StoreFixture;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::fakes::recording_executor::RecordingExecutor;
use entracte_tests::postgres;
use entracte_tests::runtime_fixture::{
    RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock, retention_settings,
    services_with_retention,
};

use super::bilingual_model::{BilingualModel, BilingualModelStep};

/// In memory, on SQLite, and on Postgres if a server is configured.
pub(crate) fn all_stores() -> Vec<StoreFixture> {
    [memory(), sqlite()].into_iter().chain(postgres::stores()).collect()
}

pub(crate) fn memory() -> StoreFixture {
    stores_of(&Arc::new(MemoryStore::new()))
}

/// The stores of one memory.
pub(crate) fn stores_of(memory: &Arc<MemoryStore>) -> StoreFixture {
    StoreFixture {
        store: memory.clone(),
        log: memory.clone(),
        resources: memory.clone(),
        mail: memory.clone(),
        automations: memory.clone(),
        tasks: memory.clone(),
        ownership: memory.clone(),
        keep: Box::new(()),
    }
}

fn sqlite() -> StoreFixture {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("entracte.db");
    let database = Database::open(path.to_str().unwrap(), DatabaseOptions::default()).unwrap();
    StoreFixture {
        store: database.store(),
        log: database.log_reader(),
        resources: database.resource_reader(),
        mail: database.mail_store(),
        automations: database.automation_reader(),
        tasks: database.task_reader(),
        ownership: database.ownership(),
        keep: Box::new(directory),
    }
}

pub(crate) struct SessionCopyFixture {
    parts: ServicesFixtureParts,
    retention: RetentionSettings,
    pub(crate) model: Arc<BilingualModel>,
    pub(crate) outside: Arc<RecordingExecutor>,
}

impl SessionCopyFixture {
    pub(crate) fn with_stores(
        stores: StoreFixture,
        lines: impl IntoIterator<Item = BilingualModelStep>,
    ) -> Self {
        let model = Arc::new(BilingualModel::default());
        model.push_steps(lines);
        let outside = Arc::new(RecordingExecutor::default());
        let resources = ResourcesExecutor::new(stores.resources.clone());
        let executors: Vec<Arc<dyn CommandExecutor>> = vec![outside.clone(), Arc::new(resources)];
        let parts = ServicesFixtureParts {
            stores,
            provider: model.clone(),
            executors,
            rules: RuleBook::default(),
            clock: Arc::new(TokioClock::default()),
            ids: Arc::new(SequentialIds::default()),
        };
        Self { parts, retention: RetentionSettings::default(), model, outside }
    }

    /// Retains data under these limits, in the text form of the workspace's setting.
    pub(crate) fn with_limits(mut self, limits: &str) -> Self {
        self.retention = retention_settings(limits);
        self
    }

    /// Lets each result of an external command have these files.
    pub(crate) fn with_result_files(mut self, files: Vec<FileReference>) -> Self {
        self.outside = Arc::new(RecordingExecutor { files, ..RecordingExecutor::default() });
        self.parts.executors[0] = self.outside.clone();
        self
    }

    /// Adds the commands of this executor.
    pub(crate) fn with_executor(mut self, executor: Arc<dyn CommandExecutor>) -> Self {
        self.parts.executors.push(executor);
        self
    }

    /// A running process; dropping it crashes it.
    pub(crate) async fn life(&self) -> RuntimeFixture {
        RuntimeFixture::start_runtime(services_with_retention(&self.parts, self.retention.clone())).await
    }

    pub(crate) fn effects(&self) -> usize {
        self.outside.recorded_effects().len()
    }
}

pub(crate) async fn chat(life: &RuntimeFixture, dialect: Dialect, require_validation: bool) -> SessionId {
    gated_chat(life, dialect, require_validation, Restriction::Open).await.unwrap()
}

pub(crate) async fn gated_chat(
    life: &RuntimeFixture,
    dialect: Dialect,
    require_validation: bool,
    restriction: Restriction,
) -> Result<SessionId, UseCaseError> {
    let chat = NewChat {
        name: "test".into(),
        provider: "fake".into(),
        model: "fake-1".into(),
        dialect,
        mode: None,
        require_validation,
        restriction,
    };
    let start = StartChat::new(life.mail_sender.clone(), life.services.ids.clone());
    Ok(start.run(&life.workspace, chat).await?.session)
}

pub(crate) async fn view(life: &RuntimeFixture, session: &SessionId) -> SessionView {
    ShowSession::new(life.services.store.clone()).run(&life.workspace, session).await.unwrap()
}

pub(crate) async fn fork(life: &RuntimeFixture, session: &SessionId, at: u64) -> SessionFork {
    let fork =
        ForkSession::new(life.mail_sender.clone(), life.services.store.clone(), life.services.ids.clone());
    fork.run(&life.workspace, session, "ann".into(), Some(at), None).await.unwrap()
}

pub(crate) async fn interrupt(life: &RuntimeFixture, session: &SessionId) {
    try_interrupt(life, session).await.unwrap();
}

pub(crate) async fn try_interrupt(
    life: &RuntimeFixture,
    session: &SessionId,
) -> Result<AcceptedRequest, UseCaseError> {
    InterruptRound::new(life.mail_sender.clone()).run(&life.workspace, session, "ann".into()).await
}

pub(crate) async fn inbox(life: &RuntimeFixture) -> Vec<InboxItem> {
    let services = &life.services;
    let inbox = ReadInbox::new(
        services.store.clone(),
        services.log.clone(),
        services.rows.clone(),
        services.catalog.get(),
        services.clock.clone(),
    );
    inbox.run(&life.workspace).await.unwrap()
}
