//! A workspace on a store, driven step by step, whose model requests one long task; and its task server. The clock
//! moves only when it is set; the process may be killed between two steps.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::codec::{decode_snapshot, decode_task};
use entracte_application::mail::{
    Mail, MailAnswer, MailRequest, MarkTaskSeenRequest, NewSessionRequest, ReceiveTaskUpdateRequest,
    SendMessageRequest,
};
use entracte_application::ports::{
    CallRequest, Clock, CommandExecutor, CommandSpec, ModelReply, ModelRequest, Provider,
    ProviderDescription, ProviderFailure, ReplyEnd, ReplySink, TaskArrivalRow, TaskFilter, TaskGateway,
    TaskGatewayRequest, TaskSpec,
};
use entracte_application::retention::RetentionStep;
use entracte_application::retention_planner::{RetentionPlanner, RetentionPlannerPorts};
use entracte_application::runtime::{
    EffectContext, LoadedWorkspace, OwnershipLease, RuntimeServices, StaticProviderRegistry, StorePorts,
    TurnFollowUp, WorkspaceInput, perform, perform_task_work,
};
use entracte_application::system::sha256;
use entracte_application::use_cases::VerifySession;
use entracte_domain::call::CallOutcome;
use entracte_domain::command::EffectClass;
use entracte_domain::id::{SessionId, TaskId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, Effect, Phase, SessionFacts, SessionKind};
use entracte_domain::task::{CancelResponse, Task, TaskHandle, TaskOutcome, TaskProtocol, TaskUpdate};
use entracte_domain::time::Millis;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::postgres::TestDatabase;
use entracte_tests::runtime_fixture::retention_settings;
use entracte_tests::virtual_workspace::ManualClock;

/// Maximum duration of a task here.
pub(crate) const DEADLINE: Millis = Millis::hours(1);

/// A store under test, and the resources that must outlive it.
pub(crate) struct TaskStoreFixture {
    pub(crate) name: &'static str,
    ports: StorePorts,
    _keep: Box<dyn std::any::Any>,
}

/// In memory, on SQLite, and on Postgres if a server is configured.
pub(crate) fn stores() -> Vec<TaskStoreFixture> {
    let memory = Arc::new(MemoryStore::new());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("entracte.db");
    let sqlite = Database::open(path.to_str().unwrap(), DatabaseOptions::default()).unwrap();
    let mut stores = vec![
        TaskStoreFixture { name: "memory", ports: memory.into(), _keep: Box::new(()) },
        TaskStoreFixture { name: "sqlite", ports: (&sqlite).into(), _keep: Box::new((sqlite, folder)) },
    ];
    if let Some(made) = TestDatabase::make() {
        let database = made.open();
        let ports = (&database).into();
        stores.push(TaskStoreFixture { name: "postgres", ports, _keep: Box::new((database, made)) });
    }
    stores
}

/// The task server: accepts every task, and sends the messages that a test sets.
pub(crate) struct FakeBookkeepingServer {
    /// Whether it answers a dispatch; otherwise the connection is cut.
    pub(crate) accepts: bool,
    /// The requested delay before the first poll.
    pub(crate) poll_after: Option<Millis>,
    /// The dispatched tasks.
    pub(crate) sent: Mutex<Vec<TaskId>>,
    /// The answer to the next poll.
    pub(crate) says: Mutex<TaskUpdate>,
    /// The number of polls and stop requests.
    pub(crate) asked: AtomicU32,
    pub(crate) stopped: AtomicU32,
}

impl Default for FakeBookkeepingServer {
    fn default() -> Self {
        Self {
            accepts: true,
            poll_after: None,
            sent: Mutex::default(),
            says: Mutex::new(TaskUpdate::Unreachable),
            asked: AtomicU32::new(0),
            stopped: AtomicU32::new(0),
        }
    }
}

/// The executor that calls the task server.
pub(crate) struct FakeBookkeepingExecutor(pub(crate) Arc<FakeBookkeepingServer>);

