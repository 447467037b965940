use std::sync::Arc;

use entracte_adapters_commands::knowledge::{DocumentReader, KnowledgeExecutor};
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::command_naming::CommandNaming;
use entracte_application::commands::Catalog;
use entracte_application::json_value::{from_serde, to_serde};
use entracte_application::ports::{
    CallRequest, CommandExecutor, DocumentFormat, KnowledgeDocument, KnowledgeStore,
};
use entracte_application::rule_book::RuleBook;
use entracte_application::runtime::RuntimeServices;
use entracte_application::settings::{KnowledgeSettings, Language, RetentionSettings, WorkspaceLocale};
use entracte_application::system::RandomIdGenerator;
use entracte_application::use_cases::{
    AddDocument, AddDocumentOutcome, DocumentUpload, KnowledgeError, KnowledgeSearchResult,
    QueryStructuredDocument, ReadDocuments, RemoveDocument, SearchKnowledge,
};
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::command::Command;
use entracte_domain::id::{CallId, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;
use entracte_tests::contracts::StoreFixture;
use entracte_tests::postgres::TestDatabase;
use entracte_tests::runtime_fixture::{
    FakeModel, FixedNoonClock, RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock,
    retention_settings, services_with_retention,
};
use serde_json::Value;

/// A database that outlives the processes that use it.
pub(super) enum KnowledgeTestDatabase {
    File(tempfile::TempDir),
    Server(TestDatabase),
}

/// Each kind of database that is available.
pub(super) fn available_databases() -> Vec<KnowledgeTestDatabase> {
    let mut places = vec![KnowledgeTestDatabase::File(tempfile::tempdir().unwrap())];
    places.extend(TestDatabase::make().map(KnowledgeTestDatabase::Server));
    places
}

impl KnowledgeTestDatabase {
    pub(super) fn open(&self) -> Database {
        match self {
            Self::File(folder) => file(&folder.path().join("entracte.db")),
            Self::Server(made) => made.open(),
        }
    }

    /// An empty database file, as the target of a copy.
    pub(super) fn empty(&self) -> Database {
        match self {
            Self::File(folder) => file(&folder.path().join("copy.db")),
            Self::Server(_) => {
                let folder = tempfile::tempdir().unwrap();
                file(&folder.keep().join("copy.db"))
            }
        }
    }
}

fn file(path: &std::path::Path) -> Database {
    Database::open(path.to_str().unwrap(), DatabaseOptions::default()).unwrap()
}

/// The use cases and commands on a database.
pub(super) struct KnowledgeFixture {
    pub(super) database: Database,
    pub(super) workspace: WorkspaceKey,
    settings: KnowledgeSettings,
}

impl KnowledgeFixture {
    pub(super) fn on(place: &KnowledgeTestDatabase) -> Self {
        Self::with(place, KnowledgeSettings::default())
    }

    pub(super) fn with(place: &KnowledgeTestDatabase, settings: KnowledgeSettings) -> Self {
        Self { database: place.open(), workspace: WorkspaceKey::new("ann:home"), settings }
    }

    pub(super) fn store(&self) -> Arc<dyn KnowledgeStore> {
        self.database.knowledge_store()
    }

    pub(super) async fn add(
        &self,
        name: &str,
        format: DocumentFormat,
        text: &str,
    ) -> Result<AddDocumentOutcome, KnowledgeError> {
        let reader = Arc::new(DocumentReader::new(&KnowledgeSettings::default()));
        let (clock, ids) = (Arc::new(FixedNoonClock), Arc::new(RandomIdGenerator));
        let add = AddDocument::new(self.store(), reader, clock, ids, self.settings.clone());
        let file = DocumentUpload {
            name: name.to_owned(),
            source: format!("/srv/{name}"),
            format,
            bytes: text.as_bytes().to_vec(),
            author: "ann".to_owned(),
            language: Language::En,
        };
        add.run(&self.workspace, file).await
    }

    pub(super) async fn remove(&self, which: &str) -> Result<KnowledgeDocument, KnowledgeError> {
        RemoveDocument::new(self.store()).run(&self.workspace, which).await
    }

    fn searching(&self) -> SearchKnowledge {
        SearchKnowledge::new(self.store(), Arc::new(FixedNoonClock), None, self.settings.clone())
    }

    pub(super) async fn search(&self, question: &str) -> KnowledgeSearchResult {
        self.searching().run(&self.workspace, question, None).await.unwrap()
    }

    /// The stores of the database, for a runtime.
    pub(super) fn stores(&self) -> StoreFixture {
        StoreFixture {
            store: self.database.store(),
            log: self.database.log_reader(),
            resources: self.database.resource_reader(),
            mail: self.database.mail_store(),
            automations: self.database.automation_reader(),
            tasks: self.database.task_reader(),
            ownership: self.database.ownership(),
            keep: Box::new(()),
        }
    }

    /// A process that retains data under these limits.
    pub(super) async fn retaining_life(&self, clock: &Arc<TokioClock>, limits: &str) -> RuntimeFixture {
        self.life_with(clock, retention_settings(limits)).await
    }

    /// A process that retains data by these settings.
    pub(super) async fn life_with(
        &self,
        clock: &Arc<TokioClock>,
        retention: RetentionSettings,
    ) -> RuntimeFixture {
        let parts = ServicesFixtureParts {
            stores: self.stores(),
            provider: Arc::new(FakeModel::default()),
            executors: Vec::new(),
            rules: RuleBook::default(),
            clock: clock.clone(),
            ids: Arc::new(SequentialIds::default()),
        };
        let services = services_with_retention(&parts, retention);
        let services = RuntimeServices { knowledge: Some(self.store()), ..(*services).clone() };
        RuntimeFixture::start_runtime(Arc::new(services)).await
    }

    pub(super) fn executor(&self) -> KnowledgeExecutor {
        let clock = Arc::new(FixedNoonClock);
        let read = ReadDocuments::new(self.store(), clock.clone());
        KnowledgeExecutor::new(self.searching(), read, QueryStructuredDocument::new(self.store(), clock))
    }

    /// The result of a command whose arguments satisfy its schema.
    pub(super) async fn run(&self, name: &str, arguments: Value) -> Result<Value, CallFailure> {
        let executor: Arc<dyn CommandExecutor> = Arc::new(self.executor());
        let catalog = Catalog::new(std::slice::from_ref(&executor)).unwrap();
        let spec = &catalog.find(name).unwrap().spec;
        let problems = jsonschema_says(&to_serde(&spec.schema), &arguments);
        assert_eq!(problems, None, "{name} {arguments}");
        let request = CallRequest {
            workspace: self.workspace.clone(),
            session: SessionId::new("ses_1"),
            call: CallId::new("cal_1"),
            command: Command { name: name.to_owned(), arguments: from_serde(&arguments) },
            acts_as: None,
            via: Vec::new(),
            key: "k".to_owned(),
            task: None,
            attempt: 1,
            now: Timestamp(0),
            reference: Timestamp(0),
            locale: WorkspaceLocale::default(),
            naming: CommandNaming::Types,
            restriction: entracte_domain::restriction::Restriction::Open,
            progress: entracte_application::ports::CallProgressSink::default(),
        };
        match executor.run(request).await {
            CallOutcome::Succeeded { content, .. } => Ok(serde_json::from_str(&content).unwrap()),
            CallOutcome::Failed(failure) => Err(failure),
            other => panic!("{other:?}"),
        }
    }
}

/// The first member of the arguments that is not in the schema, if any; the catalog checks the values.
fn jsonschema_says(schema: &Value, arguments: &Value) -> Option<String> {
    let known = schema["properties"].as_object().unwrap();
    let unknown = arguments.as_object().unwrap().keys().find(|name| !known.contains_key(*name));
    unknown.cloned()
}
