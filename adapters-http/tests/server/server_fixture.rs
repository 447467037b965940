//! A server with a scripted model, Ann's workspace and Eve's.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use entracte_adapters_commands::ResourcesExecutor;
use entracte_adapters_commands::knowledge::DocumentReader;
use entracte_adapters_commands::tasks::TaskServerExecutor;
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_adapters_http::limits::HttpServerLimits;
use entracte_adapters_http::observability::ServerMetrics;
use entracte_adapters_http::origin_guard::ServerOrigins;
use entracte_adapters_http::server::{HttpServer, ServerListener};
use entracte_adapters_http::server_state::{
    HttpServerConfig, PublicEntries, PublicEntryList, PublicProviderEntry, ServerPorts, ServerState,
};
use entracte_application::agents::AgentDeclaration;
use entracte_application::commands::PlansExecutor;
use entracte_application::notifier::{Notifier, NotifierPorts};
use entracte_application::ports::{
    AccessReach, CommandExecutor, EmbedRestriction, IdGenerator, MailSender, NoopScrubber, ResourceFilter,
    TaskFilter, TokenKind, TokenScope, TokenScopes,
};
use entracte_application::rule_book::RuleBook;
use entracte_application::runtime::{RemoteMailSender, RuntimeServices};
use entracte_application::settings::{KnowledgeSettings, NotifySettings, PlanBounds, RuntimeSettings};
use entracte_application::system::RandomIdGenerator;
use entracte_application::use_cases::{
    AddApprovalRule, AutomationParams, CreateAutomation, CreateToken, NewToken,
};
use entracte_domain::automation::{AutomationPolicies, Trigger};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, ModelSelection};
use entracte_domain::time::Millis;
use entracte_tests::fakes::dry_run_factory::MemoryDryRunFactory;
use entracte_tests::fakes::notification_sender::FakeNotificationSender;
use entracte_tests::postgres::{self, TestDatabase};
use entracte_tests::runtime_fixture::{
    FakeModel, RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock, command_request_line,
    envelope_line, services,
};
use ipnet::IpNet;
use reqwest::{Method, StatusCode};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::fakes::{FakeOperator, OwnSecretsInMemory, books};

pub(crate) const HOME: &str = "ann:home";
pub(crate) const OTHER: &str = "eve:other";

/// A running server, its runtime and a client.
pub(crate) struct HttpServerFixture {
    pub life: RuntimeFixture,
    pub model: Arc<FakeModel>,
    pub state: Arc<ServerState>,
    pub url: String,
    pub host: String,
    pub client: reqwest::Client,
    pub outside: Arc<FakeNotificationSender>,
    end: Mutex<Option<oneshot::Sender<()>>>,
    pub done: Mutex<Option<tokio::task::JoinHandle<()>>>,
    _keep: Arc<dyn std::any::Any + Send + Sync>,
}

/// An HTTP response.
#[derive(Debug)]
pub(crate) struct HttpTestResponse {
    pub status: u16,
    pub etag: Option<String>,
    pub headers: reqwest::header::HeaderMap,
    pub body: Value,
    /// The unparsed body.
    pub text: String,
}

impl HttpTestResponse {
    pub(crate) fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }
}

/// The available databases.
pub(crate) fn databases() -> Vec<(Database, Arc<dyn std::any::Any + Send + Sync>)> {
    let mut all = vec![open_sqlite()];
    if let Some(made) = TestDatabase::make() {
        all.push((made.open(), Arc::new(made)));
    }
    all
}

pub(crate) fn open_sqlite() -> (Database, Arc<dyn std::any::Any + Send + Sync>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("entracte.db");
    let database = Database::open(path.to_str().unwrap(), DatabaseOptions::default()).unwrap();
    (database, Arc::new(folder))
}

/// The default rules, but a run that is done ends almost at once: the clock of a server is the real one.
fn quick_rules() -> RuleBook {
    let mut rules = RuleBook::default();
    rules.change(|_, rules| (rules.completion_delay, rules.closing_delay) = (Millis(50), Millis(50)));
    rules
}

