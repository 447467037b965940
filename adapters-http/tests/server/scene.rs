//! A server with a model that says what it is told, Ann's workspace and Eve's.

use std::sync::{Arc, Mutex};

use entracte_adapters_commands::ResourcesExecutor;
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_adapters_http::guard::Ours;
use entracte_adapters_http::house::{House, Ports, ProviderEntry, Terms};
use entracte_adapters_http::limits::Limits;
use entracte_adapters_http::observe::Meters;
use entracte_adapters_http::serve::{Front, Server};
use entracte_application::ports::{CommandExecutor, Reach, Scope, Scopes, TokenKind};
use entracte_application::rules::RuleBook;
use entracte_application::runtime::Services;
use entracte_application::settings::RuntimeSettings;
use entracte_application::system::RandomIds;
use entracte_application::use_cases::{AddRule, AutomationPlan, CreateAutomation, CreateToken, NewToken};
use entracte_domain::automation::{Policies, Trigger};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, Voice};
use entracte_tests::postgres::{self, TestDatabase};
use entracte_tests::stage::{CountingIds, FakeModel, Life, Parts, TokioClock, asks, services};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

pub(crate) const HOME: &str = "ann:home";
pub(crate) const OTHER: &str = "eve:other";

/// What is served, and how it is reached.
pub(crate) struct Scene {
    pub life: Life,
    pub model: Arc<FakeModel>,
    pub house: Arc<House>,
    pub url: String,
    pub host: String,
    pub client: reqwest::Client,
    end: Mutex<Option<oneshot::Sender<()>>>,
    pub done: Mutex<Option<tokio::task::JoinHandle<()>>>,
    _keep: Arc<dyn std::any::Any + Send + Sync>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Told {
    pub status: u16,
    pub etag: Option<String>,
    pub headers: reqwest::header::HeaderMap,
    pub body: Value,
}

impl Told {
    pub(crate) fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }
}

/// The databases there are.
pub(crate) fn databases() -> Vec<(Database, Arc<dyn std::any::Any + Send + Sync>)> {
    let mut all = vec![sqlite()];
    if let Some(made) = TestDatabase::make() {
        all.push((made.open(), Arc::new(made)));
    }
    all
}

pub(crate) fn sqlite() -> (Database, Arc<dyn std::any::Any + Send + Sync>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("entracte.db");
    let database = Database::open(path.to_str().unwrap(), DatabaseOptions::default()).unwrap();
    (database, Arc::new(folder))
}

impl Scene {
    pub(crate) async fn on(
        (database, keep): (Database, Arc<dyn std::any::Any + Send + Sync>),
        limits: Limits,
    ) -> Self {
        let model = Arc::new(FakeModel::default());
        let resources = ResourcesExecutor::new(database.resource_reader());
        let executors: Vec<Arc<dyn CommandExecutor>> = vec![Arc::new(resources)];
        let parts = Parts {
            stores: postgres::of(&database, Box::new(())),
            provider: model.clone(),
            executors,
            rules: RuleBook::default(),
            clock: Arc::new(TokioClock::default()),
            ids: Arc::new(CountingIds::default()),
        };
        let meters = Arc::new(Meters::new(parts.clock.clone()));
        let observer = meters.clone();
        let counted = Services { observer, ..Services::clone(&services(&parts)) };
        let life = Life::begin(Arc::new(counted)).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let bind = listener.local_addr().unwrap();
        let house = Arc::new(House::new(
            ports(&life, &database, meters),
            terms(Ours::of(bind, false, None, &[]), limits),
        ));
        let front = Front { listener, tls: None, trusted_proxies: Vec::new() };
        let (told, ends) = oneshot::channel::<()>();
        let server = Server::new(house.clone());
        let end = async move {
            let _ended = ends.await;
        };
        let done = tokio::spawn(server.run(front, end, std::future::ready(())));
        // The client wants one, also where there is no TLS.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let (host, url) = (bind.to_string(), format!("http://{bind}"));
        let (end, done) = (Mutex::new(Some(told)), Mutex::new(Some(done)));
        Self { life, model, house, url, host, client, end, done, _keep: keep }
    }

    pub(crate) async fn new() -> Self {
        Self::on(sqlite(), Limits::default()).await
    }

    /// From now on the server ends.
    pub(crate) fn end(&self) {
        drop(self.end.lock().unwrap().take());
    }

    /// A token of somebody.
    pub(crate) async fn token(&self, person: &str, reach: Reach, scopes: &[Scope]) -> String {
        use secrecy::ExposeSecret;
        let create =
            CreateToken::new(self.house_access(), self.life.services.clock.clone(), Arc::new(RandomIds));
        let new = NewToken {
            person: person.into(),
            reach,
            kind: TokenKind::Program,
            name: "test".into(),
            scopes: Scopes::new(scopes.iter().copied()),
            expires_at: None,
        };
        create.run(new).await.unwrap().secret.expose_secret().to_owned()
    }

    fn house_access(&self) -> Arc<dyn entracte_application::ports::AccessStore> {
        self.house.access_store()
    }

