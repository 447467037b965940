//! A fixture for end-to-end tests: the real application on a store, with a model that plays given lines and an executor
//! that records external effects.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests, in a library")]

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use entracte_adapters_providers::registry::ConfigProviderRegistry;
use entracte_application::command_naming::tool_name;
use entracte_application::commands::{Catalog, CurrentCatalog};
use entracte_application::journal::JournalEntry;
use entracte_application::ports::{
    Clock, CommandExecutor, IdGenerator, MailSender, MockSecretStore, ModelCallLimits, ModelReply,
    ModelRequest, NativeCall, NoopObserver, NoopScrubber, Provider, ProviderDescription, ProviderFailure,
    ProviderRegistry, ReplyEnd, ReplySink, WorkerProcessDescription, WorkspaceOwnership,
};
use entracte_application::protocol::relay;
use entracte_application::rule_book::RuleBook;
use entracte_application::runtime::{LocalRuntime, OwnershipLease, RuntimeServices};
use entracte_application::settings::{
    RetentionOverrides, RetentionPolicy, RetentionSettings, RuntimeSettings,
};
use entracte_application::stream::LiveText;
use entracte_application::system::CronScheduleCalculator;
use entracte_application::use_cases::{
    ApprovalChoice, DecideApprovals, FollowTurn, NewChat, ReadCalls, ReadLog, RunRetention, SendMessage,
    ShowSession, StartChat, TurnView, VerifySession,
};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::Dialect;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::usage::Usage;

use crate::contracts::StoreFixture;
use crate::cost_checks::check_session_sums;
use crate::cryptography::crypto;

/// The clock of tokio, which a test may pause: then time passes only while everything waits. It can be set; sleeping
/// tasks do not notice.
pub struct TokioClock {
    start: tokio::time::Instant,
    /// The offset it was set ahead, in microseconds.
    ahead: AtomicI64,
}

impl Default for TokioClock {
    fn default() -> Self {
        Self { start: tokio::time::Instant::now(), ahead: AtomicI64::new(0) }
    }
}

impl TokioClock {
    /// Sets it ahead, or back.
    pub fn jump(&self, span: Millis) {
        self.ahead.fetch_add(span.0 * 1000, Ordering::SeqCst);
    }
}

/// 2026-11-20T12:00:00Z.
pub const NOON: Timestamp = Timestamp(1_795_176_000_000_000);

#[async_trait]
impl Clock for TokioClock {
    fn now(&self) -> Timestamp {
        let passed = i64::try_from(self.start.elapsed().as_micros()).unwrap_or(i64::MAX);
        Timestamp(NOON.0 + passed + self.ahead.load(Ordering::SeqCst))
    }

    fn monotonic(&self) -> Millis {
        Millis(i64::try_from(self.start.elapsed().as_millis()).unwrap_or(i64::MAX))
    }

    async fn sleep(&self, span: Millis) {
        tokio::time::sleep(std::time::Duration::from_millis(span.0.max(0).unsigned_abs())).await;
    }
}

/// Always [`NOON`], so that stored rows do not depend on the speed of a store. Sleeps really pass, and are short.
pub struct FixedNoonClock;

#[async_trait]
impl Clock for FixedNoonClock {
    fn now(&self) -> Timestamp {
        NOON
    }

    fn monotonic(&self) -> Millis {
        Millis(0)
    }

    async fn sleep(&self, span: Millis) {
        tokio::time::sleep(std::time::Duration::from_millis(span.0.clamp(1, 20).unsigned_abs())).await;
    }
}

/// Sequential ids, and no jitter.
pub struct SequentialIds {
    stem: String,
    next: Mutex<u32>,
}

impl Default for SequentialIds {
    fn default() -> Self {
        Self::with_prefix("k")
    }
}

impl SequentialIds {
    /// Ids with this prefix: a second process on the same data must create others.
    pub fn with_prefix(stem: &str) -> Self {
        Self { stem: stem.to_owned(), next: Mutex::new(0) }
    }
}

impl IdGenerator for SequentialIds {
    fn session(&self) -> SessionId {
        SessionId::new(format!("ses_{}", self.key()))
    }

    fn key(&self) -> String {
        let mut next = self.next.lock().unwrap();
        *next += 1;
        format!("{}{next}", self.stem)
    }

    fn jitter(&self, _most: Millis) -> Millis {
        Millis(0)
    }
}