impl HttpServerFixture {
    pub(crate) async fn start_on(
        database: (Database, Arc<dyn std::any::Any + Send + Sync>),
        limits: HttpServerLimits,
    ) -> Self {
        Self::start_with_ids(database, limits, Arc::new(SequentialIds::default()), false).await
    }

    /// Starts with this id generator: a second process on the same data must generate other ids. `beside`: its requests
    /// are mail to the owner.
    pub(crate) async fn start_with_ids(
        database: (Database, Arc<dyn std::any::Any + Send + Sync>),
        limits: HttpServerLimits,
        ids: Arc<dyn IdGenerator>,
        beside: bool,
    ) -> Self {
        Self::start_behind_proxies(Vec::new(), database, limits, (ids, beside)).await
    }

    /// Starts behind proxies of these networks, whose reports of client addresses are trusted.
    pub(crate) async fn start_behind_proxies(
        trusted_proxies: Vec<IpNet>,
        (database, keep): (Database, Arc<dyn std::any::Any + Send + Sync>),
        limits: HttpServerLimits,
        (ids, beside): (Arc<dyn IdGenerator>, bool),
    ) -> Self {
        let model = Arc::new(FakeModel::default());
        let resources = ResourcesExecutor::new(database.resource_reader());
        let books = books().await;
        let executors: Vec<Arc<dyn CommandExecutor>> = vec![
            Arc::new(resources),
            Arc::new(PlansExecutor::new(PlanBounds::default())),
            Arc::new(books.clone()),
        ];
        let parts = ServicesFixtureParts {
            stores: postgres::stores_of_database(&database, Box::new(())),
            provider: model.clone(),
            executors,
            rules: quick_rules(),
            clock: Arc::new(TokioClock::default()),
            ids,
        };
        let meters = Arc::new(ServerMetrics::new(parts.clock.clone()));
        let observer = meters.clone();
        let counted = RuntimeServices { observer, ..RuntimeServices::clone(&services(&parts)) };
        let life = RuntimeFixture::start_runtime(Arc::new(counted)).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let bind = listener.local_addr().unwrap();
        let outside = Arc::new(FakeNotificationSender::default());
        let ports = ports(&life, &database, beside, &outside, (meters, books));
        let state = Arc::new(ServerState::new(
            ports,
            terms(ServerOrigins::from_bind_address(bind, false, None, &[]), limits),
        ));
        let front = ServerListener { listener, tls: None, trusted_proxies };
        let (told, ends) = oneshot::channel::<()>();
        let server = HttpServer::new(state.clone());
        let end = async move {
            let _ended = ends.await;
        };
        let done = tokio::spawn(server.run(front, end, std::future::ready(())));
        // The client needs one even without TLS.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let (host, url) = (bind.to_string(), format!("http://{bind}"));
        let (end, done) = (Mutex::new(Some(told)), Mutex::new(Some(done)));
        Self { life, model, state, url, host, client, outside, end, done, _keep: keep }
    }

    pub(crate) async fn new() -> Self {
        Self::start_on(open_sqlite(), HttpServerLimits::default()).await
    }

    /// Begins the server's shutdown.
    pub(crate) fn stop_server(&self) {
        drop(self.end.lock().unwrap().take());
    }

    /// A token of a person.
    pub(crate) async fn token(&self, person: &str, reach: AccessReach, scopes: &[TokenScope]) -> String {
        let create = CreateToken::new(
            self.house_access(),
            self.life.services.clock.clone(),
            Arc::new(RandomIdGenerator),
        );
        let new = NewToken {
            person: person.into(),
            reach,
            kind: TokenKind::Program,
            name: "test".into(),
            scopes: TokenScopes::new(scopes.iter().copied()),
            embedded: None,
            expires_at: None,
            made_by: None,
        };
        create.run(new).await.unwrap().secret.expose_secret().to_owned()
    }

