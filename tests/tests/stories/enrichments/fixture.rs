//! A workspace with a zone, a tool and an entry, and queries that a test can hold back.

#![expect(clippy::unwrap_used, reason = "these are tests")]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use async_trait::async_trait;
use entracte_adapters_commands::ResourcesExecutor;
use entracte_adapters_commands::resources::WorkspaceDataModel;
use entracte_application::calendar::Calendar;
use entracte_application::codec::WorkspaceBody;
use entracte_application::commands::Catalog;
use entracte_application::json_value;
use entracte_application::mail::{
    CreateAutomationRequest, Mail, MailAnswer, MailRequest, NewAutomationRequest, NewSeedRequest,
};
use entracte_application::ports::{
    ActionDescription, ActionPlan, ActionPlanError, ActionTarget, CallRequest, CommandExecutor, CommandSpec,
    ResourceModel, ResourceReader, SchemaRequirement, StoreError, WorkspaceCommit,
};
use entracte_application::rule_book::RuleBook;
use entracte_application::settings::{Language, WorkspaceLocale};
use entracte_application::texts::LocalizedTexts;
use entracte_application::use_cases::{
    AcceptedRequest, NewChat, SendMessage, StartChat, TurnView, UseCaseError,
};
use entracte_domain::automation::{AutomationPolicies, Trigger};
use entracte_domain::call::CallOutcome;
use entracte_domain::command::Command;
use entracte_domain::id::{AutomationId, CallId, SessionId, WorkspaceKey};
use entracte_domain::message::{Enrichment, Segment, UserMessage};
use entracte_domain::session::{Dialect, ModelSelection};
use entracte_tests::contracts::StoreFixture;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::runtime_fixture::{
    FakeModel, FakeModelLine, NOON, RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock, services,
};
use serde_json::{Value, json};

/// The commands of a workspace.
pub(crate) static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    let executor: Arc<dyn CommandExecutor> = Arc::new(ResourcesExecutor::new(Arc::new(MemoryStore::new())));
    Catalog::new(&[executor]).unwrap()
});

/// The expected state of a command that succeeded.
pub(crate) fn succeeded(name: &str) -> (String, String) {
    (name.to_owned(), "succeeded".to_owned())
}

/// Parses the text of an enrichment.
pub(crate) fn parse_enrichment(written: &str) -> Enrichment {
    let (calendar, texts) =
        (Calendar::from_locale(&WorkspaceLocale::default()), LocalizedTexts::for_language(Language::En));
    let written = json_value::parse(written).unwrap();
    WorkspaceDataModel::default().read_enrichment(&written, &calendar, texts).unwrap()
}

/// A text followed by these enrichments.
fn message_of(text: &str, enrichments: &[&str]) -> UserMessage {
    let enrichments = enrichments.iter().map(|written| Segment::Enrichment(parse_enrichment(written)));
    UserMessage { segments: std::iter::once(Segment::Text(text.to_owned())).chain(enrichments).collect() }
}

/// The real commands, whose queries wait while the gate is closed.
pub(crate) struct GatedQueryExecutor {
    inner: ResourcesExecutor,
    pub(crate) shut: AtomicBool,
    pub(crate) waiting: AtomicUsize,
    opened: tokio::sync::Notify,
    ran: Mutex<Vec<String>>,
}

impl GatedQueryExecutor {
    pub(crate) fn open(&self) {
        self.shut.store(false, Ordering::SeqCst);
        self.opened.notify_waiters();
    }

    /// How often a query completed.
    pub(crate) fn runs(&self, name: &str) -> usize {
        self.ran.lock().unwrap().iter().filter(|ran| *ran == name).count()
    }
}