/// The next step of the model.
#[derive(Clone, Debug)]
pub enum FakeModelLine {
    /// Replies with this text.
    Says(String),
    /// Requests these commands by native tool calls: name and arguments.
    Calls(Vec<(String, serde_json::Value)>),
    /// Fails with this class.
    Fails(FailureClass),
    /// Is throttled and asks for this retry delay.
    Throttled(Millis),
    /// Never answers.
    Hangs,
    /// Streams this text, and nothing more.
    Stalls(String),
}

/// A model that plays its lines in order, and keeps the received requests.
#[derive(Default)]
pub struct FakeModel {
    lines: Mutex<VecDeque<FakeModelLine>>,
    limits: Mutex<ModelCallLimits>,
    /// The received requests.
    pub requests: Mutex<Vec<ModelRequest>>,
}

impl FakeModel {
    /// Adds these lines.
    pub fn push_lines(&self, lines: impl IntoIterator<Item = FakeModelLine>) {
        self.lines.lock().unwrap().extend(lines);
    }

    /// Sets the time limits of its calls.
    pub fn set_call_limits(&self, limits: ModelCallLimits) {
        *self.limits.lock().unwrap() = limits;
    }
}

#[async_trait]
impl Provider for FakeModel {
    fn info(&self) -> ProviderDescription {
        ProviderDescription {
            name: "fake".into(),
            kind: "fake".into(),
            display_name: "Fake".into(),
            default_model: "fake-1".into(),
            base_url: None,
            context_tokens: None,
            max_output_tokens: None,
        }
    }

    fn encoding(&self) -> Arc<str> {
        "".into()
    }

    fn limits(&self, _model: &str) -> ModelCallLimits {
        *self.limits.lock().unwrap()
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        Ok(format!("{request:?}").into_bytes())
    }

    async fn call(
        &self,
        request: ModelRequest,
        sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        self.requests.lock().unwrap().push(request);
        let line = self.lines.lock().unwrap().pop_front();
        match line {
            Some(FakeModelLine::Says(text)) => {
                sink.text(&text);
                Ok(ModelReply {
                    text,
                    calls: Vec::new(),
                    end: ReplyEnd::Done,
                    usage: Some(Usage { input: 10, output: 5, ..Usage::default() }),
                    model: Some("fake-1".into()),
                    raw: None,
                    request_id: None,
                    body_digest: None,
                })
            }
            Some(FakeModelLine::Calls(calls)) => {
                let native = |(at, (name, arguments)): (usize, (String, serde_json::Value))| NativeCall {
                    provider_call_id: format!("call_{at}"),
                    name: tool_name(&name),
                    arguments: arguments.to_string(),
                };
                Ok(ModelReply {
                    text: String::new(),
                    calls: calls.into_iter().enumerate().map(native).collect(),
                    end: ReplyEnd::Done,
                    usage: None,
                    model: Some("fake-1".into()),
                    raw: None,
                    request_id: None,
                    body_digest: None,
                })
            }
            Some(FakeModelLine::Fails(class)) => Err(failure(class)),
            Some(FakeModelLine::Throttled(span)) => {
                Err(ProviderFailure { retry_after: Some(span), ..failure(FailureClass::Throttled) })
            }
            Some(FakeModelLine::Hangs) => std::future::pending().await,
            Some(FakeModelLine::Stalls(text)) => {
                sink.text(&text);
                std::future::pending().await
            }
            None => Err(failure(FailureClass::Misconfigured)),
        }
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        Ok("fake".into())
    }
}

fn failure(class: FailureClass) -> ProviderFailure {
    ProviderFailure {
        class,
        message: format!("the fake model is {}", class.word()),
        retry_after: None,
        usage: None,
    }
}

/// Returns the fake for every name, except for manual calls, which need no model.
struct FixedProviderRegistry(Arc<dyn Provider>, ConfigProviderRegistry);

impl ProviderRegistry for FixedProviderRegistry {
    fn provider(&self, name: &str) -> Result<Arc<dyn Provider>, ProviderFailure> {
        if relay::is_relay(name) { self.1.provider(name) } else { Ok(self.0.clone()) }
    }

    fn names(&self) -> Vec<String> {
        vec!["fake".into()]
    }
}

/// The ports that the services are built from.
pub struct ServicesFixtureParts {
    /// The store.
    pub stores: StoreFixture,
    /// The model.
    pub provider: Arc<dyn Provider>,
    /// The executors.
    pub executors: Vec<Arc<dyn CommandExecutor>>,
    /// The rules.
    pub rules: RuleBook,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The id generator.
    pub ids: Arc<dyn IdGenerator>,
}