#[async_trait]
impl CommandExecutor for FakeBookkeepingExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let schema = serde_json::json!({ "type": "object" });
        let task = TaskSpec { gateway: TaskProtocol::Http, is_registered: true, deadline: DEADLINE };
        let close =
            CommandSpec::action("CLOSE_BOOKS", "books.close", "Closes the books.", EffectClass::Once, schema);
        vec![CommandSpec { task: Some(task), ..close }]
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let task = request.task.expect("the row of a task is there before it is sent");
        self.0.sent.lock().unwrap().push(task.clone());
        if !self.0.accepts {
            return CallOutcome::Lost { found_by_start: None, lands_by: None };
        }
        let remote = Some(format!("https://books.example/tasks/{}", task.as_str()));
        let handle = TaskHandle { remote, poll_after: self.0.poll_after, until: None };
        CallOutcome::Accepted { content: format!("{task} has begun"), task, handle }
    }

    fn gateway(&self) -> Option<Arc<dyn TaskGateway>> {
        Some(Arc::new(FakeBookkeepingGateway(self.0.clone())))
    }
}

struct FakeBookkeepingGateway(Arc<FakeBookkeepingServer>);

#[async_trait]
impl TaskGateway for FakeBookkeepingGateway {
    async fn poll(&self, _: TaskGatewayRequest) -> TaskUpdate {
        self.0.asked.fetch_add(1, Ordering::SeqCst);
        self.0.says.lock().unwrap().clone()
    }

    async fn cancel(&self, _: TaskGatewayRequest) -> TaskUpdate {
        self.0.stopped.fetch_add(1, Ordering::SeqCst);
        TaskUpdate::CancelAnswered(CancelResponse::Confirmed)
    }

    async fn answer(&self, _: TaskGatewayRequest) -> TaskUpdate {
        TaskUpdate::answer_taken()
    }
}

/// Requests the task with its first reply, then only acknowledges.
#[derive(Default)]
pub(crate) struct TaskRequestingModel {
    /// The first replies; if empty, the request for the bookkeeping task.
    pub(crate) first: Mutex<Vec<String>>,
    /// The text of each request.
    pub(crate) heard: Mutex<Vec<String>>,
}

#[async_trait]
impl Provider for TaskRequestingModel {
    fn info(&self) -> ProviderDescription {
        ProviderDescription {
            name: "clerk".into(),
            kind: "clerk".into(),
            display_name: "Clerk".into(),
            default_model: "clerk".into(),
            base_url: None,
            context_tokens: None,
            max_output_tokens: None,
        }
    }

    fn encoding(&self) -> Arc<str> {
        "".into()
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        Ok(format!("{request:?}").into_bytes())
    }

    async fn call(
        &self,
        request: ModelRequest,
        _: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        self.heard.lock().unwrap().push(format!("{:?}", request.turns));
        let close = r#"{"pre_text":"I close the books.","actions":[{"type":"CLOSE_BOOKS","params":{"month":"2026-10"}}]}"#;
        let calls = self.heard.lock().unwrap().len();
        let mut first = self.first.lock().unwrap();
        let text = match (first.is_empty(), calls) {
            (false, _) => first.remove(0),
            (true, 1) => close.to_owned(),
            (true, _) => r#"{"pre_text":"I see."}"#.to_owned(),
        };
        Ok(ModelReply {
            text,
            calls: Vec::new(),
            end: ReplyEnd::Done,
            usage: None,
            model: None,
            raw: None,
            request_id: None,
            body_digest: None,
        })
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        Ok("clerk".into())
    }
}

/// The workspace, its model and the task server.
pub(crate) struct TaskFixture {
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) books: Arc<FakeBookkeepingServer>,
    pub(crate) clerk: Arc<TaskRequestingModel>,
    ports: StorePorts,
    process: Option<SteppedTaskProcess>,
}

struct SteppedTaskProcess {
    services: Arc<RuntimeServices>,
    owner: Arc<OwnershipLease>,
    workspace: LoadedWorkspace,
    running: Vec<(SessionId, Effect)>,
    errands: Vec<(Task, entracte_domain::task::TaskWork)>,
    turn: TurnFollowUp,
}

pub(crate) fn home() -> WorkspaceKey {
    WorkspaceKey::new("ann:home")
}

pub(crate) fn chat() -> SessionId {
    SessionId::new("ses_books")
}

/// A message that the task ended with this content.
pub(crate) fn ended(content: &str) -> TaskUpdate {
    let (outcome, digest) = (TaskOutcome::Completed, sha256(content.as_bytes()));
    TaskUpdate::Final { outcome, content: content.to_owned(), digest }
}