    /// A token for all of a workspace.
    pub(crate) async fn admin(&self, person: &str, workspace: &str) -> String {
        self.token(person, Reach::Workspace(WorkspaceKey::new(workspace)), &[Scope::Admin]).await
    }

    pub(crate) fn request(&self, method: Method, path: &str, token: &str) -> reqwest::RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url)).bearer_auth(token)
    }

    pub(crate) async fn get(&self, path: &str, token: &str) -> Told {
        told(self.request(Method::GET, path, token)).await
    }

    pub(crate) async fn post(&self, path: &str, token: &str, body: Value) -> Told {
        told(json_body(self.request(Method::POST, path, token), &body)).await
    }

    pub(crate) async fn decide(&self, approval: &str, token: &str, etag: &str, body: Value) -> Told {
        let path = format!("/v1/workspaces/{HOME}/approvals/{approval}/decision");
        let request = self.request(Method::POST, &path, token).header("if-match", etag);
        told(json_body(request, &body)).await
    }

    /// A chat of Ann's where making the zone Health waits for approval; gives its approval.
    pub(crate) async fn asks(&self) -> (SessionId, String) {
        let session = self.life.chat(true).await;
        self.model.will([asks("actions", &[("CREATE_ZONE", json!({ "name": "Health" }))])]);
        let turn = self.life.turn(&session, "make a zone").await;
        let asked = match &turn.waiting {
            Some(entracte_application::use_cases::Waiting::Validation(asked)) => asked[0].id.to_string(),
            other => panic!("{other:?}"),
        };
        (session, asked)
    }

    /// A rule and an automation of Ann's, by id.
    pub(crate) async fn more(&self, session: &SessionId) -> (String, String) {
        let (workspace, sender) = (&self.life.workspace, self.life.mail_sender.clone());
        let new = entracte_application::mail::NewRule {
            command: "DELETE_ZONE".into(),
            arguments: Vec::new(),
            session: Some(session.clone()),
            denies: Some("never".into()),
            lasts: None,
        };
        AddRule::new(sender.clone()).run(workspace, "ann".into(), new).await.unwrap();
        let services = &self.life.services;
        let rules = entracte_application::use_cases::ReadRules::new(
            services.store.clone(),
            services.log.clone(),
            services.clock.clone(),
        );
        let rule = rules.run(workspace, true).await.unwrap().pop().unwrap().id;
        let plan = AutomationPlan {
            name: "Nightly".into(),
            trigger: Trigger::Manual,
            policies: Policies::default(),
            enabled: true,
            message: UserMessage::text("How was my day?"),
            voice: Voice { provider: "fake".into(), model: "fake-1".into(), dialect: Dialect::Envelope },
            require_validation: true,
            restriction: Restriction::Open,
        };
        let create = CreateAutomation::new(sender, services.ids.clone());
        let automation = create.run(workspace, "ann".into(), plan).await.unwrap();
        (rule, automation.to_string())
    }

    /// Everything that decides nothing must leave as it is.
    pub(crate) async fn journal(&self, session: &SessionId) -> Vec<entracte_application::journal::Entry> {
        self.life.entries(session).await
    }
}

fn ports(life: &Life, database: &Database, meters: Arc<Meters>) -> Ports {
    let services = life.services.clone();
    let (catalog, runtime) = (services.catalog.clone(), life.runtime.clone());
    Ports {
        mail_sender: life.mail_sender.clone(),
        store: services.store.clone(),
        log: services.log.clone(),
        rows: services.rows.clone(),
        automations: services.automations.clone(),
        access: database.access_store(),
        clock: services.clock.clone(),
        ids: services.ids.clone(),
        calculator: services.calculator.clone(),
        providers: services.providers.clone(),
        catalog: Arc::new(move || catalog.clone()),
        owns: Arc::new(move || runtime.is_owner()),
        meters,
    }
}

fn terms(ours: Ours, limits: Limits) -> Terms {
    let provider = ProviderEntry {
        name: "fake".into(),
        kind: "fake".into(),
        model: None,
        dialect: Dialect::Envelope,
        base_url: None,
        is_default: true,
        key: Some("FAKE_API_KEY".into()),
    };
    Terms {
        providers: vec![provider],
        rules: RuleBook::default(),
        runtime: RuntimeSettings::default(),
        limits,
        ours,
        base_path: String::new(),
        is_secure: false,
    }
}

pub(crate) fn json_body(request: reqwest::RequestBuilder, body: &Value) -> reqwest::RequestBuilder {
    request.header("content-type", "application/json").body(body.to_string())
}

pub(crate) async fn told(request: reqwest::RequestBuilder) -> Told {
    let answer = request.send().await.unwrap();
    let (status, headers) = (answer.status(), answer.headers().clone());
    let text = answer.text().await.unwrap();
    assert_ne!(status, StatusCode::INTERNAL_SERVER_ERROR, "{text}");
    Told {
        status: status.as_u16(),
        etag: headers.get("etag").map(|tag| tag.to_str().unwrap().to_owned()),
        headers,
        body: serde_json::from_str(&text).unwrap_or(Value::String(text)),
    }
}