/// Retention settings with these limits, in the text form of the workspace's setting. A process with them removes only
/// what a test asks it to, without pauses.
pub fn retention_settings(limits: &str) -> RetentionSettings {
    RetentionSettings {
        policy: RetentionPolicy::default().with_overrides(&RetentionOverrides::read(limits).unwrap()),
        every: Millis(0),
        pause: Millis(0),
        ..RetentionSettings::default()
    }
}

/// Builds services from these parts.
pub fn services(parts: &ServicesFixtureParts) -> Arc<RuntimeServices> {
    services_with_retention(parts, RetentionSettings::default())
}

/// Builds services from these parts, with these retention settings.
pub fn services_with_retention(
    parts: &ServicesFixtureParts,
    retention: RetentionSettings,
) -> Arc<RuntimeServices> {
    let catalog = Arc::new(Catalog::new(&parts.executors).unwrap());
    Arc::new(RuntimeServices {
        store: parts.stores.store.clone(),
        log: parts.stores.log.clone(),
        rows: parts.stores.resources.clone(),
        mail_store: parts.stores.mail.clone(),
        automations: parts.stores.automations.clone(),
        tasks: parts.stores.tasks.clone(),
        ownership: parts.stores.ownership.clone(),
        knowledge: None,
        files: None,
        calculator: Arc::new(CronScheduleCalculator),
        prompt_parts: Arc::default(),
        accounts: Arc::default(),
        connectivity: None,
        secrets: Arc::new(NoopScrubber),
        policy_hook: None,
        policy_queue: Arc::default(),
        providers: Arc::new(FixedProviderRegistry(parts.provider.clone(), built_in(parts))),
        catalog: CurrentCatalog::new(catalog),
        clock: parts.clock.clone(),
        ids: parts.ids.clone(),
        feed: Arc::new(LiveText::default()),
        observer: Arc::new(NoopObserver),
        rules: parts.rules.clone(),
        // The same setting as the command line.
        settings: RuntimeSettings { situational_layers: true, retention, ..RuntimeSettings::default() },
        started_at: parts.clock.now(),
    })
}

/// The providers that every process has, whatever its configuration contains.
fn built_in(parts: &ServicesFixtureParts) -> ConfigProviderRegistry {
    ConfigProviderRegistry::new(
        BTreeMap::new(),
        Arc::new(MockSecretStore::new()),
        parts.clock.clone(),
        crypto(),
    )
}

/// One running process: a runtime over its services, and the use cases that a test needs.
pub struct RuntimeFixture {
    /// The services.
    pub services: Arc<RuntimeServices>,
    /// The runtime.
    pub runtime: Arc<LocalRuntime>,
    /// The streamed text of running model calls.
    pub live: Arc<LiveText>,
    /// Posts requests to the runtime.
    pub mail_sender: Arc<dyn MailSender>,
    /// The workspace.
    pub workspace: WorkspaceKey,
}

impl RuntimeFixture {
    /// Starts the runtime.
    pub async fn start_runtime(services: Arc<RuntimeServices>) -> Self {
        let owner = services.acquire_ownership().await.unwrap();
        Self::start_with_owner(services, owner).await
    }

    /// Starts the runtime as one of several processes on its store.
    pub async fn start_beside_others(
        services: Arc<RuntimeServices>,
        rights: Arc<dyn WorkspaceOwnership>,
    ) -> Self {
        let owner = services.enter_shared_store(rights, &WorkerProcessDescription::default()).await.unwrap();
        Self::start_with_owner(services, owner).await
    }

    async fn start_with_owner(services: Arc<RuntimeServices>, owner: OwnershipLease) -> Self {
        let live = Arc::new(LiveText::default());
        let services = Arc::new(RuntimeServices { feed: live.clone(), ..(*services).clone() });
        let runtime = Arc::new(LocalRuntime::start(services.clone(), owner).await.unwrap());
        Self {
            services,
            live,
            mail_sender: runtime.clone(),
            runtime,
            workspace: WorkspaceKey::new("ann:home"),
        }
    }

    /// The same process, seen from another workspace.
    #[must_use]
    pub fn in_workspace(&self, workspace: &str) -> Self {
        Self {
            services: self.services.clone(),
            runtime: self.runtime.clone(),
            live: self.live.clone(),
            mail_sender: self.mail_sender.clone(),
            workspace: WorkspaceKey::new(workspace),
        }
    }

    /// Creates a chat.
    pub async fn chat(&self, require_validation: bool) -> SessionId {
        self.begin_chat(Dialect::Envelope, require_validation).await
    }