impl TaskFixture {
    /// Creates the fixture on this store with this task server.
    pub(crate) async fn new(kept: &TaskStoreFixture, books: FakeBookkeepingServer) -> Self {
        let mut scene = Self {
            clock: Arc::default(),
            books: Arc::new(books),
            clerk: Arc::default(),
            ports: kept.ports.clone(),
            process: None,
        };
        scene.start().await;
        scene
    }

    /// Starts a process with nothing in memory.
    pub(crate) async fn start(&mut self) {
        self.process = None;
        let providers = Arc::new(StaticProviderRegistry::new([self.clerk.clone() as Arc<dyn Provider>]));
        let executors: [Arc<dyn CommandExecutor>; 1] =
            [Arc::new(FakeBookkeepingExecutor(self.books.clone()))];
        let services = RuntimeServices::new(self.ports.clone(), providers, &executors).unwrap();
        let started_at = self.clock.now();
        let services = Arc::new(RuntimeServices { clock: self.clock.clone(), started_at, ..services });
        let owner = Arc::new(services.acquire_ownership().await.unwrap());
        let workspace = LoadedWorkspace::open(services.clone(), owner.clone(), home()).await.unwrap();
        let (running, errands, turn) = (Vec::new(), Vec::new(), TurnFollowUp::default());
        self.process = Some(SteppedTaskProcess { services, owner, workspace, running, errands, turn });
        self.handle_incoming(WorkspaceInput::Started).await;
    }

    /// Kills the process and starts another one.
    pub(crate) async fn crash(&mut self) {
        self.start().await;
    }

    fn process(&mut self) -> &mut SteppedTaskProcess {
        self.process.as_mut().unwrap()
    }

    /// Handles one input and everything that follows immediately.
    pub(crate) async fn handle_incoming(&mut self, item: WorkspaceInput) {
        let process = self.process();
        let mut incoming = vec![item];
        loop {
            let turn = process.workspace.handle(&mut incoming).await.unwrap();
            for (session, desired) in &turn.touched {
                process.running.retain(|(of, _)| of != session);
                let effects = desired.iter().filter(|effect| !matches!(effect, Effect::PlanCall { .. }));
                process.running.extend(effects.map(|effect| (session.clone(), effect.clone())));
            }
            for (task, work) in &turn.tasks {
                process.errands.retain(|(known, _)| known.id != task.id);
                process.errands.extend(work.map(|work| (task.clone(), work)));
            }
            process.turn = turn;
            if !process.turn.again {
                return;
            }
        }
    }

    /// Posts a request, and returns its answer.
    pub(crate) async fn post(&mut self, request: MailRequest) -> MailAnswer {
        let (reply, answer) = tokio::sync::oneshot::channel();
        let mail = Mail::from_request(request);
        self.handle_incoming(WorkspaceInput::Request { mail, reply: Some(reply), row: None }).await;
        answer.await.unwrap().unwrap()
    }