    /// A token for pages of these origins, in one session.
    pub(crate) async fn embedded(&self, session: &SessionId, origins: &[&str]) -> String {
        let ann = self.admin("ann", HOME).await;
        let new = json!({
            "person": "visitor", "name": "shop", "scopes": ["read", "chat"], "session": session.as_str(),
            "origins": origins,
        });
        let made = self.post(&format!("/v1/workspaces/{HOME}/tokens"), &ann, new).await;
        assert_eq!(made.status, 201, "{made:?}");
        made.body["secret"].as_str().unwrap().to_owned()
    }

    /// A token of a relay, for one session.
    pub(crate) async fn relay(&self, session: &SessionId) -> String {
        let clock = self.life.services.clock.clone();
        let create = CreateToken::new(self.house_access(), clock.clone(), Arc::new(RandomIdGenerator));
        let new = NewToken {
            person: "ann".into(),
            reach: AccessReach::Workspace(WorkspaceKey::new(HOME)),
            kind: TokenKind::Relay,
            name: "relay".into(),
            scopes: TokenScopes::new([TokenScope::Read]),
            embedded: Some(EmbedRestriction { session: session.clone(), origins: Vec::new() }),
            expires_at: Some(clock.now().plus(entracte_domain::time::Millis::minutes(5))),
            made_by: None,
        };
        create.run(new).await.unwrap().secret.expose_secret().to_owned()
    }

    pub(crate) fn house_access(&self) -> Arc<dyn entracte_application::ports::AccessStore> {
        self.state.access_store()
    }

    /// A token with all scopes in a workspace.
    pub(crate) async fn admin(&self, person: &str, workspace: &str) -> String {
        self.token(person, AccessReach::Workspace(WorkspaceKey::new(workspace)), &[TokenScope::Admin]).await
    }