    /// Creates a chat in this dialect.
    pub async fn chat_in(&self, dialect: Dialect) -> SessionId {
        self.begin_chat(dialect, false).await
    }

    async fn begin_chat(&self, dialect: Dialect, require_validation: bool) -> SessionId {
        let chat = NewChat {
            name: "test".into(),
            provider: "fake".into(),
            model: "fake-1".into(),
            dialect,
            mode: None,
            require_validation,
            restriction: Restriction::Open,
        };
        let start = StartChat::new(self.mail_sender.clone(), self.services.ids.clone());
        start.run(&self.workspace, chat).await.unwrap().session
    }

    /// Sends a message and waits until the session is at rest.
    pub async fn send_and_wait(&self, session: &SessionId, text: &str) -> TurnView {
        let after = self.follow().last_entry_number(&self.workspace, session).await.unwrap();
        self.send_message(session, text).await;
        self.follow().run_until_idle(&self.workspace, session, after).await.unwrap()
    }

    /// Sends a message.
    pub async fn send_message(&self, session: &SessionId, text: &str) {
        let send = SendMessage::new(self.mail_sender.clone());
        send.run(&self.workspace, session, "ann".into(), UserMessage::text(text), None).await.unwrap();
    }

    /// Decides on all open calls and waits until the session is at rest.
    pub async fn decide_and_wait(&self, session: &SessionId, choice: ApprovalChoice) -> TurnView {
        let after = self.follow().last_entry_number(&self.workspace, session).await.unwrap();
        let decide = DecideApprovals::new(self.mail_sender.clone(), self.services.store.clone());
        decide.run_for_all(&self.workspace, session, "ann".into(), &choice).await.unwrap();
        self.follow().run_until_idle(&self.workspace, session, after).await.unwrap()
    }

    /// The use case that removes what goes, with the limits of this process and so many rows a commit.
    pub fn retention(&self, rows_per_commit: u32) -> RunRetention {
        let services = &self.services;
        RunRetention::new(
            services.store.clone(),
            services.log.clone(),
            self.mail_sender.clone(),
            services.clock.clone(),
            RetentionSettings { rows_per_commit, ..services.settings.retention.clone() },
            services.knowledge.clone(),
        )
    }

    /// The use case that follows sessions.
    pub fn follow(&self) -> FollowTurn {
        let services = &self.services;
        FollowTurn::new(
            services.store.clone(),
            services.log.clone(),
            services.rows.clone(),
            services.catalog.get(),
            services.clock.clone(),
        )
        .with_live_text(self.live.clone())
    }

    /// The label of a session's phase.
    pub async fn phase(&self, session: &SessionId) -> &'static str {
        let view = ShowSession::new(self.services.store.clone()).run(&self.workspace, session).await.unwrap();
        view.phase.label().word()
    }

    /// A session's log.
    pub async fn entries(&self, session: &SessionId) -> Vec<JournalEntry> {
        ReadLog::new(self.services.log.clone()).entries(&self.workspace, session, 0).await.unwrap()
    }

    /// Command and state of each call of a session.
    pub async fn calls(&self, session: &SessionId) -> Vec<(String, String)> {
        let calls = ReadCalls::new(self.services.store.clone(), self.services.log.clone())
            .run(&self.workspace, session)
            .await
            .unwrap();
        calls.into_iter().map(|view| (view.call.command.name, view.state)).collect()
    }

    /// Fails if the journal does not reproduce the stored state, or the stored costs.
    pub async fn verify(&self, session: &SessionId) {
        let verify = VerifySession::new(self.services.store.clone(), self.services.log.clone());
        if let Some(mismatch) = verify.run(&self.workspace, session).await.unwrap() {
            panic!("stored:\n{}\nreplayed:\n{}", mismatch.stored, mismatch.replayed);
        }
        check_session_sums(&self.services.log, &self.workspace, session).await;
    }
}

/// An envelope with this text only.
pub fn envelope_line(text: &str) -> FakeModelLine {
    FakeModelLine::Says(serde_json::json!({ "pre_text": text }).to_string())
}

/// An envelope that requests these commands, given as word and parameters.
pub fn command_request_line(list: &str, commands: &[(&str, serde_json::Value)]) -> FakeModelLine {
    let commands: Vec<serde_json::Value> =
        commands.iter().map(|(word, params)| serde_json::json!({ "type": word, "params": params })).collect();
    FakeModelLine::Says(serde_json::json!({ "pre_text": "One moment.", list: commands }).to_string())
}