    /// Delivers a task message under an id; returns the label of the answer.
    pub(crate) async fn tell(&mut self, webhook_id: &str, arrival: TaskUpdate) -> &'static str {
        let update = ReceiveTaskUpdateRequest { webhook_id: Some(webhook_id.to_owned()), arrival };
        let task = self.task().await.id;
        match self.post(MailRequest::task(task, update)).await {
            MailAnswer::Heard { verdict } => verdict.word(),
            other => panic!("{other:?}"),
        }
    }

    /// A person marks an undelivered task message as seen; returns the label of the answer.
    pub(crate) async fn mark_task_seen(&mut self, author: &str) -> &'static str {
        let seen = MarkTaskSeenRequest { author: author.to_owned() };
        let task = self.task().await.id;
        match self.post(MailRequest::task(task, seen)).await {
            MailAnswer::Heard { verdict } => verdict.word(),
            other => panic!("{other:?}"),
        }
    }

    /// Creates a chat with a message; its model requests the task, which is committed as started and not sent yet.
    pub(crate) async fn start_task_request(&mut self) {
        let new = NewSessionRequest {
            id: chat(),
            kind: SessionKind::Chat,
            name: "books".into(),
            provider: "clerk".into(),
            model: "clerk".into(),
            dialect: Dialect::Envelope,
            mode: None,
            require_validation: false,
            restriction: Restriction::Open,
        };
        self.post(MailRequest::workspace(new)).await;
        self.send_message("Close the books of October.").await;
        self.finish().await;
    }

    /// A person sends a message.
    pub(crate) async fn send_message(&mut self, text: &str) {
        let message = UserMessage::text(text);
        let send = MailRequest::session(
            chat(),
            SendMessageRequest { author: "ann".into(), message, client_key: None },
        );
        self.post(send).await;
    }

    /// Performs the next effect of a session, and applies its outcome.
    pub(crate) async fn finish(&mut self) {
        let process = self.process();
        let (session, effect) = process.running.remove(0);
        let job = process.workspace.build_job(&session, &effect).await.unwrap().unwrap();
        let means = process.effect_context();
        if let Some(outcome) = perform(means, home(), session.clone(), job).await {
            self.handle_incoming(WorkspaceInput::Outcome { session, outcome }).await;
        }
    }

    /// Performs all pending work of sessions and tasks, and everything that follows.
    pub(crate) async fn finish_all(&mut self) {
        loop {
            if !self.process().running.is_empty() {
                self.finish().await;
            } else if !self.process().errands.is_empty() {
                self.run_errand().await;
            } else {
                return;
            }
        }
    }

    async fn run_errand(&mut self) {
        let process = self.process();
        let (task, work) = process.errands.remove(0);
        let errand = process.workspace.task_job(task, work);
        let means = process.effect_context();
        if let Some(mail) = perform_task_work(means, errand).await {
            self.handle_incoming(WorkspaceInput::Request { mail, reply: None, row: None }).await;
        }
    }

    /// Advances the time and wakes the process.
    pub(crate) async fn advance_time(&mut self, span: Millis) {
        self.clock.set(self.clock.now().plus(span));
        self.handle_incoming(WorkspaceInput::Wake).await;
    }

    /// The one task.
    pub(crate) async fn task(&mut self) -> Task {
        let rows = self.ports.tasks.tasks(&home(), TaskFilter::default()).await.unwrap();
        let [row] = rows.as_slice() else { panic!("{} tasks instead of one", rows.len()) };
        decode_task(row).unwrap()
    }

    /// The task's stored messages, with the labels of their answers.
    pub(crate) async fn recorded_arrivals(&mut self) -> Vec<TaskArrivalRow> {
        let task = self.task().await.id;
        self.ports.tasks.arrivals(&home(), &task).await.unwrap()
    }

    /// What retention would do if everything were older than its limits.
    pub(crate) async fn planned_retention(&self) -> Vec<RetentionStep> {
        let ports = RetentionPlannerPorts { store: &*self.ports.store, log: &*self.ports.log };
        let settings = retention_settings("chats=1s, results=1s, ledger=1s");
        let late = self.clock.now().plus(Millis::hours(1));
        let planner = RetentionPlanner::open(ports, &home(), &settings, late).await.unwrap();
        let (mut planner, mut steps) = (planner.unwrap(), Vec::new());
        while let Some(batch) = planner.next_batch(ports).await.unwrap() {
            steps.extend(batch.steps());
        }
        steps
    }

    /// The session as it is stored.
    pub(crate) async fn session(&mut self) -> (SessionFacts, Phase) {
        let row = self.ports.store.session(&home(), &chat()).await.unwrap().unwrap();
        let snapshot = decode_snapshot(&row.body).unwrap();
        (snapshot.facts, snapshot.phase)
    }

    /// How often this text occurs in the last request to a model.
    pub(crate) fn read(&self, words: &str) -> usize {
        let heard = self.clerk.heard.lock().unwrap();
        heard.last().map_or(0, |last| last.matches(words).count())
    }

    /// Checks that the replay of the journal equals the stored state.
    pub(crate) async fn verify(&mut self) {
        let verify = VerifySession::new(self.ports.store.clone(), self.ports.log.clone());
        assert_eq!(verify.run(&home(), &chat()).await.unwrap(), None);
    }
}

impl SteppedTaskProcess {
    fn effect_context(&self) -> EffectContext {
        let (under_way, language) = (self.workspace.under_way(), self.workspace.language());
        let (services, owner) = (self.services.clone(), self.owner.clone());
        EffectContext { services, owner, begun: self.turn.begun, under_way, language }
    }
}