    pub(crate) fn request(&self, method: Method, path: &str, token: &str) -> reqwest::RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url)).bearer_auth(token)
    }

    pub(crate) async fn get(&self, path: &str, token: &str) -> HttpTestResponse {
        send_request(self.request(Method::GET, path, token)).await
    }

    pub(crate) async fn post(&self, path: &str, token: &str, body: Value) -> HttpTestResponse {
        send_request(json_body(self.request(Method::POST, path, token), &body)).await
    }

    pub(crate) async fn decide(
        &self,
        approval: &str,
        token: &str,
        etag: &str,
        body: Value,
    ) -> HttpTestResponse {
        let path = format!("/v1/workspaces/{HOME}/approvals/{approval}/decision");
        let request = self.request(Method::POST, &path, token).header("if-match", etag);
        send_request(json_body(request, &body)).await
    }

    /// Adds a target of Ann's with these preferences; returns its id.
    pub(crate) async fn target(&self, name: &str, wants: Value) -> String {
        let ann = self.admin("ann", HOME).await;
        let new = json!({ "name": name, "ntfy": "https://ntfy.example/ann", "wants": wants });
        let made = self.post(&format!("/v1/workspaces/{HOME}/targets"), &ann, new).await;
        assert_eq!(made.status, 201, "{made:?}");
        made.body["id"].as_str().unwrap().to_owned()
    }

    /// Adds a document of Ann's; returns its name.
    pub(crate) async fn document(&self, name: &str) -> String {
        let ann = self.admin("ann", HOME).await;
        let path = format!("/v1/workspaces/{HOME}/documents/{name}");
        let new = json!({ "text": "# Guide\n\nThe house closes at 18.\n" });
        let made = send_request(json_body(self.request(Method::PUT, &path, &ann), &new)).await;
        assert_eq!(made.status, 201, "{made:?}");
        made.body["document"]["name"].as_str().unwrap().to_owned()
    }

    /// A file of Ann's; returns its digest.
    pub(crate) async fn file(&self, name: &str) -> String {
        let ann = self.admin("ann", HOME).await;
        let path = format!("/v1/workspaces/{HOME}/files?name={name}");
        let made = send_request(
            self.request(Method::POST, &path, &ann).body("%PDF-1.4\n1 0 obj<</Type/Page>>endobj\n"),
        )
        .await;
        assert_eq!(made.status, 201, "{made:?}");
        made.body["digest"].as_str().unwrap().to_owned()
    }

    /// A chat of Ann's in which creating the zone Health waits for approval; returns the session and the approval id.
    pub(crate) async fn request_zone_approval(&self) -> (SessionId, String) {
        let session = self.life.chat(true).await;
        let approval = self.request_zone_approval_in(&session).await;
        (session, approval)
    }

    /// Sends a message with a file to a session, and waits for the reply.
    pub(crate) async fn show_file(&self, session: &SessionId, digest: &str) {
        let ann = self.admin("ann", HOME).await;
        self.model.push_lines([envelope_line("Noted.")]);
        let path = format!("/v1/workspaces/{HOME}/sessions/{session}/messages");
        let sent = self.post(&path, &ann, json!({ "text": "Read it.", "files": [digest] })).await;
        assert_eq!(sent.status, 202, "{sent:?}");
        self.life.follow().run_until_idle(&self.life.workspace, session, 0).await.unwrap();
    }

    /// Lets a session ask for the zone Health; returns the approval id.
    pub(crate) async fn request_zone_approval_in(&self, session: &SessionId) -> String {
        self.model
            .push_lines([command_request_line("actions", &[("CREATE_ZONE", json!({ "name": "Health" }))])]);
        let turn = self.life.send_and_wait(session, "make a zone").await;
        match &turn.waiting {
            Some(entracte_application::use_cases::PendingDecision::Validation(asked)) => {
                asked[0].id.to_string()
            }
            other => panic!("{other:?}"),
        }
    }

    /// Runs an action in a separate chat that needs no approval.
    pub(crate) async fn run_action(&self, word: &str, params: Value) {
        let session = self.life.chat(false).await;
        // The first write in a shape that the model has not seen returns the shape.
        for _ in 0..2 {
            self.model.push_lines([command_request_line("actions", &[(word, params.clone())])]);
            self.life.send_and_wait(&session, "do it").await;
            match self.life.calls(&session).await.last().unwrap().1.as_str() {
                "succeeded" => return,
                "schema_required" => {}
                other => panic!("{word} is {other}"),
            }
        }
        panic!("{word} was not done");
    }

    async fn only(&self, kind: &str) -> String {
        let filter = ResourceFilter { kind: kind.into(), ..ResourceFilter::default() };
        self.life.services.rows.resources(&self.life.workspace, &filter).await.unwrap().remove(0).id
    }

    /// Creates a zone with a tool and an entry of Ann's; returns their ids.
    pub(crate) async fn data(&self) -> (String, String, String) {
        self.run_action("CREATE_ZONE", json!({ "name": "Body" })).await;
        let zone = self.only("zone").await;
        let config = json!({ "kind": "numeric", "min": 30, "max": 200 });
        let tool = json!({ "zone_id": zone, "tool_type": "tracking", "name": "Weight", "config": config });
        self.run_action("CREATE_TOOL", tool).await;
        let tool = self.only("tool").await;
        let entry = json!({ "data": { "value": 72.5 }, "timestamp": "2026-11-20T08:30:00Z" });
        self.run_action("CREATE_DATA", json!({ "tool_id": tool, "entries": [entry] })).await;
        let entry = self.only("entry").await;
        (zone, tool, entry)
    }

    /// Creates a shared text of Ann's with a proposal; returns key and proposal id.
    pub(crate) async fn text(&self) -> (String, String) {
        let text = json!({ "key": "general", "version": 0, "text": "We close at 18.\n" });
        self.run_action("PROPOSE_SHARED_TEXT", text).await;
        (self.only("shared_text").await, self.only("shared_text_proposal").await)
    }

    /// Dispatches a long task from a session of Ann's that does not end; returns its id.
    pub(crate) async fn task(&self, session: &SessionId) -> String {
        let known = self.tasks_of(session).await;
        self.model.push_lines([command_request_line(
            "queries",
            &[("BOOKS_CLOSE", json!({ "month": known.len().to_string() }))],
        )]);
        self.life.send_and_wait(session, "close the books").await;
        let mut new = self.tasks_of(session).await;
        new.retain(|task| !known.contains(task));
        assert_eq!(new.len(), 1, "one task was given");
        new.remove(0)
    }

    async fn tasks_of(&self, session: &SessionId) -> Vec<String> {
        let filter = TaskFilter { session: Some(session.clone()), ..TaskFilter::default() };
        let rows = self.life.services.tasks.tasks(&self.life.workspace, filter).await.unwrap();
        rows.into_iter().map(|row| row.id.to_string()).collect()
    }

    /// Creates a rule and an automation of Ann's; returns their ids.
    pub(crate) async fn create_rule_and_automation(&self, session: &SessionId) -> (String, String) {
        let (workspace, sender) = (&self.life.workspace, self.life.mail_sender.clone());
        let new = entracte_application::mail::NewRuleRequest {
            command: "DELETE_ZONE".into(),
            arguments: Vec::new(),
            scope: entracte_domain::validation::RuleScope::Session(session.clone()),
            denies: Some("never".into()),
            lasts: None,
            limits: entracte_domain::validation::UseLimits::default(),
            agents: false,
            people: Vec::new(),
        };
        AddApprovalRule::new(sender.clone()).run(workspace, "ann".into(), new).await.unwrap();
        let services = &self.life.services;
        let rules = entracte_application::use_cases::ReadApprovalRules::new(
            services.store.clone(),
            services.log.clone(),
            services.clock.clone(),
        );
        let rule = rules.run(workspace, true).await.unwrap().pop().unwrap().id;
        let plan = AutomationParams {
            name: "Nightly".into(),
            trigger: Trigger::Manual,
            policies: AutomationPolicies::default(),
            enabled: true,
            message: UserMessage::text("How was my day?"),
            voice: ModelSelection {
                provider: "fake".into(),
                model: "fake-1".into(),
                dialect: Dialect::Envelope,
            },
            require_validation: true,
            restriction: Restriction::Open,
        };
        let create = CreateAutomation::new(sender, services.ids.clone());
        let automation = create.run(workspace, "ann".into(), plan).await.unwrap();
        (rule, automation.to_string())
    }

    /// The journal of a session, which requests without a decision must leave unchanged.
    pub(crate) async fn journal(
        &self,
        session: &SessionId,
    ) -> Vec<entracte_application::journal::JournalEntry> {
        self.life.entries(session).await
    }
}