#[async_trait]
impl CommandExecutor for GatedQueryExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        self.inner.commands()
    }

    fn resource_model(&self) -> Option<Arc<dyn ResourceModel>> {
        self.inner.resource_model()
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        if self.shut.load(Ordering::SeqCst) {
            let opened = self.opened.notified();
            self.waiting.fetch_add(1, Ordering::SeqCst);
            opened.await;
        }
        self.ran.lock().unwrap().push(request.command.name.clone());
        self.inner.run(request).await
    }

    async fn probe_outcome(&self, request: CallRequest) -> CallOutcome {
        self.inner.probe_outcome(request).await
    }

    async fn plan(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionPlan, ActionPlanError> {
        self.inner.plan(request, rows).await
    }

    async fn describe(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        self.inner.describe(request, rows).await
    }

    async fn target(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionTarget, StoreError> {
        self.inner.target(request, rows).await
    }

    async fn schema(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<Option<SchemaRequirement>, StoreError> {
        self.inner.schema(request, rows).await
    }
}

/// A model, a gate, and processes on one store.
pub(crate) struct EnrichmentFixture {
    parts: ServicesFixtureParts,
    pub(crate) model: Arc<FakeModel>,
    pub(crate) gate: Arc<GatedQueryExecutor>,
}

impl EnrichmentFixture {
    /// A workspace with the zone `zon_x_1_0` “Rooms”, in it the tool `tool_x_2_0` “Scale” with an entry of 72.5 on
    /// Wednesday; the model plays these lines.
    pub(crate) async fn with_rows(lines: impl IntoIterator<Item = FakeModelLine>) -> Self {
        let memory = Arc::new(MemoryStore::new());
        let stores = StoreFixture {
            store: memory.clone(),
            log: memory.clone(),
            resources: memory.clone(),
            mail: memory.clone(),
            automations: memory.clone(),
            tasks: memory.clone(),
            ownership: memory.clone(),
            keep: Box::new(()),
        };
        let model = Arc::new(FakeModel::default());
        model.push_lines(lines);
        let gate = Arc::new(GatedQueryExecutor {
            inner: ResourcesExecutor::new(memory),
            shut: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
            opened: tokio::sync::Notify::new(),
            ran: Mutex::default(),
        });
        let parts = ServicesFixtureParts {
            stores,
            provider: model.clone(),
            executors: vec![gate.clone()],
            rules: RuleBook::default(),
            clock: Arc::new(TokioClock::default()),
            ids: Arc::new(SequentialIds::default()),
        };
        let scene = Self { parts, model, gate };
        // The workspace is created with its first session.
        drop(scene.life().await.chat(false).await);
        let entry = json!({"data": {"value": 72.5}, "timestamp": "2026-11-18T00:00:00Z"});
        let tool = json!({
            "zone_id": "zon_x_1_0", "tool_type": "tracking", "name": "Scale", "config": {"kind": "numeric"}
        });
        scene.make(1, "zones.create", &json!({"name": "Rooms"})).await;
        scene.make(2, "tools.create", &tool).await;
        scene.make(3, "tool_data.batch_create", &json!({"tool_id": "tool_x_2_0", "entries": [entry]})).await;
        scene
    }

    /// A running process; dropping it crashes it.
    pub(crate) async fn life(&self) -> RuntimeFixture {
        RuntimeFixture::start_runtime(services(&self.parts)).await
    }

    /// A chat in this dialect.
    pub(crate) async fn session(&self, life: &RuntimeFixture, dialect: Dialect) -> SessionId {
        let start = StartChat::new(life.mail_sender.clone(), life.services.ids.clone());
        let chat = NewChat {
            name: "test".into(),
            provider: "fake".into(),
            model: "fake-1".into(),
            dialect,
            mode: None,
            require_validation: false,
            restriction: entracte_domain::restriction::Restriction::Open,
        };
        start.run(&life.workspace, chat).await.unwrap().session
    }

    /// The seed of an automation with a text and these enrichments.
    pub(crate) async fn seed(&self, life: &RuntimeFixture, text: &str, enrichments: &[&str]) -> SessionId {
        let id = life.services.ids.session();
        let new = NewAutomationRequest {
            id: AutomationId::new("aut_seeded"),
            name: "seeded".into(),
            trigger: Trigger::Manual,
            policies: AutomationPolicies::default(),
            enabled: true,
            seed: NewSeedRequest {
                id: id.clone(),
                message: message_of(text, enrichments),
                voice: ModelSelection {
                    provider: "fake".into(),
                    model: "fake-1".into(),
                    dialect: Dialect::Envelope,
                },
                require_validation: false,
                restriction: entracte_domain::restriction::Restriction::Open,
            },
        };
        let request = MailRequest::workspace(CreateAutomationRequest { author: "ann".into(), new });
        let answer = life.mail_sender.post(&life.workspace, Mail::from_request(request)).await.unwrap();
        assert!(matches!(answer, MailAnswer::Made { .. }), "{answer:?}");
        id
    }

    /// Sends a text followed by these enrichments.
    pub(crate) async fn send(
        &self,
        life: &RuntimeFixture,
        session: &SessionId,
        text: &str,
        enrichments: &[&str],
    ) -> Result<AcceptedRequest, UseCaseError> {
        self.hand_in(life, session, message_of(text, enrichments)).await
    }

    /// Sends these enrichments alone.
    pub(crate) async fn send_all(
        &self,
        life: &RuntimeFixture,
        session: &SessionId,
        enrichments: Vec<Enrichment>,
    ) -> Result<AcceptedRequest, UseCaseError> {
        let segments = enrichments.into_iter().map(Segment::Enrichment).collect();
        self.hand_in(life, session, UserMessage { segments }).await
    }

    async fn hand_in(
        &self,
        life: &RuntimeFixture,
        session: &SessionId,
        message: UserMessage,
    ) -> Result<AcceptedRequest, UseCaseError> {
        let send = SendMessage::new(life.mail_sender.clone());
        send.run(&life.workspace, session, "ann".into(), message, None).await
    }

    /// Sends a text followed by these enrichments, and waits until the session rests.
    pub(crate) async fn turn(
        &self,
        life: &RuntimeFixture,
        session: &SessionId,
        text: &str,
        enrichments: &[&str],
    ) -> TurnView {
        let after = life.follow().last_entry_number(&life.workspace, session).await.unwrap();
        self.send(life, session, text, enrichments).await.unwrap();
        life.follow().run_until_idle(&life.workspace, session, after).await.unwrap()
    }

    /// A request to the model as text.
    pub(crate) fn request(&self, number: usize) -> String {
        let requests = self.model.requests.lock().unwrap();
        format!("{:?}", requests[number].turns)
    }

    /// Commits the plan of an executor's action, as call number `place` of the session `ses_x`.
    pub(crate) async fn make(&self, place: usize, name: &str, arguments: &Value) {
        let request = CallRequest {
            workspace: WorkspaceKey::new("ann:home"),
            session: SessionId::new("ses_x"),
            call: CallId::new(format!("cal_x_{place}_0")),
            command: Command {
                name: name.into(),
                arguments: json_value::parse(&arguments.to_string()).unwrap(),
            },
            acts_as: None,
            via: Vec::new(),
            key: format!("key {place}"),
            task: None,
            attempt: 1,
            now: NOON,
            reference: NOON,
            locale: WorkspaceLocale::default(),
            naming: entracte_application::command_naming::CommandNaming::Types,
            restriction: entracte_domain::restriction::Restriction::Open,
            progress: entracte_application::ports::CallProgressSink::default(),
        };
        let plan = self.gate.plan(request, self.parts.stores.resources.clone()).await.unwrap();
        self.commit(|commit| commit.resources = plan.changes).await;
    }

    /// Changes the language of the workspace.
    pub(crate) async fn speak(&self, language: Language) {
        let key = WorkspaceKey::new("ann:home");
        let mut body = WorkspaceBody::load(&*self.parts.stores.store, &key).await.unwrap();
        body.settings.language = language;
        let body = body.encode().unwrap();
        self.commit(|commit| commit.workspace.body = body).await;
    }

    async fn commit(&self, change: impl FnOnce(&mut WorkspaceCommit)) {
        let store = &self.parts.stores.store;
        let workspace = store.workspace(&WorkspaceKey::new("ann:home")).await.unwrap().unwrap();
        let mut commit = WorkspaceCommit {
            expected_seq: Some(workspace.seq),
            ..WorkspaceCommit::for_workspace(workspace)
        };
        change(&mut commit);
        store.commit(commit).await.unwrap();
    }
}