fn ports(
    life: &RuntimeFixture,
    database: &Database,
    beside: bool,
    outside: &Arc<FakeNotificationSender>,
    (meters, books): (Arc<ServerMetrics>, TaskServerExecutor),
) -> ServerPorts {
    let services = life.services.clone();
    let remote = || RemoteMailSender::new(services.mail_store.clone(), services.clock.clone());
    let mail_sender: Arc<dyn MailSender> = if beside { Arc::new(remote()) } else { life.mail_sender.clone() };
    let told = NotifierPorts {
        outbox: database.outbox_store(),
        store: services.store.clone(),
        log: services.log.clone(),
        rows: services.rows.clone(),
        automations: services.automations.clone(),
        tasks: services.tasks.clone(),
        catalog: services.catalog.clone(),
        sender: outside.clone(),
        secrets: Arc::new(NoopScrubber),
        clock: services.clock.clone(),
        ids: Arc::new(RandomIdGenerator),
        observer: meters.clone(),
    };
    let notifier =
        Notifier::new(told, NotifySettings::default(), Some("https://entracte.example".to_owned()));
    let runtime = life.runtime.clone();
    let live = life.live.clone();
    let reader = Arc::new(DocumentReader::new(&KnowledgeSettings::default()));
    ServerPorts {
        mail_sender,
        store: services.store.clone(),
        log: services.log.clone(),
        live,
        rows: services.rows.clone(),
        automations: services.automations.clone(),
        access: database.access_store(),
        person_secrets: Arc::new(OwnSecretsInMemory::default()),
        knowledge: database.knowledge_store(),
        files: database.file_store(),
        converter: reader.clone(),
        images: reader,
        semantic: None,
        embed: None,
        operator: Arc::new(FakeOperator),
        config_entries: Arc::new(FakeOperator),
        outbox: database.outbox_store(),
        sender: outside.clone(),
        notifier: Arc::new(notifier),
        dry_stages: Arc::new(MemoryDryRunFactory::new(services.clock.clone())),
        tasks: services.tasks.clone(),
        callback_proof: Arc::new(books),
        secrets: Arc::new(NoopScrubber),
        clock: services.clock.clone(),
        ids: services.ids.clone(),
        calculator: services.calculator.clone(),
        providers: services.providers.clone(),
        catalog: services.catalog.clone(),
        recorder: Arc::new(|_, session, _| Some(format!("# {session}\n"))),
        owns: Arc::new(move || runtime.is_owner()),
        is_shared: false,
        relay: None,
        meters,
    }
}

/// Limits without a callback limit, because tests send many.
pub(crate) fn unlimited_callbacks() -> HttpServerLimits {
    HttpServerLimits { callbacks: 0, ..HttpServerLimits::default() }
}

fn agent() -> AgentDeclaration {
    let declared = json!({
        "description": "Counts the jobs.",
        "instructions": { "role": "You count the jobs of the company." },
        "commands": ["tool_data.*"],
    });
    serde_json::from_value::<AgentDeclaration>(declared).unwrap().with_name("JobManager")
}

fn terms(ours: ServerOrigins, limits: HttpServerLimits) -> HttpServerConfig {
    let provider = PublicProviderEntry {
        name: "fake".into(),
        kind: "fake".into(),
        model: None,
        dialect: Dialect::Envelope,
        base_url: None,
        is_default: true,
        key: Some("FAKE_API_KEY".into()),
        key_set: Some(true),
        origin: "built in".into(),
        fallback: BTreeMap::from([("down".to_owned(), vec!["spare".to_owned()])]),
    };
    HttpServerConfig {
        entries: Arc::new(PublicEntries {
            providers: PublicEntryList::new(vec![provider]),
            agents: PublicEntryList::new(vec![agent()]),
        }),
        rules: RuleBook::default(),
        runtime: RuntimeSettings::default(),
        knowledge: KnowledgeSettings::default(),
        notify: NotifySettings::default(),
        limits,
        ours,
        base_path: String::new(),
        is_secure: false,
    }
}

/// Adds exactly this body, because files must stay byte-identical.
pub(crate) fn text_body(request: reqwest::RequestBuilder, body: &str) -> reqwest::RequestBuilder {
    request.header("content-type", "application/json").body(body.to_owned())
}

pub(crate) fn json_body(request: reqwest::RequestBuilder, body: &Value) -> reqwest::RequestBuilder {
    text_body(request, &body.to_string())
}

pub(crate) async fn send_request(request: reqwest::RequestBuilder) -> HttpTestResponse {
    let answer = request.send().await.unwrap();
    let (status, headers) = (answer.status(), answer.headers().clone());
    let text = answer.text().await.unwrap();
    assert_ne!(status, StatusCode::INTERNAL_SERVER_ERROR, "{text}");
    let is_problem = headers.get("content-type").is_some_and(|kind| kind == "application/problem+json");
    let mut said: Value = serde_json::from_str(&text).unwrap_or_default();
    // The current state is not part of the problem's text.
    said.as_object_mut().map(|said| said.remove("current"));
    assert!(!is_problem || !said.to_string().contains("entracte "), "a problem names no command: {text}");
    HttpTestResponse {
        status: status.as_u16(),
        etag: headers.get("etag").map(|tag| tag.to_str().unwrap().to_owned()),
        headers,
        body: serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.clone())),
        text,
    }
}
